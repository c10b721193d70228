package rest_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/protocol"
)

// taskFolder packs a small task folder.
func taskFolder(t *testing.T, name string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for file, content := range map[string]string{
		"ui_messages.json":              `[{"ts":1767225600000,"type":"say","say":"text","text":"hello"},{"ts":1767225600000,"type":"say","say":"text","text":"hi there"}]`,
		"api_conversation_history.json": `[{"role":"user","content":"hello"},{"role":"assistant","content":"hi there"}]`,
	} {
		if err := w.WriteHeader(&tar.Header{Name: name + "/" + file, Size: int64(len(content)), Mode: 0o600}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestImportTaskFolder(t *testing.T) {
	h := build(t, plan{})
	got := h.post("/import?format=roo", taskFolder(t, "task-1")).is(http.StatusCreated)
	if got.header.Get("Location") != "/api/v1/sessions/task-1" {
		t.Errorf("Location: %s", got.header.Get("Location"))
	}
	report := got.json()["report"].(map[string]any)["problems"].([]any)
	if len(report) != 1 || report[0].(map[string]any)["file"] != "ui_messages.json" || report[0].(map[string]any)["index"] != 1.0 {
		t.Errorf("report: %s", got.body)
	}
	if state := h.get("/sessions/task-1").is(http.StatusOK).json(); state["status"] != "idle" {
		t.Errorf("state: %v", state["status"])
	}
	if items := h.get("/sessions/task-1/messages?view=ui").is(http.StatusOK).items(); len(items) != 2 || items[1]["text"] != "hi there" {
		t.Errorf("messages: %v", items)
	}
	h.say("task-1", "and more") // it goes on

	again := h.post("/import?format=roo", taskFolder(t, "task-1")).is(http.StatusCreated).json()
	if id := again["session_id"].(string); !strings.HasPrefix(id, "sess_") || !strings.Contains(fmt.Sprint(again["report"]), "the id task-1 is taken") {
		t.Errorf("a second import: %v", again)
	}
	named := h.post("/import?format=roo&as=other", taskFolder(t, "task-1")).is(http.StatusCreated).json()
	if named["session_id"] != "other" {
		t.Errorf("an id of one's own: %v", named)
	}
	h.post("/import?format=roo&as=other", taskFolder(t, "task-1")).problem(http.StatusConflict, protocol.CodeSessionInvalidState)
}

func TestArchiveTravels(t *testing.T) {
	here, there := build(t, plan{}), build(t, plan{})
	here.create("talk")
	here.say("talk", "hello")
	here.say("talk", strings.Repeat("long ", 20_000)) // beside the journal
	out := here.get("/sessions/talk/export").is(http.StatusOK)
	if ct, cd := out.header.Get("Content-Type"), out.header.Get("Content-Disposition"); ct != "application/vnd.parley.archive" || cd != `attachment; filename="talk.parley"` {
		t.Errorf("%s, %s", ct, cd)
	}
	there.post("/import?format=archive", string(out.body)).is(http.StatusCreated)
	again := there.get("/sessions/talk/export?format=archive").is(http.StatusOK)
	if !bytes.Equal(out.body, again.body) {
		t.Error("the archive is not the same after the journey")
	}
	for _, format := range []string{"roo", "yaar", "store", "markdown", "jsonl"} {
		if body := there.get("/sessions/talk/export?format=" + format).is(http.StatusOK).body; len(body) == 0 {
			t.Errorf("%s is empty", format)
		}
	}
	there.say("talk", "still there?")

	damaged := bytes.Replace(out.body, []byte("You said: "), []byte("You sang: "), 1)
	problem := there.post("/import?format=archive", string(damaged)).problem(http.StatusBadRequest, protocol.CodeInvalidMessage)
	if detail := problem["detail"].(string); !strings.Contains(detail, "not whole and nothing was imported") {
		t.Error(detail)
	}
}

func TestExchangeRefuses(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // nobody else's files are in it
	path, keys := accounts(t, "", map[string]auth.Role{"ann": auth.RoleOwner, "vic": auth.RoleViewer, "bob": auth.RoleOwner})
	h := build(t, plan{auth: auth.Config{Mode: path}})
	as := func(user string) []string { return []string{"Authorization", "Bearer " + keys[user]} }
	h.post("/import?format=roo", taskFolder(t, "mine"), as("vic")...).problem(http.StatusForbidden, protocol.CodeForbidden)
	h.post("/import?format=roo", taskFolder(t, "mine"), as("ann")...).is(http.StatusCreated)
	h.get("/sessions/mine/export", as("bob")...).problem(http.StatusNotFound, protocol.CodeSessionNotFound)
	h.get("/sessions/mine/export", as("ann")...).is(http.StatusOK)

	for _, call := range []answer{
		h.get("/sessions/mine/export?format=ipynb", as("ann")...),
		h.post("/import?format=ipynb", "x", as("ann")...),
	} {
		if detail := call.problem(http.StatusBadRequest, protocol.CodeInvalidMessage)["detail"].(string); !strings.Contains(detail, "there are archive, jsonl, markdown, roo, store, yaar") {
			t.Error(detail)
		}
	}
	h.post("/import?format=markdown", "# x", as("ann")...).problem(http.StatusBadRequest, protocol.CodeInvalidMessage)
	h.post("/import?format=roo", "", as("ann")...).problem(http.StatusBadRequest, protocol.CodeInvalidMessage)
	h.post("/import", "x", as("ann")...).problem(http.StatusBadRequest, protocol.CodeInvalidMessage)
	h.post("/import?format=roo&as=a/b", taskFolder(t, "mine"), as("ann")...).problem(http.StatusBadRequest, protocol.CodeInvalidMessage)
	h.get("/sessions/nobody/export", as("ann")...).problem(http.StatusNotFound, protocol.CodeSessionNotFound)
	if left, err := os.ReadDir(os.TempDir()); err == nil {
		for _, f := range left {
			if strings.HasPrefix(f.Name(), "parley-import-") {
				t.Errorf("%s is left behind", f.Name())
			}
		}
	}
}

// A session that comes from elsewhere works where the server says.
func TestImportedWorkspace(t *testing.T) {
	h := build(t, plan{})
	h.create("s")
	lines := string(h.get("/sessions/s/export?format=jsonl").is(http.StatusOK).body)
	lines = strings.Replace(lines, `"data":{`, `"data":{"workspace":"/no/such/folder","parent_id":"p",`, 1)
	got := h.post("/import?format=jsonl&as=t", lines).is(http.StatusCreated)
	if !strings.Contains(string(got.body), "it does not work in /no/such/folder here") {
		t.Errorf("report: %s", got.body)
	}
	if first := fmt.Sprint(h.get("/sessions/t/events").items()[0]["data"]); strings.Contains(first, "no/such") || strings.Contains(first, "parent_id") {
		t.Errorf("the first record is %s", first)
	}
}

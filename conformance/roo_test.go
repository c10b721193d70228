package conformance

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// task is a task folder: its files by their names.
type task map[string][]byte

func (f task) zip(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range f {
		file, err := w.Create(name)
		if err == nil {
			_, err = file.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// list reads one of the files, which is a JSON array.
func (f task) list(t testing.TB, name string) (items []map[string]any) {
	t.Helper()
	if err := json.Unmarshal(f[name], &items); err != nil {
		t.Fatalf("%s: %v: %.300s", name, err, f[name])
	}
	return items
}

// send calls the server with a body that is no JSON, and gives its answer.
func (s *server) send(t testing.TB, method, path string, body []byte) []byte {
	t.Helper()
	req, err := http.NewRequest(method, s.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode > 299 {
		t.Fatalf("%s %s: %d %s (%v)", method, path, resp.StatusCode, answer, err)
	}
	return answer
}

func (s *server) exportTask(t testing.TB, session string) task {
	t.Helper()
	raw := s.send(t, http.MethodGet, "/api/v1/sessions/"+session+"/export?format=roo", nil)
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	folder := task{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if folder[filepath.Base(f.Name)], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		_ = r.Close()
	}
	return folder
}

func (s *server) importTask(t testing.TB, as string, f task) {
	t.Helper()
	s.send(t, http.MethodPost, "/api/v1/import?format=roo&as="+as, f.zip(t))
}

// said is the visible conversation without what names this server's records.
func (s *server) said(t testing.TB, session string) []map[string]any {
	t.Helper()
	var page struct{ Items []map[string]any }
	s.get(t, "/api/v1/sessions/"+session+"/messages?view=ui&limit=1000", &page)
	for _, m := range page.Items {
		for _, own := range []string{"message_id", "request_id", "turn_id", "agent_id"} {
			delete(m, own)
		}
	}
	return page.Items
}

// A task of another system is taken in, continued with real tools, given back,
// and taken in again: not a word is lost on the way.
func TestTaskFolderThereAndBack(t *testing.T) {
	workspace := t.TempDir()
	if err := os.WriteFile(filepath.Join(workspace, "hello.txt"), []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, t.TempDir(), "--model", "offline", "--workspace", workspace, "--no-rate-limits")
	defer s.stop()
	folder := task{}
	for _, name := range []string{"ui_messages.json", "api_conversation_history.json", "history_item.json"} {
		raw, err := os.ReadFile(filepath.Join("..", "internal", "exchange", "testdata", "roo", name))
		if err != nil {
			t.Fatal(err)
		}
		folder[name] = raw
	}
	s.importTask(t, "task", folder)
	before := s.said(t, "task")
	talk(t, s, "task", "run echo made here", func(f frame) (string, map[string]any) {
		if f.Type != "hitl_approval_request" {
			return "", nil
		}
		return "hitl_approval_response", map[string]any{"request_id": f.Data["request_id"], "action": "approve"}
	})
	after := s.said(t, "task")
	if len(after) < len(before)+3 {
		t.Fatalf("%d messages became %d", len(before), len(after))
	}
	if diff := cmp.Diff(before, after[:len(before)]); diff != "" {
		t.Errorf("what was there before (- before):\n%s", diff)
	}

	out := s.exportTask(t, "task")
	told := out.list(t, "ui_messages.json")
	for i, m := range folder.list(t, "ui_messages.json") {
		if i == 4 {
			m["ts"] = m["ts"].(float64) + 1 // it had the ts of the one before
		}
		if m["text"] != told[i]["text"] && m["text"] != "" || m["ts"] != told[i]["ts"] || m["type"] != told[i]["type"] {
			t.Errorf("message %d was %v, is %v", i, m, told[i])
		}
	}
	answered := false
	for _, m := range told[len(before):] {
		answered = answered || m["ask"] == "command" && m["isAnswered"] == true
	}
	if !answered {
		t.Errorf("no command is answered in %v", told[len(before):])
	}

	s.importTask(t, "again", out)
	if diff := cmp.Diff(after, s.said(t, "again")); diff != "" {
		t.Errorf("taken in again (- as it was):\n%s", diff)
	}
	back := s.exportTask(t, "again")
	// When a turn was told to the model is the time of its record, and a record is
	// never older than the one before it.
	times := cmpopts.IgnoreMapEntries(func(key string, _ any) bool { return key == "ts" })
	for name, but := range map[string]cmp.Options{"ui_messages.json": nil, "api_conversation_history.json": {times}} {
		if diff := cmp.Diff(out.list(t, name), back.list(t, name), but); diff != "" {
			t.Errorf("%s, given back again (- first):\n%s", name, diff)
		}
	}
}

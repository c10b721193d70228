package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

func TestSessionLife(t *testing.T) {
	h := build(t, plan{})
	a := h.post("/sessions", `{"title":"First","model":"m","pipeline":"direct","auto_approve":["read","write"],"later":1}`).is(201)
	s := a.json()
	id, _ := s["session_id"].(string)
	if !strings.HasPrefix(id, "sess_") || a.header.Get("Location") != "/api/v1/sessions/"+id {
		t.Fatalf("id %q, location %q", id, a.header.Get("Location"))
	}
	if s["title"] != "First" || s["model"] != "m" || s["pipeline"] != "direct" || s["status"] != "idle" || s["owner"] != "local" {
		t.Errorf("got %s", a.body)
	}
	got := h.get("/sessions/" + id).is(200)
	if string(got.body) != string(a.body) {
		t.Errorf("get differs from create:\n%s\n%s", got.body, a.body)
	}
	p := h.do(http.MethodPatch, "/api/v1/sessions/"+id, `{"title":"Second","auto_approve":[]}`).is(200).json()
	if p["title"] != "Second" || p["model"] != "m" || len(p["auto_approve"].([]any)) != 0 {
		t.Errorf("after PATCH: %v", p)
	}
	h.do(http.MethodDelete, "/api/v1/sessions/"+id, "").is(204)
	h.get("/sessions/"+id).problem(410, protocol.CodeSessionExpired)
	h.post("/sessions", `{"session_id":"`+id+`"}`).problem(410, protocol.CodeSessionExpired)
}

func TestCreateWithoutABody(t *testing.T) {
	h := build(t, plan{})
	if s := h.post("/sessions", "").is(201).json(); s["pipeline"] != "auto" {
		t.Errorf("got %v", s)
	}
}

func TestCreateIsRefused(t *testing.T) {
	h := build(t, plan{})
	h.create("taken")
	for _, c := range []struct {
		body, field string
		status      int
		code        protocol.Code
	}{
		{`{"session_id":"taken"}`, "", 409, protocol.CodeSessionInvalidState},
		{`{"session_id":"a/b"}`, "", 400, protocol.CodeInvalidMessage},
		{`{"session_id":7}`, "body.session_id", 400, protocol.CodeInvalidMessage},
		{`{"workspace":[]}`, "body.workspace", 400, protocol.CodeInvalidMessage},
		{`{"title":7}`, "body.title", 400, protocol.CodeInvalidMessage},
		{`{"pipeline":"sideways"}`, "", 400, protocol.CodeInvalidMessage},
		{`{"auto_approve":["everything"]}`, "", 400, protocol.CodeInvalidMessage},
		{`{"title":"a","title":"b"}`, "", 400, protocol.CodeInvalidMessage},
		{`{"title":`, "body", 400, protocol.CodeInvalidMessage},
		{`[]`, "body", 400, protocol.CodeInvalidMessage},
		{`null`, "body", 400, protocol.CodeInvalidMessage},
		{`{},"session_id":"sneaked"`, "body", 400, protocol.CodeInvalidMessage},
	} {
		p := h.post("/sessions", c.body).problem(c.status, c.code)
		if c.field == "" {
			continue
		}
		context, _ := p["context"].(map[string]any)
		if context["field"] != c.field || !strings.Contains(p["detail"].(string), strings.TrimPrefix(c.field, "body.")) {
			t.Errorf("%s: context %v, detail %v; want %s", c.body, context, p["detail"], c.field)
		}
	}
	if n := len(h.get("/sessions").is(200).items()); n != 1 {
		t.Errorf("%d sessions were made", n)
	}
}

func TestCreateOnce(t *testing.T) {
	h := build(t, plan{})
	first := h.post("/sessions", `{"title":"x"}`, "Idempotency-Key", "k1").is(201)
	again := h.post("/sessions", `{ "title": "x" }`, "Idempotency-Key", "k1").is(201)
	if string(first.body) != string(again.body) {
		t.Errorf("two answers:\n%s\n%s", first.body, again.body)
	}
	h.post("/sessions", `{"title":"y"}`, "Idempotency-Key", "k1").problem(400, protocol.CodeInvalidMessage)
	h.post("/sessions", `{"title":"x"}`, "Idempotency-Key", "k2").is(201)
	h.post("/sessions", `{"session_id":"mine"}`, "Idempotency-Key", "k3").is(201)
	h.post("/sessions", `{"session_id":"mine"}`, "Idempotency-Key", "k3").is(201)
	if n := len(h.get("/sessions").is(200).items()); n != 3 {
		t.Errorf("%d sessions", n)
	}
	h.post("/sessions", `{}`, "Idempotency-Key", strings.Repeat("k", 129)).problem(400, protocol.CodeInvalidMessage)
}

func TestUpdateIsRefused(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	patch := func(id, body string) answer { return h.do(http.MethodPatch, "/api/v1/sessions/"+id, body) }
	patch("a", `{}`).problem(400, protocol.CodeInvalidMessage)
	patch("a", ``).problem(400, protocol.CodeInvalidMessage)
	patch("a", `{"title":[]}`).problem(400, protocol.CodeInvalidMessage)
	patch("nobody", `{"title":"x"}`).problem(404, protocol.CodeSessionNotFound)
	h.do(http.MethodDelete, "/api/v1/sessions/nobody", "").problem(404, protocol.CodeSessionNotFound)
	h.get("/sessions/nobody").problem(404, protocol.CodeSessionNotFound)
	h.get("/sessions/"+strings.Repeat("x", 65)).problem(400, protocol.CodeInvalidMessage)
}

func TestList(t *testing.T) {
	h := build(t, plan{})
	for _, id := range []string{"one", "two", "three"} {
		h.create(id)
	}
	h.say("two", "find the needle")
	items := h.get("/sessions").is(200).items()
	if len(items) != 3 || items[0]["session_id"] != "two" || items[0]["status"] != "completed" || items[0]["message_count"] != float64(2) {
		t.Errorf("got %v", items)
	}
	page := h.get("/sessions?limit=2").is(200)
	next, _ := page.json()["next_cursor"].(string)
	rest := h.get("/sessions?limit=2&cursor=" + next).is(200)
	if len(page.items()) != 2 || len(rest.items()) != 1 || rest.json()["next_cursor"] != nil {
		t.Errorf("pages %s and %s", page.body, rest.body)
	}
	if got := h.get("/sessions?q=needle").is(200).items(); len(got) != 1 {
		t.Errorf("q: %v", got)
	}
	if got := h.get("/sessions?status=completed").is(200).items(); len(got) != 1 {
		t.Errorf("status: %v", got)
	}
	if got := h.get("/sessions?owner=somebody").is(200).items(); len(got) != 0 {
		t.Errorf("owner: %v", got)
	}
	for _, bad := range []string{"limit=0", "limit=201", "limit=many", "status=happy", "cursor=nonsense"} {
		h.get("/sessions?"+bad).problem(400, protocol.CodeInvalidMessage)
	}
	p := h.get("/sessions?limit=many").problem(400, protocol.CodeInvalidMessage)
	if c, _ := p["context"].(map[string]any); c["field"] != "query.limit" {
		t.Errorf("which field? %v", p)
	}
}

func TestSearch(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	h.create("b")
	h.say("a", "a red herring")
	h.say("b", "a blue whale")
	hits := h.get("/search?q=herring").is(200).items()
	if len(hits) != 2 || hits[0]["session_id"] != "a" || !strings.Contains(hits[0]["snippet"].(string), "herring") || hits[0]["message_id"] == "" {
		t.Errorf("got %v", hits)
	}
	if got := h.get("/search?q=herring&session=b").is(200).items(); len(got) != 0 {
		t.Errorf("in b: %v", got)
	}
	h.get("/search").problem(400, protocol.CodeInvalidMessage)
	h.get("/search?q=x&session=nobody").problem(404, protocol.CodeSessionNotFound)
	h.get("/search?q=x&cursor=!").problem(400, protocol.CodeInvalidMessage)
}

func TestListIsSortedAndFiltered(t *testing.T) {
	h := build(t, plan{})
	h.create("one")
	h.create("two")
	h.create("three")
	h.say("one", "first words")
	h.do(http.MethodPatch, "/api/v1/sessions/two", `{"pinned":true}`).is(200)
	listed := func(query string) string {
		t.Helper()
		var ids []string
		for _, item := range h.get("/sessions?" + query).is(200).items() {
			ids = append(ids, item["session_id"].(string))
		}
		return strings.Join(ids, " ")
	}
	for query, want := range map[string]string{
		"sort=created":                        "three two one",
		"sort=created&order=asc":              "one two three",
		"sort=messages&limit=1":               "one",
		"sort=tokens&limit=1":                 "one",
		"pinned=true":                         "two",
		"pinned=false&sort=created":           "three one",
		"parent=one":                          "",
		"root=one&workspace=%2Fnowhere":       "",
		"sort=size&order=desc&q=one":          "one",
		"sort=title&q=first&status=completed": "one",
	} {
		if got := listed(query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	page := h.get("/sessions?sort=size&limit=2").is(200)
	next := page.json()["next_cursor"].(string)
	if rest := h.get("/sessions?sort=size&limit=2&cursor=" + next).is(200).items(); len(rest) != 1 {
		t.Errorf("the second page: %v", rest)
	}
	item := h.get("/sessions?q=one").is(200).items()[0]
	if item["size"].(float64) <= 0 || item["summary"] != "You said: first words" {
		t.Errorf("got %v", item)
	}
	for _, bad := range []string{"sort=weight", "order=up", "pinned=perhaps", "sort=created&cursor=" + next} {
		h.get("/sessions?"+bad).problem(400, protocol.CodeInvalidMessage)
	}
}

func TestTree(t *testing.T) {
	path, keys := accounts(t, "grants:\n- {user: vic, session: hers, role: viewer}\n", map[string]auth.Role{"alice": auth.RoleOwner, "bob": auth.RoleOwner, "vic": auth.RoleViewer})
	h := build(t, plan{auth: auth.Config{Mode: path}})
	as := func(user string) []string { return []string{"Authorization", "Bearer " + keys[user]} }
	h.create("hers", as("alice")...)
	for _, id := range []string{"child", "other"} {
		_, err := h.engine.Create(t.Context(), id, protocol.SessionCreated{Owner: "alice", ParentID: "hers", RootID: "hers"}, session.Actor{User: "alice"}, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	for user, want := range map[string]int{"alice": 3, "vic": 1} {
		tree := h.get("/sessions/hers/tree", as(user)...).is(200)
		if n := len(tree.items()); n != want || tree.json()["root_id"] != "hers" || tree.json()["tree"].(map[string]any)["sessions"] != float64(want) {
			t.Errorf("%s sees %s", user, tree.body)
		}
	}
	if tree := h.get("/sessions/child/tree", as("alice")...).is(200); tree.json()["root_id"] != "hers" || tree.items()[1]["depth"] != float64(1) {
		t.Errorf("from below: %s", tree.body)
	}
	if items := h.get("/sessions?parent=hers", as("alice")...).is(200).items(); len(items) != 2 || items[0]["root_id"] != "hers" {
		t.Errorf("children: %v", items)
	}
	h.get("/sessions/hers/tree", as("bob")...).problem(404, protocol.CodeSessionNotFound)
	h.get("/sessions/nobody/tree", as("bob")...).problem(404, protocol.CodeSessionNotFound)
}

func TestSearchIsNarrowed(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	h.say("a", "a red herring")
	for query, want := range map[string]int{
		"": 2, "&kind=user": 1, "&kind=assistant": 1, "&kind=reasoning": 0, "&agent=main-monitor-0": 2, "&agent=nobody": 0, "&hidden=false": 2,
		"&from=2020-01-01T00:00:00Z": 2, "&to=2020-01-01T00:00:00Z": 0, "&session=a&kind=text": 2,
	} {
		if got := h.get("/search?q=herring" + query).is(200).items(); len(got) != want {
			t.Errorf("%s: %d hits, want %d", query, len(got), want)
		}
	}
	for _, bad := range []string{"kind=shouting", "from=yesterday", "to=2026", "hidden=perhaps"} {
		h.get("/search?q=x&"+bad).problem(400, protocol.CodeInvalidMessage)
	}
}

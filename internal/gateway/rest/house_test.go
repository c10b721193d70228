package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/blob"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/gateway"
	"github.com/parley-dev/parley/internal/gateway/rest"
	"github.com/parley-dev/parley/internal/index"
	"github.com/parley-dev/parley/internal/journal/sqlite"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// house is a server with everything but a model: journal, blobs, index, engine,
// door and TCP.
type house struct {
	t      testing.TB
	engine *engine.Engine
	http   *httptest.Server
	token  string
	// release lets the agent finish a turn that holds.
	release chan struct{}
	dir     string
	unsure  atomic.Bool // the index cannot tell any session
	close   func()
}

// plan is what a house is made of; zero fields mean the usual.
type plan struct {
	dir   string
	auth  auth.Config
	door  rest.Options
	limit *auth.Limits
}

func build(t testing.TB, p plan) *house {
	t.Helper()
	h := &house{t: t, release: make(chan struct{}), dir: p.dir}
	if h.dir == "" {
		h.dir = t.TempDir()
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	journal, err := sqlite.Open(sqlite.Options{Dir: h.dir})
	must(err)
	blobs, err := blob.New(filepath.Join(h.dir, "blobs"))
	must(err)
	ix, err := index.Open(index.Options{Path: filepath.Join(h.dir, "index.db"), Feed: journal})
	must(err)
	if p.auth.Mode == "" {
		p.auth.Mode = auth.ModeLocal
	}
	p.auth.DataDir, p.auth.Limits = h.dir, p.limit
	if p.limit == nil {
		p.auth.Limits = &auth.Limits{}
	}
	p.auth.Log = slog.New(slog.DiscardHandler)
	who, err := auth.Open(p.auth)
	must(err)
	h.token = who.Token().Reveal()
	h.engine = engine.New(engine.Options{Store: journal, Blobs: blobs, Runner: talker{h.release}, Appended: ix.Poke})
	h.engine.Start()
	p.door.Gateway = &gateway.Gateway{
		Engine: h.engine, Auth: who, Limiter: auth.NewLimiter(who.Limits(), time.Now), Logger: slog.New(slog.DiscardHandler),
	}
	if p.door.Settings != nil {
		p.door.Gateway.Settings = p.door.Settings
	}
	p.door.Index, p.door.Blobs, p.door.Version = doubtful{ix, &h.unsure}, blobs, "1.2.3"
	h.http = httptest.NewServer(rest.New(p.door))
	closed := false
	h.close = func() {
		if closed {
			return
		}
		closed = true
		must(h.engine.Close())
		h.http.Close()
		must(ix.Close())
		must(journal.Close())
		http.DefaultClient.CloseIdleConnections()
	}
	t.Cleanup(h.close)
	return h
}

// talker answers each message: it repeats it in pieces, or holds on if it is
// told to.
type talker struct{ release chan struct{} }

func (k talker) Run(ctx context.Context, w *engine.Work) {
	said := heard(ctx, w)
	begun, err := w.Do(ctx, session.Command{Type: session.ModelBegin, Data: &session.ModelBegun{TurnID: w.Step.TurnID, Model: "talker"}})
	if err != nil {
		return
	}
	call := begun[0].Seq
	s, err := w.Write(ctx, protocol.ID(protocol.OpenPrefix, call), protocol.SayText)
	if err != nil {
		return
	}
	for _, piece := range []string{"You said: ", said} {
		if s.Write(ctx, piece) != nil {
			return
		}
	}
	if strings.Contains(said, "hold") {
		select {
		case <-k.release:
		case <-ctx.Done():
			return
		}
	}
	s.End()
	_, _ = w.Do(ctx, session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{
		TurnID: w.Step.TurnID, Call: call, StopReason: "end_turn", Usage: protocol.Usage{InputTokens: 10, OutputTokens: 5},
	}})
}

// heard is what the person said last.
func heard(ctx context.Context, w *engine.Work) (text string) {
	for after := uint64(0); ; {
		page, err := w.Read(ctx, after, 100)
		if err != nil || len(page) == 0 {
			return text
		}
		for _, r := range page {
			if d, ok := r.Data.(*protocol.MessageRecord); ok && d.Role == protocol.RoleUser {
				text = d.Message.Text
			}
			after = r.Seq
		}
	}
}

// answer is what the server said.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
}

func (a answer) is(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status %d, want %d: %.500s", a.status, status, a.body)
	}
	return a
}

func (a answer) json() map[string]any {
	a.t.Helper()
	var v map[string]any
	if err := json.Unmarshal(a.body, &v); err != nil {
		a.t.Fatalf("not an object: %v: %s", err, a.body)
	}
	return v
}

func (a answer) items() []map[string]any {
	a.t.Helper()
	var v struct{ Items []map[string]any }
	if err := json.Unmarshal(a.body, &v); err != nil || v.Items == nil {
		a.t.Fatalf("not a list: %v: %s", err, a.body)
	}
	return v.Items
}

// problem checks the shape that every error has.
func (a answer) problem(status int, code protocol.Code) map[string]any {
	a.t.Helper()
	a.is(status)
	if ct := a.header.Get("Content-Type"); ct != "application/problem+json" {
		a.t.Errorf("Content-Type is %q", ct)
	}
	v := a.json()
	spec, _ := code.Spec()
	if v["code"] != float64(code) || v["name"] != spec.Name || v["status"] != float64(status) || v["type"] != "/docs#"+spec.Name {
		a.t.Errorf("want %d %s, got %s", code, spec.Name, a.body)
	}
	for _, field := range []string{"title", "detail"} {
		if s, _ := v[field].(string); s == "" {
			a.t.Errorf("%s is missing: %s", field, a.body)
		}
	}
	if _, ok := v["recoverable"].(bool); !ok {
		a.t.Errorf("recoverable is missing: %s", a.body)
	}
	return v
}

// do calls the server. headers are pairs.
func (h *house) do(method, path, body string, headers ...string) answer {
	h.t.Helper()
	req, err := http.NewRequest(method, h.http.URL+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	if h.token != "" {
		req.Header.Set("Authorization", "Bearer "+h.token)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
		if headers[i+1] == "" {
			req.Header.Del(headers[i])
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return answer{h.t, resp.StatusCode, resp.Header, b}
}

func (h *house) get(path string, headers ...string) answer {
	h.t.Helper()
	return h.do(http.MethodGet, "/api/v1"+path, "", headers...)
}

func (h *house) post(path, body string, headers ...string) answer {
	h.t.Helper()
	return h.do(http.MethodPost, "/api/v1"+path, body, headers...)
}

// create makes a session with this id.
func (h *house) create(id string, headers ...string) {
	h.t.Helper()
	h.post("/sessions", fmt.Sprintf(`{"session_id":%q}`, id), headers...).is(http.StatusCreated)
}

// say sends a message and waits for the end of its turn.
func (h *house) say(id, content string) {
	h.t.Helper()
	s := h.follow(id, "")
	defer s.close()
	body, _ := json.Marshal(map[string]string{"content": content})
	h.post("/sessions/"+id+"/messages", string(body)).is(http.StatusAccepted)
	s.until(protocol.TypeComplete)
}

// accounts writes an auth file with a key for each user and gives the keys.
func accounts(t testing.TB, more string, users map[string]auth.Role) (path string, keys map[string]string) {
	t.Helper()
	keys = map[string]string{}
	text := "api_keys:\n"
	for user, role := range users {
		key, entry, err := auth.NewKey(auth.KeyEntry{User: user, Role: role})
		if err != nil {
			t.Fatal(err)
		}
		keys[user] = key.Reveal()
		y, err := entry.YAML()
		if err != nil {
			t.Fatal(err)
		}
		text += y
	}
	path = filepath.Join(t.TempDir(), "auth.yaml")
	if err := os.WriteFile(path, []byte(text+more), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, keys
}

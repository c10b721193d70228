package ws_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/gateway"
	"github.com/parley-dev/parley/internal/gateway/ws"
	"github.com/parley-dev/parley/internal/journal/sqlite"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// house is a server with everything but a model: engine, journal, door, TCP.
type house struct {
	*gateway.Gateway
	door   *ws.Door
	http   *httptest.Server
	engine *engine.Engine
}

// plan is what a house is made of; nil and zero fields mean the usual.
type plan struct {
	door       ws.Options
	auth       auth.Config
	queueBytes int
	runner     runner
}

// unlimited is for tests that are not about limits.
var unlimited = &auth.Limits{}

func build(t testing.TB, p plan) *house {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	if testing.Verbose() {
		log = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	journal, err := sqlite.Open(sqlite.Options{Dir: t.TempDir(), Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	if p.auth.Mode == "" {
		p.auth.Mode = auth.ModeNone
	}
	if p.auth.Limits == nil {
		p.auth.Limits = unlimited
	}
	p.auth.Log = log
	who, err := auth.Open(p.auth)
	if err != nil {
		t.Fatal(err)
	}
	if p.runner == nil {
		p.runner = func(ctx context.Context, w *engine.Work) { say(ctx, w, "hello ", "world") }
	}
	e := engine.New(engine.Options{Store: journal, Blobs: &blobs{}, Runner: p.runner, Logger: log, QueueBytes: p.queueBytes})
	e.Start()
	g := &gateway.Gateway{Engine: e, Auth: who, Limiter: auth.NewLimiter(who.Limits(), time.Now), Logger: log}
	p.door.Gateway, p.door.Logger = g, log
	h := &house{Gateway: g, door: ws.New(p.door), engine: e}
	mux := http.NewServeMux()
	mux.Handle("GET /ws/{session_id}", h.door)
	h.http = httptest.NewServer(mux)
	t.Cleanup(func() {
		if err := h.door.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error("close the door:", err)
		}
		h.http.Close()
		if err := e.Close(); err != nil {
			t.Error("close the engine:", err)
		}
		if err := journal.Close(); err != nil {
			t.Error("close the journal:", err)
		}
	})
	return h
}

// address gives the URL of a session, with a query such as "client_id=a".
func (h *house) address(session, query string) string {
	u := "ws" + strings.TrimPrefix(h.http.URL, "http") + "/ws/" + session
	if query != "" {
		u += "?" + query
	}
	return u
}

// blobs keeps blobs in memory.
type blobs struct {
	mu  sync.Mutex
	all map[string][]byte
}

func (b *blobs) Put(_ context.Context, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all == nil {
		b.all = map[string][]byte{}
	}
	hash := hex.EncodeToString(sum[:])
	b.all[hash] = data
	return hash, nil
}

// runner carries out a session's model calls.
type runner func(ctx context.Context, w *engine.Work)

func (r runner) Run(ctx context.Context, w *engine.Work) { r(ctx, w) }

// say is a model call that answers with these pieces.
func say(ctx context.Context, w *engine.Work, pieces ...string) {
	sayFrom(ctx, w, func(yield func(string) bool) {
		for _, p := range pieces {
			if !yield(p) {
				return
			}
		}
	})
}

func sayFrom(ctx context.Context, w *engine.Work, pieces func(yield func(string) bool)) {
	begun, err := w.Do(ctx, session.Command{Type: session.ModelBegin, Data: &session.ModelBegun{TurnID: w.Step.TurnID, Model: "scripted"}})
	if err != nil {
		return
	}
	call := begun[0].Seq
	out, err := w.Write(ctx, protocol.ID(protocol.OpenPrefix, call), protocol.SayText)
	if err != nil {
		return
	}
	for p := range pieces {
		if out.Write(ctx, p) != nil {
			return
		}
	}
	out.End()
	_, _ = w.Do(ctx, session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{
		TurnID: w.Step.TurnID, Call: call, StopReason: "end_turn", Usage: protocol.Usage{},
	}})
}

// accounts writes an auth file with an API key for each user, given as
// "user:role", and gives its path and the keys.
func accounts(t testing.TB, more string, users ...string) (path string, keys map[string]string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("api_keys:\n")
	keys = map[string]string{}
	for i, u := range users {
		user, role, _ := strings.Cut(u, ":")
		key := fmt.Sprintf("pk_k%d_%s", i, strings.Repeat("s3cret", 8))
		sum := sha256.Sum256([]byte(key))
		fmt.Fprintf(&b, "  - id: k%d\n    user: %s\n    role: %s\n    hash: \"sha256:%s\"\n", i, user, role, hex.EncodeToString(sum[:]))
		keys[user] = key
	}
	path = filepath.Join(t.TempDir(), "auth.yaml")
	if err := os.WriteFile(path, []byte(b.String()+more), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, keys
}

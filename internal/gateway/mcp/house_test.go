package mcp_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/parley-dev/parley/internal/agent"
	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/blob"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/gateway"
	"github.com/parley-dev/parley/internal/gateway/mcp"
	"github.com/parley-dev/parley/internal/index"
	"github.com/parley-dev/parley/internal/journal/sqlite"
	"github.com/parley-dev/parley/internal/settings"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/script"
	"github.com/parley-dev/parley/tool/builtin"
	"github.com/parley-dev/parley/tool/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	goleak.VerifyTestMain(m)
}

// house is a server whose only door is this one.
type house struct {
	t     *testing.T
	http  *httptest.Server
	token string
	work  string
}

// build makes one whose model plays a script.
func build(t *testing.T, play string, config auth.Config, o mcp.Options) *house {
	t.Helper()
	h := &house{t: t, work: t.TempDir()}
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(filepath.Join(dir, "model.yaml"), []byte(play), 0o600))
	journal, err := sqlite.Open(sqlite.Options{Dir: dir})
	must(err)
	blobs, err := blob.New(filepath.Join(dir, "blobs"))
	must(err)
	ix, err := index.Open(index.Options{Path: filepath.Join(dir, "index.db"), Feed: journal})
	must(err)
	quiet := slog.New(slog.DiscardHandler)
	if config.Mode == "" {
		config.Mode = auth.ModeLocal
	}
	config.DataDir, config.Limits, config.Log = dir, &auth.Limits{}, quiet
	who, err := auth.Open(config)
	must(err)
	if !who.Token().IsZero() {
		h.token = who.Token().Reveal()
	}
	models := agent.NewModels([]model.Provider{script.Provider()}, "script:"+filepath.Join(dir, "model.yaml"))
	e := engine.New(engine.Options{Store: journal, Blobs: blobs, Appended: ix.Poke, Model: "script:" + filepath.Join(dir, "model.yaml"), Runner: &agent.Agent{
		Models: models, Tools: builtin.All(), Blobs: blobs, Logger: quiet,
		Settings: settings.Open(settings.Options{Dir: filepath.Join(dir, "settings"), Logger: quiet}),
	}})
	e.Start()
	o.Gateway = &gateway.Gateway{Engine: e, Auth: who, Limiter: auth.NewLimiter(who.Limits(), time.Now), Logger: quiet, Workspace: h.work}
	o.Index, o.Version = ix, "1.2.3"
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.New(o))
	h.http = httptest.NewServer(mux)
	t.Cleanup(func() {
		must(e.Close())
		h.http.CloseClientConnections()
		h.http.Close()
		must(ix.Close())
		must(journal.Close())
		http.DefaultClient.CloseIdleConnections()
	})
	return h
}

// bearer shows who is calling.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b != "" {
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// guest is an agent that uses the door.
type guest struct {
	t       *testing.T
	session *sdk.ClientSession
}

func (h *house) guest(token string) *guest {
	h.t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "guest", Version: "1"}, nil)
	session, err := client.Connect(h.t.Context(), &sdk.StreamableClientTransport{
		Endpoint: h.http.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)},
	}, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = session.Close() })
	return &guest{h.t, session}
}

// call gives what a tool answers, and whether it is an error.
func (g *guest) call(ctx context.Context, name string, in map[string]any) (string, bool) {
	g.t.Helper()
	r, err := g.session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: in})
	if err != nil {
		g.t.Fatalf("%s: %v", name, err)
	}
	return r.Content[0].(*sdk.TextContent).Text, r.IsError
}

// must calls a tool that has to succeed.
func (g *guest) must(name string, in map[string]any) map[string]any {
	g.t.Helper()
	text, failed := g.call(g.t.Context(), name, in)
	if failed {
		g.t.Fatalf("%s: %s", name, text)
	}
	var out map[string]any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		g.t.Fatalf("%s: %v: %s", name, err, text)
	}
	return out
}

// refused calls a tool that has to fail, and gives what it says.
func (g *guest) refused(name string, in map[string]any) string {
	g.t.Helper()
	text, failed := g.call(g.t.Context(), name, in)
	if !failed {
		g.t.Fatalf("%s did not fail: %s", name, text)
	}
	return text
}

// accounts writes an auth file with a key for each user and gives the keys.
func accounts(t *testing.T, users map[string]auth.Role) (path string, keys map[string]string) {
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
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, keys
}

// Package parley is a durable session server for AI agents, to run or to embed.
//
//	s, err := parley.New(parley.Options{Data: "data"})
//	if err != nil { … }
//	defer s.Close()
//	mux.Handle("/", s.Handler()) // or s.Run(ctx)
//
// A server owns its data folder; several servers can live in one process, each
// with a folder of its own. This package is the wiring and nothing else: see
// ARCHITECTURE.md for where things are.
package parley

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/parley-dev/parley/internal/agent"
	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/blob"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/gateway"
	"github.com/parley-dev/parley/internal/gateway/mcp"
	"github.com/parley-dev/parley/internal/gateway/rest"
	"github.com/parley-dev/parley/internal/gateway/ws"
	"github.com/parley-dev/parley/internal/index"
	"github.com/parley-dev/parley/internal/journal/sqlite"
	"github.com/parley-dev/parley/internal/settings"
	"github.com/parley-dev/parley/internal/workspace"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/sandbox"
	"github.com/parley-dev/parley/web"
)

// Server is a Parley server with its data open.
type Server struct {
	options  Options
	journal  *sqlite.Journal
	index    *index.Index
	engine   *engine.Engine
	auth     *auth.Authenticator
	ws       *ws.Door
	blobs    *blob.Store
	settings *settings.Store
	secrets  *settings.Secrets
	files    *workspace.Store
	tools    []tool.Tool
	sandbox  *sandbox.Sandbox
	hosts    *hosts
	models   *agent.Models
	// providers are what models can be opened of.
	providers []model.Provider
	handler   http.Handler
	work      sync.WaitGroup  // the janitor
	life      context.Context // of what runs beside the sessions
	stop      context.CancelFunc
	close     func() error
}

// New opens the data folder, takes up interrupted work, and is ready to serve.
// Whoever gets a server closes it.
func New(o Options) (*Server, error) {
	o = o.orDefaults()
	if o.Data == "" {
		return nil, errors.New("parley: Options.Data must name a folder")
	}
	data, err := filepath.Abs(o.Data)
	if err != nil {
		return nil, fmt.Errorf("parley: data folder %s: %w", o.Data, err)
	}
	o.Data = data
	s := &Server{options: o}
	s.life, s.stop = context.WithCancel(context.Background())
	s.close = sync.OnceValue(s.shutdown)
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.engine.Start()
	s.work.Go(func() { s.janitor(s.life, s.blobs) })
	return s, nil
}

func (s *Server) open() (err error) {
	o := s.options
	if s.journal, err = sqlite.Open(sqlite.Options{Dir: o.Data, Holder: s.holder("", ""), Logger: o.Logger}); err != nil {
		return named(err)
	}
	if s.auth, err = auth.Open(auth.Config{Mode: o.Auth, DataDir: o.Data, Origins: o.Origins, Limits: s.limits(), Log: o.Logger}); err != nil {
		return err
	}
	s.openSettings()
	o.Logger = slog.New(quiet{o.Logger.Handler(), s.secrets.Redactor()})
	s.options.Logger = o.Logger
	if s.blobs, err = blob.New(filepath.Join(o.Data, "blobs")); err != nil {
		return err
	}
	if s.index, err = index.Open(index.Options{Path: filepath.Join(o.Data, "index.db"), Feed: s.journal, Logger: o.Logger, At: pastOf(s.journal, o.Logger)}); err != nil {
		return err
	}
	if s.files, err = workspace.Open(workspace.Options{
		Dir: filepath.Join(o.Data, "checkpoints"), Avoid: []string{o.Data}, Logger: o.Logger,
		Limits: workspace.Limits{File: int64(s.settings.Effective("", nil).Values.CheckpointsMaxFileBytes)},
	}); err != nil {
		return err
	}
	if s.tools = o.Tools; s.tools == nil {
		s.tools = s.newTools()
	}
	if o.Models == nil {
		o.Models = ModelSource{Getenv: s.getenv, CatalogFile: os.Getenv("PARLEY_MODELS"), Agents: agents(o.Model)}.Providers()
	}
	s.hosts = newHosts(s.life, s)
	models := agent.NewModels(o.Models, o.Model)
	s.models, s.providers = models, o.Models
	if _, err := models.Open(context.Background(), ""); err != nil {
		return err
	}
	s.engine = engine.New(engine.Options{
		Store: s.journal, Blobs: s.blobs, Logger: o.Logger, IdleAfter: o.IdleAfter, Model: o.Model, Appended: s.index.Poke,
		Files: files{s.files}, Deleted: s.release, Redact: redactor{s.secrets.Redactor()},
		Runner: &agent.Agent{
			Models: models, Tools: s.tools, More: s.hosts.tools, Always: s.hosts.always, Spent: s.index.Spent, Blobs: s.blobs, Logger: o.Logger,
			Settings: s.settings, Files: s.files, Hide: s.secrets.Redactor().Redact,
		},
	})
	s.hosts.listen()
	g := &gateway.Gateway{
		Engine: s.engine, Auth: s.auth, Limiter: auth.NewLimiter(s.auth.Limits(), time.Now),
		Logger: o.Logger, Workspace: o.Workspace,
		CheckModel: func(ctx context.Context, name string) error { _, err := models.Open(ctx, name); return err },
		CheckMode: func(owner, name string) error {
			return agent.CheckMode(name, s.settings.Effective(owner, nil).Values.CustomModes)
		},
		Settings: s.settings, Locate: s.locate,
	}
	s.ws = ws.New(ws.Options{Gateway: g, Logger: o.Logger, Heartbeat: o.Heartbeat})
	s.handler = s.routes(g)
	return nil
}

// release lets go of what runs for a session that is gone.
func (s *Server) release(id string) {
	for _, t := range s.tools {
		if k, ok := t.(tool.Keeper); ok {
			k.Release(id)
		}
	}
}

func (s *Server) openSettings() {
	o := s.options
	s.settings = settings.Open(settings.Options{
		Dir: filepath.Join(o.Data, "settings"), File: o.Config, Others: o.ConfigOptions, Flags: o.Flags, Logger: o.Logger,
	})
	s.secrets = settings.OpenSecrets(settings.SecretsOptions{
		Dir: filepath.Join(o.Data, "secrets"), Keyring: settings.NewKeyring(), Logger: o.Logger,
		PreferKeyring: func() bool { return s.settings.Effective("", nil).Values.SecretsKeyring },
	})
}

func (s *Server) limits() *auth.Limits {
	if s.options.NoRateLimits {
		return &auth.Limits{}
	}
	return nil
}

func (s *Server) writesPerMinute() int {
	if s.options.NoRateLimits {
		return -1
	}
	return 0
}

// ready says what keeps the server from working.
func (s *Server) ready() error {
	if s.engine.Stopping() {
		return errors.New("the server is stopping")
	}
	return nil
}

func (s *Server) routes(g *gateway.Gateway) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /ws/{session_id}", s.ws)
	mux.Handle("/mcp", mcp.New(mcp.Options{
		Gateway: g, Index: s.index, Version: Version, WritesPerMinute: s.writesPerMinute(), Logger: s.options.Logger,
	}))
	web.Mount(mux)
	mux.Handle("/", rest.New(rest.Options{
		Gateway: g, Index: s.index, Blobs: s.blobs, Files: s.files, Settings: s.settings, Secrets: s.secrets, Models: s.choices, Clean: s.clean, Version: Version, Logger: s.options.Logger,
		WritesPerMinute: s.writesPerMinute(), Ready: s.ready, Registry: newRegistry(&s.ws.Stats),
	}))
	return mux
}

// Handler serves every door of the server, for mounting at the root of a host.
func (s *Server) Handler() http.Handler { return s.handler }

// Token is what a caller of local mode shows; empty in the other modes.
func (s *Server) Token() string {
	if s.auth.Token().IsZero() {
		return ""
	}
	return s.auth.Token().Reveal()
}

// Close records how far the work has come, tells clients to reconnect, and lets
// go of the data folder. It can be called more than once.
func (s *Server) Close() error { return s.close() }

func (s *Server) shutdown() error {
	var errs []error
	s.stop()
	if s.hosts != nil {
		s.hosts.off() // nothing is added to the work that is waited for
	}
	s.work.Wait()
	if s.engine != nil {
		errs = append(errs, s.engine.Close())
	}
	if s.models != nil {
		errs = append(errs, s.models.Close())
	}
	if s.hosts != nil {
		errs = append(errs, s.hosts.close())
	}
	if s.ws != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		errs = append(errs, s.ws.Close(ctx))
		cancel()
	}
	if s.options.Tools == nil { // else they are the caller's
		errs = append(errs, tool.Close(s.tools))
	}
	if s.files != nil {
		errs = append(errs, s.files.Close())
	}
	if s.index != nil {
		errs = append(errs, s.index.Close())
	}
	if s.journal != nil {
		errs = append(errs, s.journal.Close())
	}
	return errors.Join(errs...)
}

// Version of this build.
const Version = "0.1.0"

func (s *Server) holder(listen, url string) string {
	return Running{PID: os.Getpid(), Listen: listen, URL: url}.encode()
}

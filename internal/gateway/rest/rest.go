// Package rest is the HTTP door: sessions under /api/v1, their description at
// /openapi.json and /docs, and what an operator asks for at /healthz, /readyz
// and /metrics.
//
// It does framing and nothing else. A body is the data of the command that the
// call stands for, checked by the rules that hold on a WebSocket too; every
// write goes through the gateway's dispatch; every error is one of the
// protocol's, as an RFC 9457 problem. It promises that what it documents is
// what it serves, and that no answer depends on another host.
//
// It refuses callers it does not know, except to say that it is there, and
// bodies without bound. It sends no cookie and asks for none.
package rest

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-dev/parley/internal/gateway"
	"github.com/parley-dev/parley/internal/settings"
	"github.com/parley-dev/parley/internal/workspace"
	"github.com/parley-dev/parley/model"
)

// Blobs gives what is too long for a record.
type Blobs interface {
	// Get gives a blob's content, and fails if it is not what was kept.
	Get(hash string) ([]byte, error)
}

// Options is what the door is made of.
type Options struct {
	Gateway *gateway.Gateway
	Index   Index
	Blobs   Blobs
	// Files keeps the workspaces of sessions; nil if nothing does.
	Files *workspace.Store
	// Settings and Secrets are served if both are there.
	Settings *settings.Store
	Secrets  *settings.Secrets
	// Models gives what sessions can name, and why some of it is not known; nil
	// if nobody can say.
	Models func(ctx context.Context) ([]model.Choice, []error)
	// Clean makes the room of checkpoints smaller; nil if nothing can.
	Clean func(ctx context.Context, how Cleaning) ([]FolderRoom, error)
	// Version of the server, for the description and the metrics.
	Version string
	// Ready says what keeps the server from working; nil if nothing does.
	Ready func() error
	// Registry takes the door's metrics and is served at /metrics. A new one
	// is made if it is nil.
	Registry *prometheus.Registry
	// WritesPerMinute limits the calls of one user that change something: 600
	// if it is 0, none if it is negative. Reading is not limited.
	WritesPerMinute int
	Logger          *slog.Logger
	Now             func() time.Time // time.Now if nil
	// Heartbeat is how often a stream shows that it is alive: 15 s if 0.
	Heartbeat time.Duration
}

// door is the handler.
type door struct {
	Options
	mux     *http.ServeMux
	api     huma.API
	metrics *metrics
	writes  func(user string) error
	open    map[string]bool // patterns that need no caller
}

// New makes the door. It serves the paths it knows and answers others with a
// problem, so it can stand behind a mux or be the whole server.
func New(o Options) http.Handler {
	d := &door{Options: o.withDefaults(), mux: http.NewServeMux(), open: map[string]bool{}}
	d.metrics = newMetrics(d.Registry, d.Version, &d.Gateway.Engine.Stats)
	d.writes = newWrites(d.WritesPerMinute, d.Now)
	spec := d.registerAPI()
	d.serveOpen("GET /openapi.json", serveBytes("application/openapi+json", spec))
	d.serveOpen("GET /api/v1/openapi.json", serveBytes("application/openapi+json", spec))
	d.serveOpen("GET /docs", newDocs())
	d.serveOpen("GET /healthz", http.HandlerFunc(d.healthz))
	d.serveOpen("GET /readyz", http.HandlerFunc(d.readyz))
	d.mux.Handle("GET /metrics", d.metricsHandler())
	return d
}

func (o Options) withDefaults() Options {
	if o.Ready == nil {
		o.Ready = func() error { return nil }
	}
	if o.Registry == nil {
		o.Registry = prometheus.NewRegistry()
	}
	if o.WritesPerMinute == 0 {
		o.WritesPerMinute = 600
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Heartbeat <= 0 {
		o.Heartbeat = 15 * time.Second
	}
	return o
}

// serveOpen lets everyone in: what is served there tells nothing about anyone.
func (d *door) serveOpen(pattern string, h http.Handler) {
	d.open[pattern] = true
	d.mux.Handle(pattern, h)
}

func serveBytes(contentType string, body []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(body)
	})
}

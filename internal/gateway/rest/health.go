package rest

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/protocol"
)

// healthz says that the process is up.
func (d *door) healthz(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"status":"ok"}` + "\n"))
}

// readyz says whether the server can work, and if not, why.
func (d *door) readyz(w http.ResponseWriter, r *http.Request) {
	if err := d.Ready(); err != nil {
		writeProblem(w, protocol.Errorf(protocol.CodeConnectionFailed, "the server is not ready: %s", err))
		return
	}
	d.healthz(w, r)
}

// metricsHandler shows the numbers to whoever may see the whole server.
func (d *door) metricsHandler() http.Handler {
	show := promhttp.HandlerFor(d.Registry, promhttp.HandlerOpts{})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := auth.Allow(callerOf(r.Context()).Identity, auth.Admin, "", ""); err != nil {
			writeProblem(w, err)
			return
		}
		show.ServeHTTP(w, r)
	})
}

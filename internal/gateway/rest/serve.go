package rest

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/gateway"
	"github.com/parley-dev/parley/protocol"
)

// ServeHTTP takes every request: it is counted, logged, let in or refused, and
// a panic in it harms nobody else.
func (d *door) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w := &response{ResponseWriter: rw}
	secure(w.Header())
	_, pattern := d.mux.Handler(r)
	start := time.Now()
	defer func() { d.observe(w, r, pattern, time.Since(start)) }()
	defer func() {
		if p := recover(); p != nil {
			d.recovered(w, r, p)
		}
	}()
	d.serve(w, r, pattern)
}

func (d *door) serve(w *response, r *http.Request, pattern string) {
	switch {
	case isPreflight(r):
		d.preflight(w, r)
		return
	case pattern == "":
		d.unknown(w, r)
		return
	case d.open[pattern]:
		d.mux.ServeHTTP(w, r)
		return
	}
	c, err := d.admit(r)
	if err != nil {
		writeProblem(w, err)
		return
	}
	allowOrigin(w.Header(), r)
	d.mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, c)))
}

type callerKey struct{}

// visitor is a caller with what they came with, so that a long stream can ask
// again whether they are still welcome.
type visitor struct {
	gateway.Caller
	credentials auth.Credentials
}

func visitorOf(ctx context.Context) visitor {
	v, ok := ctx.Value(callerKey{}).(visitor)
	if !ok {
		panic("rest: a handler was reached without a caller")
	}
	return v
}

func callerOf(ctx context.Context) gateway.Caller { return visitorOf(ctx).Caller }

// admit says who is calling, if they may call at all.
func (d *door) admit(r *http.Request) (visitor, error) {
	if err := d.Gateway.Auth.CheckRequest(r); err != nil {
		return visitor{}, err
	}
	credentials := auth.FromRequest(r)
	id, err := d.Gateway.Auth.Authenticate(r.Context(), credentials)
	if err != nil {
		return visitor{}, err
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if err := d.writes(id.User); err != nil {
			return visitor{}, err
		}
	}
	return visitor{gateway.Caller{Identity: id}, credentials}, nil
}

// newWrites limits what a user changes in a minute. It borrows the keyed limit
// of the auth package and says in its own words what there is too much of.
func newWrites(perMinute int, now func() time.Time) func(user string) error {
	limiter := auth.NewLimiter(auth.Limits{Answers: perMinute}, now)
	return func(user string) error {
		err := limiter.Answer(user)
		if err == nil {
			return nil
		}
		context := protocol.AsError(err).Context
		e := protocol.Errorf(protocol.CodeRateLimited, "too many calls that change something: %d a minute are allowed; try again in %v ms",
			perMinute, context["retry_after_ms"])
		e.Context = context
		return e
	}
}

// unknown answers for paths and methods that do not exist. The mux knows which
// of the two it is.
func (d *door) unknown(w *response, r *http.Request) {
	h, _ := d.mux.Handler(r)
	said := nobody{}
	h.ServeHTTP(said, r)
	if allow := said.Header().Get("Allow"); allow != "" {
		w.Header().Set("Allow", allow)
		writeProblem(w, problemOf(protocol.Errorf(protocol.CodeInvalidMessage,
			"%s is not something this path takes; it takes %s", clip(r.Method), allow)).as(http.StatusMethodNotAllowed))
		return
	}
	writeProblem(w, problemOf(protocol.Errorf(protocol.CodeInvalidMessage,
		"there is nothing at %s; /docs lists what there is", clip(r.URL.Path))).as(http.StatusNotFound))
}

// nobody listens to an answer's body.
type nobody http.Header

func (n nobody) Header() http.Header         { return http.Header(n) }
func (n nobody) Write(b []byte) (int, error) { return len(b), nil }
func (n nobody) WriteHeader(int)             {}

// recovered keeps the server alive. An answer that was begun is broken off, so
// that it cannot be taken for a whole one.
func (d *door) recovered(w *response, r *http.Request, p any) {
	if p == http.ErrAbortHandler {
		panic(p)
	}
	d.Logger.Error("a request failed inside the server", "method", r.Method, "path", r.URL.Path,
		"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	if w.status != 0 {
		panic(http.ErrAbortHandler)
	}
	writeProblem(w, protocol.Errorf(protocol.CodeExecutionFailed, "the server failed at this; its log says why"))
}

// observe counts and logs a request. The query is left out: it may hold a token.
func (d *door) observe(w *response, r *http.Request, pattern string, took time.Duration) {
	if pattern == "" {
		pattern = "none"
	}
	d.metrics.request(pattern, r.Method, w.code(), took)
	log := d.Logger.Debug
	if w.code() >= http.StatusInternalServerError {
		log = d.Logger.Warn
	}
	log("http request", "method", r.Method, "path", clip(r.URL.Path), "status", w.code(), "bytes", w.bytes, "took", took)
}

func clip(s string) string {
	if len(s) > 120 {
		return s[:120] + "…"
	}
	return s
}

package rest_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/parley-dev/parley/internal/gateway/rest"
	"github.com/parley-dev/parley/protocol"
)

func sha256Of(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// logged is a log that can be read while it is written.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func (l *logged) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func TestUnknownPathsAndMethods(t *testing.T) {
	h := build(t, plan{})
	for _, path := range []string{"/", "/api", "/api/v1", "/api/v1/nothing", "/api/v2/sessions", "/api/v1/sessions/a/b/c"} {
		h.do(http.MethodGet, path, "").problem(404, protocol.CodeInvalidMessage)
	}
	a := h.do(http.MethodPut, "/api/v1/sessions", "{}")
	p := a.problem(405, protocol.CodeInvalidMessage)
	if allow := a.header.Get("Allow"); !strings.Contains(allow, "GET") || !strings.Contains(allow, "POST") || !strings.Contains(p["detail"].(string), allow) {
		t.Errorf("Allow %q, %v", allow, p["detail"])
	}
	h.do("BREW", "/healthz", "").problem(405, protocol.CodeInvalidMessage)
}

func TestHeadersOnEveryAnswer(t *testing.T) {
	h := build(t, plan{})
	for _, path := range []string{"/healthz", "/docs", "/openapi.json", "/metrics", "/api/v1/sessions", "/nothing"} {
		a := h.do(http.MethodGet, path, "")
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "X-Frame-Options": "DENY",
		} {
			if got := a.header.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		if !strings.Contains(a.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("%s can be framed", path)
		}
	}
}

func TestHealth(t *testing.T) {
	var trouble error
	h := build(t, plan{door: rest.Options{Ready: func() error { return trouble }}})
	h.do(http.MethodGet, "/healthz", "").is(200)
	h.do(http.MethodGet, "/readyz", "").is(200)
	trouble = errors.New("the disk is full")
	p := h.do(http.MethodGet, "/readyz", "").problem(503, protocol.CodeConnectionFailed)
	if !strings.Contains(p["detail"].(string), "the disk is full") {
		t.Errorf("why? %v", p["detail"])
	}
	h.do(http.MethodGet, "/healthz", "").is(200)
}

func TestMetrics(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	h.say("a", "hello")
	text := string(h.do(http.MethodGet, "/metrics", "").is(200).body)
	if !strings.Contains(text, "parley_engine_sessions_live 1\n") {
		t.Error("one session is not in memory")
	}
	h.get("/sessions/nobody").is(404)
	text = string(h.do(http.MethodGet, "/metrics", "").is(200).body)
	for _, line := range []string{
		`parley_build_info{version="1.2.3"} 1`,
		`parley_http_requests_total{method="POST",route="/api/v1/sessions",status="201"} 1`,
		`parley_http_requests_total{method="GET",route="/api/v1/sessions/{id}",status="404"} 1`,
		`parley_http_request_duration_seconds_count{method="POST",route="/api/v1/sessions"} 1`,
		`go_goroutines `,
	} {
		if !strings.Contains(text, line) {
			t.Errorf("no line %s", line)
		}
	}
	if strings.Contains(text, "parley_engine_records_total 0\n") || !strings.Contains(text, "parley_engine_records_total ") {
		t.Error("no records were counted")
	}
}

func TestPanicsAndTheLog(t *testing.T) {
	var log logged
	h := build(t, plan{door: rest.Options{Logger: log.logger(), Ready: func() error { panic("a screw is loose") }}})
	p := h.do(http.MethodGet, "/readyz", "").problem(500, protocol.CodeExecutionFailed)
	if strings.Contains(p["detail"].(string), "screw") {
		t.Errorf("the caller was told: %v", p["detail"])
	}
	h.get("/sessions?token="+h.token+"&q=secret-words", "Authorization", "").is(200)
	h.close() // what is logged after the answer is there now
	text := log.String()
	for _, want := range []string{"a screw is loose", "serve_test.go", "level=WARN", "path=/api/v1/sessions", "status=200"} {
		if !strings.Contains(text, want) {
			t.Errorf("the log does not say %s", want)
		}
	}
	if strings.Contains(text, h.token) || strings.Contains(text, "secret-words") {
		t.Error("a query is in the log")
	}
}

// Two doors in one process do not know of each other.
func TestTwoDoors(t *testing.T) {
	a, b := build(t, plan{}), build(t, plan{})
	a.create("x")
	b.get("/sessions/x").problem(404, protocol.CodeSessionNotFound)
	b.get("/sessions", "Authorization", "Bearer "+a.token).problem(401, protocol.CodeAuthFailed)
}

package rest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/gateway/rest"
)

// FuzzQueries asks for lists with any query and any cursor: the answer is a
// list or a problem of the caller's, never the server's.
func FuzzQueries(f *testing.F) {
	for _, seed := range []struct{ path, query, last string }{
		{"/sessions", "limit=2&cursor=bGlzdCAxIGE", ""},
		{"/sessions/a/events", "after=msg_0000000001&limit=1000", ""},
		{"/sessions/a/events", "after=msg_99999999999999999999", ""},
		{"/sessions/a/messages", "view=ui&offset=9223372036854775807", ""},
		{"/sessions/a/messages", "limit=1&limit=2&offset=-1", ""},
		{"/search", "q=%00&session=..&cursor=%ff", ""},
		{"/sessions/a%2f..", "%zz", "msg_0000000001"},
	} {
		f.Add(seed.path, seed.query, seed.last)
	}
	h := build(f, plan{auth: auth.Config{Mode: auth.ModeNone}, door: rest.Options{WritesPerMinute: -1}})
	h.create("a")
	f.Fuzz(func(t *testing.T, path, query, last string) {
		u, err := url.Parse("http://127.0.0.1/api/v1" + path)
		if err != nil || u.Host != "127.0.0.1" {
			return
		}
		u.RawQuery = query
		r := httptest.NewRequest(http.MethodHead, "http://127.0.0.1/", nil).WithContext(t.Context())
		r.Method, r.URL = http.MethodGet, u
		if len(u.Path) > 7 && u.Path[len(u.Path)-7:] == "/stream" {
			r.Method = http.MethodHead // a stream has no end
		}
		r.Header.Set("Last-Event-ID", last)
		w := httptest.NewRecorder()
		h.http.Config.Handler.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Fatalf("%s gave %d: %s", u, w.Code, w.Body)
		}
		if w.Code >= 400 {
			var p struct{ Code int }
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Code == 0 {
				t.Fatalf("%s gave %d and no problem: %s", u, w.Code, w.Body)
			}
		}
	})
}

// FuzzBodies sends any body to what takes one.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{`{}`, `{"content":"x"}`, `{"action":"cancel"}`, `{"title":"x","auto_approve":["read"]}`, `[`, "\x00", `{"action":{"a":1}}`} {
		f.Add(0, seed, "key")
		f.Add(1, seed, "")
		f.Add(2, seed, "\x00")
	}
	h := build(f, plan{auth: auth.Config{Mode: auth.ModeNone}, door: rest.Options{WritesPerMinute: -1}})
	h.create("a")
	f.Fuzz(func(t *testing.T, which int, body, key string) {
		calls := []struct{ method, path string }{
			{http.MethodPost, "/api/v1/sessions/a/control"}, {http.MethodPatch, "/api/v1/sessions/a"}, {http.MethodPost, "/api/v1/sessions/b/messages"},
		}
		c := calls[((which%len(calls))+len(calls))%len(calls)]
		r := httptest.NewRequest(c.method, "http://127.0.0.1"+c.path, strings.NewReader(body))
		r.Header["Idempotency-Key"] = []string{key}
		w := httptest.NewRecorder()
		h.http.Config.Handler.ServeHTTP(w, r)
		if w.Code >= 500 || w.Code < 200 || w.Code == 404 && c.path != calls[2].path {
			t.Fatalf("%s %s with %q gave %d: %s", c.method, c.path, body, w.Code, w.Body)
		}
	})
}

package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func get(t *testing.T, path string, header ...string) *http.Response {
	t.Helper()
	mux := http.NewServeMux()
	Mount(mux)
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestPageAtEveryPlace(t *testing.T) {
	for _, path := range []string{"/", "/s/sess_1", "/settings"} {
		r := get(t, path)
		if r.StatusCode != http.StatusOK || !strings.Contains(body(t, r.Body), `<div id="root">`) {
			t.Errorf("%s: %s", path, r.Status)
		}
		csp := r.Header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "script-src 'self';") || strings.Contains(csp, "unsafe-eval") {
			t.Errorf("%s: policy %q", path, csp)
		}
	}
	if r := get(t, "/assets/nothing.js"); r.StatusCode != http.StatusNotFound {
		t.Errorf("a file that is not there: %s", r.Status)
	}
}

// Everything that the page names is a file of the program.
func TestPageNamesOnlyItsOwnFiles(t *testing.T) {
	page := body(t, get(t, "/").Body)
	names := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(names) < 3 {
		t.Fatalf("only %d files are named in\n%s", len(names), page)
	}
	for _, m := range names {
		if r := get(t, m[1]); r.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", m[1], r.Status)
		}
	}
	if regexp.MustCompile(`<script(?: type="module")?>`).MatchString(page) {
		t.Error("a script stands in the page itself")
	}
}

func TestCompressedAndNotSentTwice(t *testing.T) {
	r := get(t, "/assets/index.js", "Accept-Encoding", "gzip")
	if r.Header.Get("Content-Encoding") != "gzip" || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/javascript") {
		t.Fatalf("headers %v", r.Header)
	}
	z, err := gzip.NewReader(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if body(t, z) != body(t, get(t, "/assets/index.js").Body) {
		t.Error("the compressed file is another one")
	}
	again := get(t, "/assets/index.js", "Accept-Encoding", "gzip", "If-None-Match", r.Header.Get("ETag"))
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("asked again: %s", again.Status)
	}
}

// What a browser loads before it can show anything: 300 KB at most.
func TestFirstLoadIsSmall(t *testing.T) {
	page := body(t, get(t, "/").Body)
	total := len(page)
	for _, m := range regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`).FindAllStringSubmatch(page, -1) {
		total += len(body(t, get(t, m[1], "Accept-Encoding", "gzip").Body))
	}
	if total > 300_000 {
		t.Errorf("%d bytes", total)
	}
	t.Logf("%d bytes", total)
}

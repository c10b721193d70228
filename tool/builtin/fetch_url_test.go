package builtin_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/builtin"
	"github.com/parley-dev/parley/tool/tooltest"
)

// home fetches from the one address that servers of tests have, as if it were
// public, and from nowhere else on this machine.
var home = builtin.FetchURL{Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

func TestFetchURLConforms(t *testing.T) {
	tooltest.Run(t, func(t *testing.T) tooltest.Subject {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
		return tooltest.Subject{
			Tool:     home,
			Anywhere: true,
			Good:     fmt.Sprintf(`{"url":%q,"raw":false,"offset":0}`, url),
			Bad:      []string{`{"url":"file:///etc/passwd"}`, `{"url":"ftp://example.com/"}`, `{"url":"example.com"}`, `{"url":"http://"}`, `{"url":"http://[::1"}`},
		}
	})
}

func fetch(t *testing.T, f builtin.FetchURL, url string, pairs ...any) (tool.Result, error) {
	t.Helper()
	return f.Run(t.Context(), tool.Call{Input: input(t, append(pairs, "url", url)...)})
}

func TestFetchURLKinds(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	const page = `<html><head><title>T</title><style>x</style></head><body><h1>Head</h1><script>alert(1)</script>
<p>Some <b>bold</b> <a href="/there">link</a></p><ul><li>one</li><li>two</li></ul><pre><code>a
  b</code></pre><table><tr><th>x</th><th>y</th></tr><tr><td>1</td><td>2</td></tr></table></body></html>`
	answers := map[string]struct{ kind, body string }{
		"/html":   {"text/html; charset=utf-8", page},
		"/korean": {"text/html; charset=euc-kr", "<p>\xc7\xd1\xb1\xdb</p>"},
		"/json":   {"application/json", `{"a":1}`},
		"/plain":  {"text/plain", "caf\xc3\xa9"},
		"/png":    {"application/octet-stream", picture.String()},
		"/zip":    {"application/zip", "PK\x03\x04\x00\x00"},
		"/nested": {"text/html", strings.Repeat("<div>", 200_000) + "deep"},
	}
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		a, ok := answers[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", a.kind)
		fmt.Fprint(w, a.body)
	})
	for path, want := range map[string]string{
		"/html": "# Head\n\nSome **bold** [link](" + url + "/there)\n\n- one\n- two\n\n```\na\n  b\n```\n\n| x | y |\n|---|---|\n| 1 | 2 |\n" +
			"[" + url + "/html, status 200, text/html]\n",
		"/korean":  "한글\n[" + url + "/korean, status 200, text/html]\n",
		"/json":    `{"a":1}` + "\n[" + url + "/json, status 200, application/json]\n",
		"/plain":   "café\n[" + url + "/plain, status 200, text/plain]\n",
		"/zip":     "[" + url + "/zip, status 200, application/zip; 6 bytes that are not text, not shown]\n",
		"/missing": "404 page not found\n[" + url + "/missing, status 404, text/plain]\n",
	} {
		r, err := fetch(t, home, url+path)
		if err != nil || r.Text != want || r.IsError != (path == "/missing") {
			t.Errorf("%s: %v\ngot  %q\nwant %q", path, err, r.Text, want)
		}
	}
	if r, err := fetch(t, home, url+"/png"); err != nil || len(r.Images) != 1 || r.Images[0].MediaType != "image/png" {
		t.Errorf("a picture: %v, %d images; %s", err, len(r.Images), r.Text)
	}
	if r, err := fetch(t, home, url+"/html", "raw", true); err != nil || !strings.HasPrefix(r.Text, page) {
		t.Errorf("raw: %v, %s", err, r.Text)
	}
	if r, err := fetch(t, home, url+"/nested"); err != nil || len(r.Text) > 66<<10 {
		t.Errorf("nested: %v, %d bytes", err, len(r.Text))
	}
}

func TestFetchURLGoesOn(t *testing.T) {
	body := strings.Repeat("가나다라", 10_000) // 120,000 bytes
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprint(w, body)
	})
	var got strings.Builder
	for offset := 0; offset < len(body); {
		r, err := fetch(t, home, url, "offset", offset)
		if err != nil {
			t.Fatal(err)
		}
		part, note, _ := strings.Cut(r.Text, "\n")
		if left := len(body) - offset - len(part); left > 0 && !strings.Contains(note, fmt.Sprintf("%d bytes are left; go on with offset %d", left, offset+len(part))) {
			t.Fatalf("note %q", note)
		}
		got.WriteString(part)
		offset += len(part)
	}
	if got.String() != body {
		t.Error("the parts do not join")
	}
}

func TestFetchURLReadsSoMuch(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		chunk := bytes.Repeat([]byte("x"), 1<<20)
		for r.Context().Err() == nil { // without end
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	r, err := fetch(t, home, url)
	if err != nil || !strings.Contains(r.Text, "only the first 10485760 bytes were read") || len(r.Text) > 66<<10 {
		t.Errorf("%v, %d bytes", err, len(r.Text))
	}
}

// Nothing leads to a private address: no number, no name, no redirect.
func TestFetchURLStaysPublic(t *testing.T) {
	var visited atomic.Int64
	inside := serve(t, func(http.ResponseWriter, *http.Request) { visited.Add(1) })
	_, port, err := net.SplitHostPort(strings.TrimPrefix(inside, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "127.1", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f000001", "[::]", "169.254.169.254", "10.0.0.1", "192.168.1.1", "[fe80::1]", "[fd00::1]", "[64:ff9b::7f00:1]", "100.64.0.1"} {
		r, err := fetch(t, builtin.FetchURL{}, "http://"+host+":"+port+"/")
		if err == nil || r.Text != "" {
			t.Errorf("%s was fetched: %s", host, r.Text)
		}
	}
	if visited.Load() > 0 {
		t.Errorf("the server was visited %d times", visited.Load())
	}
	if _, err := fetch(t, home, "http://localhost:"+port+"/"); err != nil && !strings.Contains(err.Error(), "::1") {
		t.Errorf("an address that is allowed: %v", err)
	}
	for _, to := range []string{"http://127.0.0.2:" + port + "/", "http://169.254.169.254/latest/meta-data", "file:///etc/passwd", "http://me:secret@127.0.0.1:" + port + "/"} {
		public := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) })
		r, err := fetch(t, home, public)
		if tool.CodeOf(err) != tool.CodeUnavailable || r.Text != "" || strings.Contains(err.Error(), "secret") {
			t.Errorf("redirected to %s: %q, %v", to, r.Text, err)
		}
	}
}

func TestFetchURLRedirects(t *testing.T) {
	var hops atomic.Int64
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/few" && hops.Add(1) > 3 {
			fmt.Fprint(w, "there")
			return
		}
		http.Redirect(w, r, r.URL.Path, http.StatusFound)
	})
	if r, err := fetch(t, home, url+"/few"); err != nil || !strings.HasPrefix(r.Text, "there\n") {
		t.Errorf("three redirects: %v, %s", err, r.Text)
	}
	if _, err := fetch(t, home, url+"/loop"); tool.CodeOf(err) != tool.CodeUnavailable || !strings.Contains(err.Error(), "more than 5 times") {
		t.Errorf("a loop: %v", err)
	}
}

func TestFetchURLDomains(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "ok") })
	only := builtin.FetchURL{Domains: []string{"127.0.0.1", "*.Example.com"}, Private: home.Private}
	if _, err := fetch(t, only, url); err != nil {
		t.Errorf("a domain of the list: %v", err)
	}
	for _, other := range []string{"http://example.com/", "http://evil-example.com/", "http://a.example.com.evil.test/", "http://localhost/"} {
		if _, err := fetch(t, only, other); tool.CodeOf(err) != tool.CodeUnavailable || !strings.Contains(err.Error(), "fetches only from") {
			t.Errorf("%s: %v", other, err)
		}
	}
	away := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://other.test/", http.StatusFound)
	})
	if _, err := fetch(t, only, away); tool.CodeOf(err) != tool.CodeUnavailable {
		t.Errorf("redirected off the list: %v", err)
	}
}

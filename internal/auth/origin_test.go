package auth

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/parley-dev/parley/protocol"
)

func browserRequest(host, origin, site string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "http://ignored/ws/s", nil)
	r.Host = host
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	if site != "" {
		r.Header.Set("Sec-Fetch-Site", site)
	}
	return r
}

func TestCheckOrigin(t *testing.T) {
	allowed := []string{"https://app.example.com", "tauri://localhost"}
	for _, tt := range []struct {
		name, host, origin, site string
		ok                       bool
	}{
		{"no browser", "127.0.0.1:7717", "", "", true},
		{"address typed in", "127.0.0.1:7717", "", "none", true},
		{"own page, no origin sent", "127.0.0.1:7717", "", "same-origin", true},
		{"image on a page of another site", "127.0.0.1:7717", "", "cross-site", false},
		{"image on a page of another port", "127.0.0.1:7717", "", "same-site", false},

		{"own page", "127.0.0.1:7717", "http://127.0.0.1:7717", "same-origin", true},
		{"own page, old browser", "127.0.0.1:7717", "http://127.0.0.1:7717", "", true},
		{"case of the host", "LOCALHOST:7717", "http://localhost:7717", "", true},
		{"localhost to 127.0.0.1", "127.0.0.1:7717", "http://localhost:7717", "cross-site", true},
		{"127.0.0.1 to localhost", "localhost:7717", "http://127.0.0.1:7717", "cross-site", true},
		{"::1 to localhost", "localhost:7717", "http://[::1]:7717", "cross-site", true},
		{"mapped loopback", "[::ffff:127.0.0.1]:7717", "http://127.0.0.1:7717", "", true},
		{"another port of this machine", "127.0.0.1:7717", "http://localhost:3000", "same-site", false},
		{"same host, other port", "127.0.0.1:7717", "http://127.0.0.1:3000", "same-site", false},

		{"default port, https", "parley.example.com", "https://parley.example.com", "same-origin", true},
		{"default port written out", "parley.example.com:443", "https://parley.example.com", "same-origin", true},
		{"default port of the other scheme", "parley.example.com:80", "https://parley.example.com", "", false},
		{"plain page against the secure server", "parley.example.com", "http://parley.example.com", "cross-site", false},

		{"another site", "127.0.0.1:7717", "https://evil.example", "cross-site", false},
		{"another site, old browser", "127.0.0.1:7717", "https://evil.example", "", false},
		{"another site that claims to be same-origin", "127.0.0.1:7717", "https://evil.example", "same-origin", false},
		{"suffix of our name", "example.com", "https://notexample.com", "", false},
		{"our name as a prefix", "127.0.0.1:7717", "http://127.0.0.1:7717.evil.example", "", false},
		{"our name as a user", "127.0.0.1:7717", "http://127.0.0.1:7717@evil.example", "", false},
		{"our name as localhost's prefix", "localhost:7717", "http://localhost.evil.example:7717", "", false},
		{"a user before our name", "127.0.0.1:7717", "http://evil@127.0.0.1:7717", "", false},
		{"path", "127.0.0.1:7717", "http://127.0.0.1:7717/", "", false},
		{"sandboxed frame or file", "127.0.0.1:7717", "null", "", false},
		{"nonsense", "127.0.0.1:7717", "::::", "", false},
		{"other scheme", "127.0.0.1:7717", "ftp://127.0.0.1:7717", "", false},
		{"broken host", "127.0.0.1:77 17", "http://127.0.0.1:7717", "", false},

		{"allowed", "parley.internal:7717", "https://app.example.com", "cross-site", true},
		{"allowed scheme of an app", "127.0.0.1:7717", "tauri://localhost", "", true},
		{"allowed, but plain", "parley.internal:7717", "http://app.example.com", "", false},
		{"allowed, but another port", "parley.internal:7717", "https://app.example.com:8443", "", false},
		{"below an allowed one", "parley.internal:7717", "https://x.app.example.com", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := CheckOrigin(browserRequest(tt.host, tt.origin, tt.site), allowed)
			if tt.ok != (err == nil) {
				t.Fatalf("got %v", err)
			}
			if err != nil {
				wantCode(t, err, protocol.CodeForbidden)
			}
		})
	}
}

func TestOriginTwice(t *testing.T) {
	r := browserRequest("127.0.0.1:7717", "http://127.0.0.1:7717", "")
	r.Header.Add("Origin", "http://127.0.0.1:7717")
	wantCode(t, CheckOrigin(r, nil), protocol.CodeForbidden)
}

func TestFollowingALinkIsAllowed(t *testing.T) {
	r := browserRequest("127.0.0.1:7717", "", "cross-site")
	r.Header.Set("Sec-Fetch-Mode", "navigate")
	r.Header.Set("Sec-Fetch-Dest", "document")
	if err := CheckOrigin(r, nil); err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Dest", "iframe")
	wantCode(t, CheckOrigin(r, nil), protocol.CodeForbidden)
	r.Header.Set("Sec-Fetch-Dest", "document")
	r.Method = http.MethodPost
	wantCode(t, CheckOrigin(r, nil), protocol.CodeForbidden)
}

func TestCheckHost(t *testing.T) {
	listen := &net.TCPAddr{IP: net.IPv4(192, 168, 1, 5), Port: 7717}
	for host, ok := range map[string]bool{
		"localhost:7717":         true,
		"LOCALHOST":              true,
		"127.0.0.1:7717":         true,
		"127.8.9.1:7717":         true,
		"[::1]:7717":             true,
		"localhost:9999":         true, // a forwarded port
		"192.168.1.5:7717":       true, // what was connected to
		"dev.example.com":        true, // of an allowed origin
		"dev.example.com:443":    true,
		"dev.example.com:444":    false,
		"192.168.1.5:80":         false,
		"192.168.1.6:7717":       false,
		"evil.example:7717":      false, // rebound to 127.0.0.1
		"localhost.evil.example": false,
		"127.0.0.1.evil.example": false,
		"127.0.0.1@evil.example": false,
		"localhost/":             false,
		"":                       false,
	} {
		r := browserRequest(host, "", "")
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, listen))
		err := CheckHost(r, []string{"https://dev.example.com"})
		if ok != (err == nil) {
			t.Errorf("%q: %v", host, err)
		}
	}
}

// With DNS rebinding the page's origin and the Host header agree.
func TestRebindingIsRefusedWithoutAccounts(t *testing.T) {
	r := browserRequest("evil.example:7717", "http://evil.example:7717", "same-origin")
	for _, mode := range []string{ModeLocal, ModeNone} {
		a, err := Open(Config{Mode: mode, DataDir: t.TempDir(), Log: quiet()})
		if err != nil {
			t.Fatal(err)
		}
		wantCode(t, a.CheckRequest(r), protocol.CodeForbidden)
		if err := a.CheckRequest(browserRequest("localhost:7717", "http://localhost:7717", "")); err != nil {
			t.Fatal(err)
		}
	}
	accounts := openFile(t, newClock(), hmacFile+"origins: https://app.example.com\n")
	if err := accounts.CheckRequest(r); err != nil {
		t.Fatalf("with accounts any name may lead here: %v", err)
	}
	if err := accounts.CheckRequest(browserRequest("parley.example.com", "https://app.example.com", "same-site")); err != nil {
		t.Fatalf("the file's origins count: %v", err)
	}
	wantCode(t, accounts.CheckRequest(browserRequest("parley.example.com", "https://evil.example", "")), protocol.CodeForbidden)
}

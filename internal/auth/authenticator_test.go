package auth

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/parley-dev/parley/internal/secret"
	"github.com/parley-dev/parley/protocol"
)

func TestFromRequest(t *testing.T) {
	request := func(query string, headers ...string) *http.Request {
		r := httptest.NewRequest(http.MethodGet, "/ws/s"+query, nil)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Add(headers[i], headers[i+1])
		}
		return r
	}
	for _, tt := range []struct {
		name       string
		r          *http.Request
		token, key string
		code       protocol.Code // of check
	}{
		{name: "nothing", r: request(""), code: protocol.CodeAuthRequired},
		{name: "bearer", r: request("", "Authorization", "Bearer t"), token: "t"},
		{name: "bearer, other case, spaces", r: request("", "Authorization", " bEARER   t "), token: "t"},
		{name: "key", r: request("", "X-API-Key", "k"), key: "k"},
		{name: "query", r: request("?client_id=a&token=t"), token: "t"},
		{name: "the same twice", r: request("?token=t", "Authorization", "Bearer t"), token: "t"},
		{name: "the same as token and key", r: request("", "Authorization", "Bearer t", "X-API-Key", "t"), token: "t", key: "t"},
		{name: "empty bearer", r: request("", "Authorization", "Bearer "), code: protocol.CodeAuthRequired},
		{name: "empty query", r: request("?token="), code: protocol.CodeAuthRequired},
		{name: "a proxy's own scheme", r: request("?token=t", "Authorization", "Basic eDp5"), token: "t"},
		{name: "only a proxy's scheme", r: request("", "Authorization", "Basic eDp5"), code: protocol.CodeAuthRequired},
		{name: "bearer and query differ", r: request("?token=a", "Authorization", "Bearer b"), code: protocol.CodeAuthFailed},
		{name: "bearer and key differ", r: request("", "X-API-Key", "a", "Authorization", "Bearer b"), code: protocol.CodeAuthFailed},
		{name: "two bearers", r: request("", "Authorization", "Bearer a", "Authorization", "Bearer b"), code: protocol.CodeAuthFailed},
		{name: "two in the query", r: request("?token=a&token=b"), code: protocol.CodeAuthFailed},
		{name: "two keys", r: request("", "X-API-Key", "a", "X-API-Key", "b"), code: protocol.CodeAuthFailed},
		{name: "too long", r: request("", "X-API-Key", strings.Repeat("a", maxCredential+1)), key: strings.Repeat("a", maxCredential+1), code: protocol.CodeAuthFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := FromRequest(tt.r)
			if c.Token.Reveal() != tt.token || c.APIKey.Reveal() != tt.key {
				t.Errorf("got token %q, key %q", c.Token.Reveal(), c.APIKey.Reveal())
			}
			if tt.code == 0 {
				if err := c.check(); err != nil {
					t.Error(err)
				}
			} else {
				wantCode(t, c.check(), tt.code)
			}
			if c.Empty() != (tt.code == protocol.CodeAuthRequired) {
				t.Errorf("Empty is %v", c.Empty())
			}
			if c.Remote != tt.r.RemoteAddr {
				t.Errorf("remote is %q", c.Remote)
			}
		})
	}
}

func TestLocalMode(t *testing.T) {
	dir := t.TempDir()
	open := func() *Authenticator {
		t.Helper()
		a, err := Open(Config{Mode: ModeLocal, DataDir: dir, Log: quiet()})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := open()
	info, err := os.Stat(filepath.Join(dir, "token"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	token := a.Token().Reveal()
	if len(token) < 32 || open().Token().Reveal() != token {
		t.Fatal("the token is long and stays the same over restarts")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".token-*")); len(left) > 0 {
		t.Fatalf("left behind: %v", left)
	}
	id, err := identify(a, token)
	if err != nil || id.User != LocalUser || id.Role != RoleAdmin || id.Method != MethodLocal {
		t.Fatalf("%+v, %v", id, err)
	}
	for _, r := range Rules() {
		if err := Allow(id, r.Action, "anyone", "s"); err != nil {
			t.Errorf("the local user may %s: %v", r.Action, err)
		}
	}
	for _, wrong := range []string{token + "x", token[:len(token)-1], strings.ToUpper(token), "x"} {
		_, err := identify(a, wrong)
		wantCode(t, err, protocol.CodeAuthFailed)
		noLeak(t, err.Error(), token, wrong)
	}
	_, err = identify(a, "")
	wantCode(t, err, protocol.CodeAuthRequired)
	if a.Limits() != LocalLimits() || !a.Required() || a.Accounts() {
		t.Fatal("local mode has one user, a token and its own limits")
	}
}

func TestLocalTokenFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "token")
	own := strings.Repeat("My-own_token", 4)
	writeFile(t, path, own+"\n")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	log := &logBuffer{}
	got, err := LocalToken(dir, log.logger())
	if err != nil || got.Reveal() != own {
		t.Fatalf("%q, %v", got.Reveal(), err)
	}
	info, _ := os.Stat(path)
	if info.Mode().Perm() != 0o600 || !strings.Contains(log.String(), "others could read") {
		t.Fatalf("an open token file is closed, with a warning: %v, %s", info.Mode(), log)
	}
	noLeak(t, log.String(), own)
	for _, bad := range []string{"", "short", strings.Repeat("a b", 20), strings.Repeat("é", 40)} {
		writeFile(t, path, bad)
		_, err := LocalToken(dir, quiet())
		if err == nil || !strings.Contains(err.Error(), "delete it") {
			t.Errorf("%q: got %v", bad, err)
		}
	}
	if _, err := LocalToken(filepath.Join(dir, "absent"), quiet()); err == nil {
		t.Error("a data folder that is not there is an error")
	}
}

func TestNoneMode(t *testing.T) {
	a, err := Open(Config{Mode: ModeNone})
	if err != nil {
		t.Fatal(err)
	}
	id, err := identify(a, "anything")
	if err != nil || id.User != LocalUser || id.Role != RoleAdmin || id.Method != MethodNone || a.Required() {
		t.Fatalf("%+v, %v", id, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]Config{
		"no mode":     {},
		"absent file": {Mode: filepath.Join(t.TempDir(), "absent.yaml")},
		"bad origin":  {Mode: ModeNone, Origins: []string{"*"}},
	} {
		if _, err := Open(c); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	a, err := Open(Config{Mode: ModeNone, Limits: &Limits{Connects: 3}})
	if err != nil || a.Limits() != (Limits{Connects: 3}) {
		t.Fatalf("given limits replace the mode's: %v, %v", a.Limits(), err)
	}
}

func TestGuessingIsLimited(t *testing.T) {
	c := newClock()
	a := openFile(t, c, hmacFile)
	good, ctx := hmacToken(t, alice(c, nil)), context.Background()
	try := func(token, remote string) error {
		_, err := a.Authenticate(ctx, Credentials{Token: secret.New(token), Remote: remote})
		return err
	}
	for range 20 {
		wantCode(t, try("wrong", "192.0.2.1:5000"), protocol.CodeAuthFailed)
	}
	wantCode(t, try("wrong", "192.0.2.1:5001"), protocol.CodeRateLimited)
	wantCode(t, try(good, "192.0.2.1:5002"), protocol.CodeRateLimited)
	if err := try(good, "192.0.2.2:5000"); err != nil {
		t.Fatalf("another address: %v", err)
	}
	if _, err := a.Renew(ctx, Credentials{Token: secret.New(good), Remote: "192.0.2.1:5000"}); err != nil {
		t.Fatalf("who is in stays in: %v", err)
	}
	err := try(good, "192.0.2.1:5003")
	c.Add(retryAfter(t, err))
	if err := try(good, "192.0.2.1:5004"); err != nil {
		t.Fatalf("after the wait: %v", err)
	}
	// Neither nothing nor an expired token is a guess.
	old := hmacToken(t, jwt.MapClaims{"sub": "a", "exp": c.Now().Add(-time.Hour).Unix()})
	for range 40 {
		wantCode(t, try("", "192.0.2.9:1"), protocol.CodeAuthRequired)
		wantCode(t, try(old, "192.0.2.9:1"), protocol.CodeTokenExpired)
	}
}

func TestRemoteKey(t *testing.T) {
	a := openFile(t, newClock(), hmacFile+"trusted_proxies: [10.0.0.0/8, \"fd00::1\"]\n")
	for _, tt := range []struct {
		remote    string
		forwarded []string
		want      string
	}{
		{"192.0.2.1:5000", nil, "192.0.2.1"},
		{"[::ffff:192.0.2.1]:5000", nil, "192.0.2.1"},
		{"[2001:db8::1]:5000", nil, "2001:db8::/64"},
		{"[2001:db8::ffff:1]:5000", nil, "2001:db8::/64"},
		{"192.0.2.1:5000", []string{"198.51.100.7"}, "192.0.2.1"}, // not a proxy of ours
		{"10.0.0.7:5000", []string{"198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.7:5000", []string{"1.1.1.1, 198.51.100.7"}, "198.51.100.7"}, // the first was written by the caller
		{"10.0.0.7:5000", []string{"198.51.100.7, 10.0.0.8"}, "198.51.100.7"},
		{"10.0.0.7:5000", []string{"198.51.100.7", "10.0.0.8"}, "198.51.100.7"},
		{"[fd00::1]:5000", []string{"198.51.100.7:443"}, "198.51.100.7"},
		{"10.0.0.7:5000", nil, "10.0.0.7"},
		{"10.0.0.7:5000", []string{"nonsense"}, "10.0.0.7"},
		{"@", nil, ""},
		{"", nil, ""},
	} {
		c := Credentials{Remote: tt.remote, forwarded: tt.forwarded}
		if got := c.remoteKey(a.proxies()); got != tt.want {
			t.Errorf("%s via %q: got %q, want %q", tt.remote, tt.forwarded, got, tt.want)
		}
	}
}

package auth

import (
	"context"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-dev/parley/protocol"
)

// Whatever a request brings: no panic, an answer of ours, nobody gets in but
// with the one token there is, and no answer quotes what was sent.
func FuzzCredentials(f *testing.F) {
	c := newClock()
	good := hmacToken(f, alice(c, nil))
	key, text := newKey(f, KeyEntry{ID: "k", User: "alice"})
	a := openFile(f, c, hmacFile+"api_keys:\n"+text+"limits: {failures_per_minute: 0}\n")
	f.Add("Bearer "+good, "", "", "192.0.2.1:1", "")
	f.Add("", key, "token=x", "[::1]:1", "1.1.1.1, 2.2.2.2")
	f.Add("bearer  a.b.c", "pk_", "token=pk_k_"+strings.Repeat("a", 52), "@", ",")
	f.Add("Basic x", "", "token="+url.QueryEscape(good)+"&token=%zz", "", "")
	f.Add("Bearer eyJhbGciOiJub25lIn0.e30.", "", "token=", "", "")
	f.Fuzz(func(t *testing.T, authorization, apiKey, query, remote, forwarded string) {
		r := &http.Request{URL: &url.URL{RawQuery: query}, RemoteAddr: remote, Header: http.Header{
			"Authorization": {authorization}, "X-Api-Key": {apiKey}, "X-Forwarded-For": {forwarded},
		}}
		creds := FromRequest(r)
		id, err := a.Authenticate(context.Background(), creds)
		if err == nil {
			shown := creds.Token.Reveal() + creds.APIKey.Reveal()
			if id.User != "alice" || !strings.Contains(shown, good) && !strings.Contains(shown, key) {
				t.Fatalf("%q got in as %+v", shown, id)
			}
			return
		}
		switch e := protocol.AsError(err); e.Code {
		case protocol.CodeAuthRequired, protocol.CodeAuthFailed, protocol.CodeTokenExpired:
		default:
			t.Fatalf("got %v", err)
		}
		if shown := creds.Token.Reveal(); len(shown) > 40 && strings.Contains(err.Error(), shown) {
			t.Fatalf("%v quotes the token", err)
		}
	})
}

// Whatever an auth file holds: it is valid, or every message has its line.
func FuzzFile(f *testing.F) {
	_, text := newKey(f, KeyEntry{ID: "k", User: "alice"})
	f.Add(hmacFile)
	f.Add("api_keys:\n" + text + "grants: [{user: a, role: viewer, owner: b}]\nlimits: {connects_per_minute: 1}\n")
	f.Add("jwt:\n  algorithms: [RS256]\n  jwks_url: https://x/y\n  audience: z\n  roles: {a: admin}\norigins: [https://a]\ntrusted_proxies: [10.0.0.1]\n")
	f.Add("a: &a [*a]\n")
	f.Add("jwt: {algorithms: {}, secret: [], roles: [], leeway: 9}\napi_keys: {}\n")
	f.Add("!!binary x: y\n<<: {}\n? [a]\n: b\n")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		// Files that the text names must not be read from the machine at large.
		if strings.Contains(text, "file") || strings.Contains(text, "env") {
			return
		}
		file := &file{path: filepath.Join(dir, "auth.yaml"), keys: apiKeys{}, grants: map[string]Grants{}, limits: AccountLimits()}
		err := file.parse([]byte(text), newClock().Now, quiet())
		if err == nil {
			if file.tokens == nil && len(file.keys) == 0 {
				t.Fatal("a file nobody can sign in with was accepted")
			}
			return
		}
		for _, line := range strings.Split(err.Error(), "\n") {
			if !strings.Contains(line, "auth.yaml:") {
				t.Fatalf("a message without its line: %q", line)
			}
		}
	})
}

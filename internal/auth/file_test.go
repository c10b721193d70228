package auth

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/parley-dev/parley/protocol"
)

const goodHash = "sha256:0000000000000000000000000000000000000000000000000000000000000000"

// Each file has a mistake; the message must name the line and the cure.
func TestFileMistakes(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "empty.pem"), "")
	writeFile(t, filepath.Join(dir, "rsa.pem"), publicPEM(t, rsaKey().Public()))
	private := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(rsaKey())})
	writeFile(t, filepath.Join(dir, "private.pem"), string(private))
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "small.pem"), publicPEM(t, small.Public()))
	writeFile(t, filepath.Join(dir, "ec.json"), jwksOf(map[string]any{"kty": "EC"}))
	secret := "  secret: " + testSecret + "\n"
	for name, tt := range map[string]struct {
		text string
		want []string // pieces of the message, in order
	}{
		"empty":            {"", []string{":1: the file is empty"}},
		"only a comment":   {"# nothing\n", []string{":1: the file is empty"}},
		"not YAML":         {"jwt:\n  a: [\n", []string{"this is not YAML"}},
		"a list":           {"- jwt\n", []string{":1: the auth file must be a mapping"}},
		"two documents":    {"api_keys: []\n---\nx: 1\n", []string{"more than one document"}},
		"nobody":           {"limits: {connects_per_minute: 5}\n", []string{":1: nobody could sign in"}},
		"unknown key":      {"api_keys: []\n\njwtt: {}\n", []string{`:3: the auth file has no key "jwtt"; it may hold api_keys, grants, jwt`}},
		"unknown key, jwt": {"jwt:\n  algorithms: HS256\n" + secret + "  audiance: x\n", []string{`:4: jwt has no key "audiance"`, "audience"}},
		"key twice":        {hmacFile + "  secret: " + testSecret + "\n", []string{`:4: jwt has "secret" twice`}},
		"alias":            {"x: &a b\njwt: *a\n", []string{`:1: the auth file has no key "x"`, ":2: YAML aliases"}},
		"star in a secret": {"jwt:\n  secret: *my-secret-value-of-many-letters\n", []string{"must stand in quotes"}},
		"null secret":      {"jwt:\n  algorithms: HS256\n  secret:\n", []string{":3: jwt.secret must be a text"}},

		"no algorithms":      {"jwt:\n" + secret, []string{":2: jwt.algorithms is needed"}},
		"algorithm none":     {"jwt:\n  algorithms: [none]\n", []string{`:2: jwt.algorithms: "none" is not one of`}},
		"algorithm HS512":    {"jwt:\n  algorithms: [HS512]\n", []string{`"HS512" is not one of`}},
		"no secret":          {"jwt:\n  algorithms: [HS256]\n", []string{":2: jwt.algorithms names HS256; add secret_env"}},
		"no key":             {"jwt:\n  algorithms: [RS256]\n", []string{"names RS256 and there is no such key"}},
		"key of another":     {"jwt:\n  algorithms: [EdDSA]\n  key_files: rsa.pem\n", []string{"names EdDSA and there is no such key"}},
		"secret left over":   {"jwt:\n  algorithms: [RS256]\n  key_files: rsa.pem\n" + secret, []string{":2: there is a secret but"}},
		"keys left over":     {hmacFile + "  key_files: rsa.pem\n", []string{":2: there are public keys but"}},
		"short secret":       {"jwt:\n  algorithms: HS256\n  secret: short\n", []string{":3: the jwt secret has 5 bytes and needs 32", "openssl rand"}},
		"PEM as secret":      {"jwt:\n  algorithms: HS256\n  secret_file: rsa.pem\n", []string{":3: the jwt secret is a PEM key"}},
		"two secrets":        {hmacFile + "  secret_env: X\n", []string{":4: jwt has more than one of secret"}},
		"unset variable":     {"jwt:\n  algorithms: HS256\n  secret_env: PARLEY_TEST_UNSET\n", []string{":3: jwt.secret_env", "PARLEY_TEST_UNSET is not set"}},
		"absent secret file": {"jwt:\n  algorithms: HS256\n  secret_file: absent\n", []string{":3: jwt.secret_file", "absent: no such file"}},
		"absent key file":    {"jwt:\n  algorithms: RS256\n  key_files: [rsa.pem, absent.pem]\n", []string{":3: jwt.key_files: absent.pem", "no such file"}},
		"empty key file":     {"jwt:\n  algorithms: RS256\n  key_files: empty.pem\n", []string{"no PEM block"}},
		"private key":        {"jwt:\n  algorithms: RS256\n  key_files: private.pem\n", []string{"private key", "-pubout"}},
		"small key":          {"jwt:\n  algorithms: RS256\n  key_files: small.pem\n", []string{"1024 bits is not accepted"}},
		"useless key set":    {"jwt:\n  algorithms: RS256\n  jwks_file: ec.json\n", []string{"no usable key", `"EC"`}},
		"plain key address":  {"jwt:\n  algorithms: RS256\n  jwks_url: http://id.example.com/keys\n  audience: a\n", []string{":3: jwt.jwks_url", "https://"}},
		"no host":            {"jwt:\n  algorithms: RS256\n  jwks_url: keys.json\n  audience: a\n", []string{":3: jwt.jwks_url: it has no host"}},
		"no audience":        {"jwt:\n  algorithms: RS256\n  jwks_url: https://id.example.com/keys\n", []string{":3: jwt.audience is needed"}},
		"two sources":        {"jwt:\n  algorithms: RS256\n  jwks_url: https://id.example.com/keys\n  key_files: rsa.pem\n", []string{":3: jwt has jwks_url beside"}},
		"leeway":             {hmacFile + "  leeway: 1h\n", []string{":4: jwt.leeway must be a duration such as 30s, from 0s to 5m0s"}},
		"admin for all":      {hmacFile + "  default_role: admin\n", []string{":4: jwt.default_role must be one of none, viewer, editor, owner"}},
		"role word":          {hmacFile + "  roles:\n    a: admn\n", []string{":5: a role in jwt.roles must be one of"}},

		"key in the clear": {"api_keys:\n  - id: a\n    user: u\n    hash: pk_a_secret\n", []string{":2: an API key needs hash: sha256:", "never the key itself"}},
		"key without id":   {"api_keys:\n  - user: u\n    hash: " + goodHash + "\n", []string{":2: an API key needs an id"}},
		"key without user": {"api_keys:\n  - id: a\n    hash: " + goodHash + "\n", []string{":2: an API key needs a user"}},
		"key id twice": {fmt.Sprintf("api_keys:\n  - {id: a, user: u, hash: '%s'}\n  - {id: a, user: u, hash: '%s'}\n", goodHash, goodHash),
			[]string{`:3: the API key id "a" is used twice`}},
		"key role":    {"api_keys:\n  - id: a\n    role: boss\n", []string{":3: role must be one of viewer, editor, owner, admin"}},
		"key expires": {"api_keys:\n  - id: a\n    expires: soon\n", []string{":3: expires must be a moment such as"}},
		"key revoked": {"api_keys:\n  - id: a\n    revoked: yes please\n", []string{":3: revoked must be true or false"}},
		"key a text":  {"api_keys: [pk_a_b]\n", []string{":1: an API key must be a mapping"}},

		"grant for nobody":   {hmacFile + "grants:\n  - {role: viewer, session: s}\n", []string{":5: a grant needs a user"}},
		"grant without role": {hmacFile + "grants:\n  - {user: u, session: s}\n", []string{":5: a grant needs a role"}},
		"grant of admin":     {hmacFile + "grants:\n  - {user: u, role: admin, session: s}\n", []string{":5: role must be one of viewer, editor, owner"}},
		"grant to nothing":   {hmacFile + "grants:\n  - {user: u, role: viewer}\n", []string{":5: a grant needs either session"}},
		"grant to both":      {hmacFile + "grants:\n  - {user: u, role: viewer, session: s, owner: o}\n", []string{":5: a grant needs either session"}},
		"grant to no id":     {hmacFile + "grants:\n  - {user: u, role: viewer, session: a/b}\n", []string{":5: the session of a grant is not a session id"}},

		"limits":  {hmacFile + "limits:\n  connects_per_minute: -1\n  messages_per_minute: lots\n", []string{":5: connects_per_minute must be", ":6: messages_per_minute must be"}},
		"origins": {hmacFile + "origins:\n  - '*'\n", []string{`:5: the origin "*" is not of the form`}},
		"proxies": {hmacFile + "trusted_proxies: [proxy.local]\n", []string{`:4: trusted_proxies: "proxy.local" is neither`}},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, filepath.Join(dir, "auth.yaml"), tt.text)
			_, err := Open(Config{Mode: path, Log: quiet()})
			if err == nil {
				t.Fatal("accepted")
			}
			rest := err.Error()
			noLeak(t, rest, testSecret, "my-secret-value-of-many-letters")
			for _, piece := range tt.want {
				_, after, ok := strings.Cut(rest, piece)
				if !ok {
					t.Fatalf("%q is not (or not in this order) in:\n%v", piece, err)
				}
				rest = after
			}
			if strings.Contains(err.Error(), "auth.Key") || strings.Contains(err.Error(), " yaml:") {
				t.Errorf("the message speaks of our insides: %v", err)
			}
		})
	}
}

func TestFileIsBounded(t *testing.T) {
	path := writeFile(t, filepath.Join(t.TempDir(), "auth.yaml"), hmacFile+"#"+strings.Repeat("x", maxFile))
	if _, err := Open(Config{Mode: path, Log: quiet()}); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Fatalf("got %v", err)
	}
}

func TestFileOptions(t *testing.T) {
	t.Setenv("PARLEY_TEST_SECRET", testSecret)
	c := newClock()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "secret"), testSecret+"\n")
	for name, source := range map[string]string{"environment": "secret_env: PARLEY_TEST_SECRET", "file": "secret_file: secret"} {
		path := writeFile(t, filepath.Join(dir, "auth.yaml"), "jwt:\n  algorithms: HS256\n  leeway: 0s\n  "+source+`
grants:
  - {user: alice, role: viewer, session: sess_1}
  - {user: alice, role: editor, session: sess_1}
  - {user: "*", role: viewer, owner: demo}
  - {user: bob, role: owner, owner: carol}
limits: {connects_per_minute: 5, answers_per_minute: 0}
`)
		a, err := Open(Config{Mode: path, Now: c.Now, Log: quiet()})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		id, err := identify(a, hmacToken(t, alice(c, jwt.MapClaims{"grants": []any{map[string]any{"owner": "demo", "role": "editor"}}})))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(id.Grants.Sessions) != 1 || id.Grants.Sessions["sess_1"] != RoleEditor || len(id.Grants.Owners) != 1 || id.Grants.Owners["demo"] != RoleEditor {
			t.Errorf("%s: grants are %+v", name, id.Grants)
		}
		if !id.Expires.Equal(c.Now().Add(time.Hour)) {
			t.Errorf("leeway 0s: expires %s", id.Expires)
		}
		if got, want := a.Limits(), (Limits{Connects: 5, Messages: 100, Answers: 0, Failures: 20}); got != want {
			t.Errorf("limits are %+v, want %+v", got, want)
		}
	}
}

func TestSecretsOthersCanReadAreWarnedOf(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "secret"), testSecret)
	_, key := newKey(t, KeyEntry{User: "a"})
	for _, tt := range []struct {
		text, open string
		warns      bool
	}{
		{hmacFile, "auth.yaml", true},
		{hmacFile, "secret", false},
		{"jwt:\n  algorithms: HS256\n  secret_file: secret\n", "secret", true},
		{"jwt:\n  algorithms: HS256\n  secret_file: secret\n", "auth.yaml", false},
		{"api_keys:\n" + key, "auth.yaml", false},
	} {
		path := writeFile(t, filepath.Join(dir, "auth.yaml"), tt.text)
		for _, name := range []string{"auth.yaml", "secret"} {
			mode := os.FileMode(0o600)
			if name == tt.open {
				mode = 0o644
			}
			if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
				t.Fatal(err)
			}
		}
		log := &logBuffer{}
		if _, err := Open(Config{Mode: path, Log: log.logger()}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(log.String(), "chmod 600"); got != tt.warns {
			t.Errorf("%s open to others: warned %v, want %v", tt.open, got, tt.warns)
		}
		noLeak(t, log.String(), testSecret)
	}
}

func TestReload(t *testing.T) {
	c := newClock()
	path := filepath.Join(t.TempDir(), "auth.yaml")
	key, text := newKey(t, KeyEntry{ID: "k", User: "ci"})
	changes := 0
	change := func(text string) {
		writeFile(t, path, text)
		changes++ // the file system's clock may be coarse
		if err := os.Chtimes(path, time.Time{}, c.Now().Add(time.Duration(changes)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	change("api_keys:\n" + text)
	log := &logBuffer{}
	a, err := Open(Config{Mode: path, Now: c.Now, Log: log.logger()})
	if err != nil {
		t.Fatal(err)
	}
	creds := withToken(key)
	if _, err := a.Authenticate(context.Background(), creds); err != nil {
		t.Fatal(err)
	}

	change("api_keys:\n" + text + "  revoked: true\n")
	if _, err := a.Authenticate(context.Background(), creds); err != nil {
		t.Fatalf("within a second the file is not looked at again: %v", err)
	}
	c.Add(recheckAfter)
	_, err = a.Renew(context.Background(), creds)
	wantCode(t, err, protocol.CodeAuthFailed)

	change("api_keys:\n" + text + "  revokd: false\n")
	for range 3 {
		c.Add(recheckAfter)
		_, err = a.Authenticate(context.Background(), creds)
		wantCode(t, err, protocol.CodeAuthFailed)
	}
	if n := strings.Count(log.String(), "is not used"); n != 1 || !strings.Contains(log.String(), "revokd") {
		t.Fatalf("a bad change is reported once, not %d times:\n%s", n, log)
	}

	change("api_keys:\n" + text + "grants: [{user: ci, role: viewer, session: s}]\n")
	c.Add(recheckAfter)
	id, err := a.Authenticate(context.Background(), creds)
	if err != nil || id.Grants.Sessions["s"] != RoleViewer {
		t.Fatalf("%+v, %v", id, err)
	}

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	c.Add(recheckAfter)
	if _, err := a.Authenticate(context.Background(), creds); err != nil {
		t.Fatalf("without a file the last one stays: %v", err)
	}
	noLeak(t, log.String(), key)
}

// A key file changes, the auth file does not.
func TestReloadOfKeyFiles(t *testing.T) {
	c := newClock()
	dir := t.TempDir()
	oldKey, newKey := edKey(t), edKey(t)
	keyPath := writeFile(t, filepath.Join(dir, "k.pem"), publicPEM(t, oldKey.Public()))
	path := writeFile(t, filepath.Join(dir, "auth.yaml"), "jwt:\n  algorithms: EdDSA\n  key_files: k.pem\n")
	a, err := Open(Config{Mode: path, Now: c.Now, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	token := sign(t, jwt.SigningMethodEdDSA, newKey, alice(c, nil), nil)
	_, err = identify(a, token)
	wantCode(t, err, protocol.CodeAuthFailed)
	writeFile(t, keyPath, publicPEM(t, newKey.Public()))
	if err := os.Chtimes(keyPath, time.Time{}, c.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	c.Add(recheckAfter)
	if _, err := identify(a, token); err != nil {
		t.Fatal(err)
	}
}

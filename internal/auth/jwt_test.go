package auth

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/parley-dev/parley/protocol"
)

// rsaKey is made once: it takes long.
var rsaKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func edKey(t testing.TB) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func publicPEM(t testing.TB, key any) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

// jwkOf writes a public key as providers do.
func jwkOf(kid string, key any) map[string]any {
	enc := base64.RawURLEncoding.EncodeToString
	switch k := key.(type) {
	case *rsa.PublicKey:
		return map[string]any{"kty": "RSA", "kid": kid, "use": "sig", "alg": "RS256", "n": enc(k.N.Bytes()), "e": enc(big.NewInt(int64(k.E)).Bytes())}
	case ed25519.PublicKey:
		return map[string]any{"kty": "OKP", "crv": "Ed25519", "kid": kid, "x": enc(k)}
	}
	panic("unknown key")
}

func jwksOf(keys ...map[string]any) string {
	text, err := json.Marshal(map[string]any{"keys": keys})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// openWithKeys takes tokens of every kind; more is what the file says beside.
func openWithKeys(t *testing.T, c *clock, dir string, ed ed25519.PrivateKey, more string) *Authenticator {
	t.Helper()
	writeFile(t, filepath.Join(dir, "rsa.pem"), publicPEM(t, rsaKey().Public()))
	writeFile(t, filepath.Join(dir, "keys.json"), jwksOf(jwkOf("ed-1", ed.Public())))
	path := writeFile(t, filepath.Join(dir, "auth.yaml"), `
jwt:
  algorithms: [HS256, RS256, EdDSA]
  secret: `+testSecret+`
  key_files: rsa.pem
  jwks_file: keys.json
`+more)
	a, err := Open(Config{Mode: path, Now: c.Now, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTokenIsAccepted(t *testing.T) {
	c := newClock()
	ed := edKey(t)
	a := openWithKeys(t, c, t.TempDir(), ed, "  issuer: https://id.example.com\n  audience: [parley, other]\n")
	claims := alice(c, jwt.MapClaims{
		"iss": "https://id.example.com", "aud": []string{"x", "parley"}, "role": "editor",
		"grants": []any{map[string]any{"role": "viewer", "session": "sess_1"}, map[string]any{"role": "editor", "owner": "bob"}},
	})
	want := Identity{
		User: "alice", Role: RoleEditor, Method: MethodJWT, Expires: c.Now().Add(time.Hour + 30*time.Second),
		Grants: Grants{Sessions: map[string]Role{"sess_1": RoleViewer}, Owners: map[string]Role{"bob": RoleEditor}},
	}
	for name, token := range map[string]string{
		"HS256":          sign(t, jwt.SigningMethodHS256, []byte(testSecret), claims, nil),
		"RS256":          sign(t, jwt.SigningMethodRS256, rsaKey(), claims, nil),
		"EdDSA":          sign(t, jwt.SigningMethodEdDSA, ed, claims, map[string]any{"kid": "ed-1"}),
		"EdDSA, no kid":  sign(t, jwt.SigningMethodEdDSA, ed, claims, nil),
		"RS256 with kid": sign(t, jwt.SigningMethodRS256, rsaKey(), claims, map[string]any{"kid": "anything"}),
	} {
		got, err := identify(a, token)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !got.Expires.Equal(want.Expires) {
			t.Errorf("%s: expires %s, want %s", name, got.Expires, want.Expires)
		}
		got.Expires = want.Expires
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

// Each token here must be refused with 2002, by a server that takes all three
// algorithms and would take the token without its flaw.
func TestTokenAttacks(t *testing.T) {
	c := newClock()
	ed := edKey(t)
	rsaPEM := publicPEM(t, rsaKey().Public())
	dir := t.TempDir()
	a := openWithKeys(t, c, dir, ed, "  issuer: me\n  audience: parley\nlimits: {failures_per_minute: 0}\n")
	good := func(more jwt.MapClaims) jwt.MapClaims {
		m := alice(c, jwt.MapClaims{"iss": "me", "aud": "parley"})
		for k, v := range more {
			m[k] = v
			if v == nil {
				delete(m, k)
			}
		}
		return m
	}
	hs := func(more jwt.MapClaims, header map[string]any) string {
		return sign(t, jwt.SigningMethodHS256, []byte(testSecret), good(more), header)
	}
	valid := hs(nil, nil)
	if _, err := identify(a, valid); err != nil {
		t.Fatalf("without a flaw it is accepted: %v", err)
	}
	parts := strings.Split(valid, ".")
	seg := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	none := func(alg string) string {
		return seg(`{"alg":"`+alg+`","typ":"JWT"}`) + "." + parts[1] + "."
	}
	der, err := x509.MarshalPKIXPublicKey(rsaKey().Public())
	if err != nil {
		t.Fatal(err)
	}
	stranger, otherEd := edKey(t), edKey(t)
	now := c.Now().Unix()
	attacks := map[string]string{
		"alg none":                    none("none"),
		"alg None":                    none("None"),
		"alg NONE with our signature": none("NONE") + parts[2],
		"alg empty":                   none(""),
		"alg missing":                 seg(`{}`) + "." + parts[1] + "." + parts[2],
		"alg a number":                seg(`{"alg":1}`) + "." + parts[1] + "." + parts[2],
		"alg not pinned, HS512":       sign(t, jwt.SigningMethodHS512, []byte(testSecret), good(nil), nil),
		"alg not pinned, PS256":       sign(t, jwt.SigningMethodPS256, rsaKey(), good(nil), nil),
		"confusion: PEM as secret":    sign(t, jwt.SigningMethodHS256, []byte(rsaPEM), good(nil), nil),
		"confusion: PEM, trimmed":     sign(t, jwt.SigningMethodHS256, []byte(strings.TrimSpace(rsaPEM)), good(nil), nil),
		"confusion: DER as secret":    sign(t, jwt.SigningMethodHS256, der, good(nil), nil),
		"confusion: Ed25519 key":      sign(t, jwt.SigningMethodHS256, []byte(ed.Public().(ed25519.PublicKey)), good(nil), map[string]any{"kid": "ed-1"}),
		"another secret":              sign(t, jwt.SigningMethodHS256, []byte(strings.Repeat("x", 40)), good(nil), nil),
		"empty secret":                sign(t, jwt.SigningMethodHS256, []byte{}, good(nil), nil),
		"another key":                 sign(t, jwt.SigningMethodEdDSA, stranger, good(nil), nil),
		"another key under our kid":   sign(t, jwt.SigningMethodEdDSA, stranger, good(nil), map[string]any{"kid": "ed-1"}),
		"our key under another kid":   sign(t, jwt.SigningMethodEdDSA, ed, good(nil), map[string]any{"kid": "ed-2"}),
		"key in the header":           sign(t, jwt.SigningMethodEdDSA, otherEd, good(nil), map[string]any{"jwk": jwkOf("ed-1", otherEd.Public())}),
		"key address in the header":   sign(t, jwt.SigningMethodEdDSA, otherEd, good(nil), map[string]any{"jku": "http://127.0.0.1:1/keys", "kid": "ed-1"}),
		"kid a path":                  sign(t, jwt.SigningMethodEdDSA, ed, good(nil), map[string]any{"kid": "../../../../dev/null"}),
		"kid a path, empty secret":    sign(t, jwt.SigningMethodHS256, []byte{}, good(nil), map[string]any{"kid": "/dev/null"}),
		"kid a path to the PEM":       sign(t, jwt.SigningMethodHS256, []byte(rsaPEM), good(nil), map[string]any{"kid": filepath.Join(dir, "rsa.pem")}),
		"kid an injection":            sign(t, jwt.SigningMethodEdDSA, ed, good(nil), map[string]any{"kid": "x' OR '1'='1"}),
		"kid a list":                  sign(t, jwt.SigningMethodEdDSA, ed, good(nil), map[string]any{"kid": []string{"ed-1"}}),
		"kid null":                    sign(t, jwt.SigningMethodEdDSA, ed, good(nil), map[string]any{"kid": nil}),
		"kid too long":                hs(nil, map[string]any{"kid": strings.Repeat("k", maxKid+1)}),
		"crit":                        hs(nil, map[string]any{"crit": []string{"b64"}, "b64": false}),
		"huge":                        hs(jwt.MapClaims{"pad": strings.Repeat("x", maxCredential)}, nil),
		"deep":                        seg(`{"alg":"HS256"}`) + "." + seg(strings.Repeat("[", 5000)) + ".x",
		"no exp":                      hs(jwt.MapClaims{"exp": nil}, nil),
		"exp zero":                    hs(jwt.MapClaims{"exp": 0}, nil),
		"exp a text":                  hs(jwt.MapClaims{"exp": "never"}, nil),
		"exp null":                    sign(t, jwt.SigningMethodHS256, []byte(testSecret), jwt.MapClaims{"sub": "alice", "iss": "me", "aud": "parley", "exp": nil}, nil),
		"not valid yet":               hs(jwt.MapClaims{"nbf": now + 31}, nil),
		"another issuer":              hs(jwt.MapClaims{"iss": "you"}, nil),
		"no issuer":                   hs(jwt.MapClaims{"iss": nil}, nil),
		"another audience":            hs(jwt.MapClaims{"aud": "other"}, nil),
		"no audience":                 hs(jwt.MapClaims{"aud": nil}, nil),
		"audience a prefix":           hs(jwt.MapClaims{"aud": "parley2"}, nil),
		"expired and for another":     hs(jwt.MapClaims{"aud": "other", "exp": now - 3600}, nil),
		"no user":                     hs(jwt.MapClaims{"sub": nil}, nil),
		"empty user":                  hs(jwt.MapClaims{"sub": ""}, nil),
		"user a number":               hs(jwt.MapClaims{"sub": 7}, nil),
		"user with a line break":      hs(jwt.MapClaims{"sub": "alice\nadmin"}, nil),
		"user too long":               hs(jwt.MapClaims{"sub": strings.Repeat("a", 256)}, nil),
		"user of the local mode":      hs(jwt.MapClaims{"sub": LocalUser}, nil),
		"grants a map":                hs(jwt.MapClaims{"grants": map[string]any{"s": "viewer"}}, nil),
		"grant of admin":              hs(jwt.MapClaims{"grants": []any{map[string]any{"session": "s", "role": "admin"}}}, nil),
		"grant of nothing":            hs(jwt.MapClaims{"grants": []any{map[string]any{"role": "viewer"}}}, nil),
		"grant of two things":         hs(jwt.MapClaims{"grants": []any{map[string]any{"role": "viewer", "session": "s", "owner": "o"}}}, nil),
		"changed claims":              parts[0] + "." + seg(`{"sub":"root","exp":9999999999,"iss":"me","aud":"parley"}`) + "." + parts[2],
		"no signature":                parts[0] + "." + parts[1] + ".",
		"two parts":                   parts[0] + "." + parts[1],
		"four parts":                  valid + ".x",
		"padded":                      valid + "=",
		"with a line break":           parts[0] + "." + parts[1] + "\n." + parts[2],
		"words":                       "let me in please",
		"dots":                        "..",
		"unknown API key":             "pk_nobody_" + strings.Repeat("a", 52),
	}
	for name, token := range attacks {
		id, err := identify(a, token)
		if err == nil {
			t.Errorf("%s: accepted as %+v", name, id)
			continue
		}
		if got := protocol.AsError(err).Code; got != protocol.CodeAuthFailed {
			t.Errorf("%s: got %d, want 2002", name, got)
		}
		if !reflect.DeepEqual(id, Identity{}) {
			t.Errorf("%s: a refused caller has an identity: %+v", name, id)
		}
		noLeak(t, err.Error(), token, testSecret)
	}
}

// The provider's set holds a key for an algorithm that the file does not name.
func TestAlgorithmIsPinnedWhateverKeysThereAre(t *testing.T) {
	c := newClock()
	ed := edKey(t)
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "keys.json"), jwksOf(jwkOf("e", ed.Public()), jwkOf("r", rsaKey().Public())))
	path := writeFile(t, filepath.Join(dir, "auth.yaml"), "jwt:\n  algorithms: RS256\n  jwks_file: keys.json\n")
	a, err := Open(Config{Mode: path, Now: c.Now, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := identify(a, sign(t, jwt.SigningMethodRS256, rsaKey(), alice(c, nil), nil)); err != nil {
		t.Fatal(err)
	}
	_, err = identify(a, sign(t, jwt.SigningMethodEdDSA, ed, alice(c, nil), map[string]any{"kid": "e"}))
	wantCode(t, err, protocol.CodeAuthFailed)
}

// A signature has one spelling: bits that base64 leaves over must be zero.
func TestSignatureHasOneSpelling(t *testing.T) {
	c := newClock()
	a := openFile(t, c, hmacFile)
	token := hmacToken(t, alice(c, nil))
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := strings.IndexByte(digits, token[len(token)-1])
	_, err := identify(a, token[:len(token)-1]+digits[last+1:last+2])
	wantCode(t, err, protocol.CodeAuthFailed)
}

func TestExpiryAtTheBoundary(t *testing.T) {
	c := newClock()
	a := openFile(t, c, hmacFile)
	start := c.Now()
	token := hmacToken(t, jwt.MapClaims{"sub": "alice", "exp": start.Add(time.Minute).Unix(), "nbf": start.Add(40 * time.Second).Unix()})
	for _, step := range []struct {
		at   time.Duration
		code protocol.Code // 0: accepted
	}{
		{10*time.Second - time.Nanosecond, protocol.CodeAuthFailed}, // nbf − 30 s
		{10 * time.Second, 0},
		{time.Minute, 0},
		{90*time.Second - time.Nanosecond, 0}, // exp + 30 s
		{90 * time.Second, protocol.CodeTokenExpired},
		{24 * time.Hour, protocol.CodeTokenExpired},
	} {
		c.Add(start.Add(step.at).Sub(c.Now()))
		id, err := identify(a, token)
		if step.code != 0 {
			wantCode(t, err, step.code)
			continue
		}
		if err != nil {
			t.Fatalf("at %s: %v", step.at, err)
		}
		// The identity ends at the very moment the token does.
		wantCode(t, id.Check(start.Add(90*time.Second)), protocol.CodeTokenExpired)
		if err := id.Check(start.Add(90*time.Second - time.Nanosecond)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAudienceWithoutOneConfigured(t *testing.T) {
	c := newClock()
	a := openFile(t, c, hmacFile)
	if _, err := identify(a, hmacToken(t, alice(c, nil))); err != nil {
		t.Fatal(err)
	}
	_, err := identify(a, hmacToken(t, alice(c, jwt.MapClaims{"aud": "someone"})))
	wantCode(t, err, protocol.CodeAuthFailed)
}

func TestRolesOfTokens(t *testing.T) {
	c := newClock()
	own := openFile(t, c, hmacFile)
	mapped := openFile(t, c, hmacFile+`
  user_claim: preferred_username
  role_claim: realm_access.roles
  roles: {parley-admins: admin, parley-readers: viewer, banned: none}
  default_role: none
`)
	for _, tt := range []struct {
		name  string
		a     *Authenticator
		claim any
		want  Role
	}{
		{"none given", own, nil, RoleOwner},
		{"one", own, "viewer", RoleViewer},
		{"admin", own, "admin", RoleAdmin},
		{"several words", own, "openid editor", RoleEditor},
		{"a list", own, []string{"x", "viewer", "editor"}, RoleEditor},
		{"unknown words", own, []string{"x"}, RoleOwner},
		{"wrong type", own, 7, RoleOwner},
		{"mapped", mapped, []string{"offline_access", "parley-admins"}, RoleAdmin},
		{"mapped, low", mapped, []string{"parley-readers"}, RoleViewer},
		{"our word means nothing once words are mapped", mapped, []string{"admin"}, RoleNone},
		{"default", mapped, nil, RoleNone},
	} {
		claims := alice(c, jwt.MapClaims{"preferred_username": "al"})
		if tt.claim != nil {
			claims["role"] = tt.claim
			claims["realm_access"] = map[string]any{"roles": tt.claim}
		}
		id, err := identify(tt.a, hmacToken(t, claims))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if id.Role != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, id.Role, tt.want)
		}
		if tt.a == mapped && id.User != "al" {
			t.Errorf("user is %q", id.User)
		}
	}
}

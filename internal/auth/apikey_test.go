package auth

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/secret"
	"github.com/parley-dev/parley/protocol"
)

// newKey makes a key and the YAML of its entry.
func newKey(t testing.TB, e KeyEntry) (key, text string) {
	t.Helper()
	secret, entry, err := NewKey(e)
	if err != nil {
		t.Fatal(err)
	}
	if text, err = entry.YAML(); err != nil {
		t.Fatal(err)
	}
	noLeak(t, text, secret.Reveal(), strings.SplitN(secret.Reveal(), "_", 3)[2])
	return secret.Reveal(), text
}

func TestAPIKeys(t *testing.T) {
	c := newClock()
	plain, plainText := newKey(t, KeyEntry{User: "ci", Name: "build server"})
	ending, endingText := newKey(t, KeyEntry{ID: "ending", User: "bob", Role: RoleViewer, Expires: c.Now().Add(time.Hour)})
	revoked, revokedText := newKey(t, KeyEntry{ID: "gone", User: "bob", Revoked: true})
	weak := "pk_weak_password"
	weakText := "- {id: weak, hash: '" + hashKey(weak) + "', user: eve}\n"
	a := openFile(t, c, "api_keys:\n"+plainText+endingText+revokedText+weakText+"limits: {failures_per_minute: 0}\n")

	id, err := identify(a, plain)
	if err != nil {
		t.Fatal(err)
	}
	if id.User != "ci" || id.Role != RoleOwner || id.Method != MethodAPIKey || !id.Expires.IsZero() || !strings.HasPrefix(plain, id.Credential+"_") {
		t.Fatalf("got %+v", id)
	}
	if same, err := a.Authenticate(context.Background(), Credentials{APIKey: secret.New(plain)}); err != nil || same.User != "ci" {
		t.Fatalf("the same key as api_key: %+v, %v", same, err)
	}

	id, err = identify(a, ending)
	if err != nil || id.Role != RoleViewer || !id.Expires.Equal(c.Now().Add(time.Hour)) {
		t.Fatalf("%+v, %v", id, err)
	}
	c.Add(time.Hour - time.Nanosecond)
	if _, err := identify(a, ending); err != nil {
		t.Fatal(err)
	}
	c.Add(time.Nanosecond)
	_, err = identify(a, ending)
	wantCode(t, err, protocol.CodeTokenExpired)

	for name, key := range map[string]string{
		"revoked":          revoked,
		"weak":             weak,
		"wrong secret":     plain[:len(plain)-1] + "0",
		"shorter":          plain[:len(plain)-1],
		"longer":           plain + "a",
		"other id":         "pk_ending_" + strings.SplitN(plain, "_", 3)[2],
		"no secret":        strings.TrimSuffix(plain, strings.SplitN(plain, "_", 3)[2]),
		"the hash":         hashKey(plain),
		"the hash as key":  "pk_ending_" + hashKey(plain),
		"prefix alone":     "pk_",
		"a token":          hmacToken(t, alice(c, nil)),
		"upper case":       strings.ToUpper(plain),
		"without a prefix": strings.TrimPrefix(plain, "pk_"),
	} {
		_, err := identify(a, key)
		if protocol.AsError(err).Code != protocol.CodeAuthFailed {
			t.Errorf("%s: got %v, want 2002", name, err)
		}
		noLeak(t, err.Error(), key, plain)
		_, err = a.Authenticate(context.Background(), Credentials{APIKey: secret.New(key)})
		if protocol.AsError(err).Code != protocol.CodeAuthFailed {
			t.Errorf("%s as api_key: got %v, want 2002", name, err)
		}
	}
}

func TestNewKeyRefuses(t *testing.T) {
	for _, e := range []KeyEntry{{}, {User: "a\nb"}, {User: "a", ID: "with_underscore"}, {User: "a", ID: strings.Repeat("x", 33)}} {
		if _, _, err := NewKey(e); err == nil {
			t.Errorf("%+v was accepted", e)
		}
	}
}

// The message auth may carry a token and a key.
func TestTokenAndKeyTogether(t *testing.T) {
	c := newClock()
	of, ofText := newKey(t, KeyEntry{User: "alice", Role: RoleViewer, Expires: c.Now().Add(time.Minute)})
	bobs, bobsText := newKey(t, KeyEntry{User: "bob"})
	a := openFile(t, c, hmacFile+"api_keys:\n"+ofText+bobsText)
	token := hmacToken(t, alice(c, nil))
	try := func(token, key string) (Identity, error) {
		return a.Authenticate(context.Background(), Credentials{Token: secret.New(token), APIKey: secret.New(key)})
	}
	id, err := try(token, of)
	if err != nil || id.User != "alice" || id.Role != RoleViewer || !id.Expires.Equal(c.Now().Add(time.Minute)) {
		t.Fatalf("the lesser of both counts: %+v, %v", id, err)
	}
	_, err = try(token, bobs)
	wantCode(t, err, protocol.CodeAuthFailed)
	_, err = try(token+"x", of)
	wantCode(t, err, protocol.CodeAuthFailed)
	_, err = try(token, of+"x")
	wantCode(t, err, protocol.CodeAuthFailed)
}

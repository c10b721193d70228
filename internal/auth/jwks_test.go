package auth

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/parley-dev/parley/protocol"
)

// provider is an identity provider: it serves keys and can misbehave.
type provider struct {
	*httptest.Server
	mu    sync.Mutex
	reply func(w http.ResponseWriter, r *http.Request)
	asked int
}

func newProvider(t *testing.T) *provider {
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asked++
		reply := p.reply
		p.mu.Unlock()
		reply(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *provider) serve(reply func(http.ResponseWriter, *http.Request)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reply = reply
}

func (p *provider) publish(keys ...map[string]any) {
	p.serve(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, jwksOf(keys...)) })
}

func (p *provider) fail() {
	p.serve(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
}

func (p *provider) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

func (p *provider) authenticator(t *testing.T, c *clock) *Authenticator {
	return openFile(t, c, fmt.Sprintf(`
jwt:
  algorithms: [RS256, EdDSA]
  jwks_url: %s/jwks.json
  audience: parley
limits: {failures_per_minute: 0}
`, p.URL))
}

func edToken(t *testing.T, c *clock, kid string, key ed25519.PrivateKey) string {
	return sign(t, jwt.SigningMethodEdDSA, key, alice(c, jwt.MapClaims{"aud": "parley"}), map[string]any{"kid": kid})
}

func TestRotationOfRemoteKeys(t *testing.T) {
	c, p := newClock(), newProvider(t)
	oldKey, newKey := edKey(t), edKey(t)
	p.publish(jwkOf("old", oldKey.Public()), jwkOf("rsa", rsaKey().Public()), map[string]any{"kty": "EC", "kid": "ec"})
	a := p.authenticator(t, c)
	if p.count() != 0 {
		t.Fatal("keys are fetched when first needed, not at the start")
	}
	for range 5 {
		if _, err := identify(a, edToken(t, c, "old", oldKey)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := identify(a, sign(t, jwt.SigningMethodRS256, rsaKey(), alice(c, jwt.MapClaims{"aud": "parley"}), map[string]any{"kid": "rsa"})); err != nil {
		t.Fatal(err)
	}
	if p.count() != 1 {
		t.Fatalf("fetched %d times, want once", p.count())
	}

	p.publish(jwkOf("new", newKey.Public()))
	_, err := identify(a, edToken(t, c, "new", newKey))
	wantCode(t, err, protocol.CodeAuthFailed)
	if p.count() != 1 {
		t.Fatal("an unknown kid must not fetch again at once")
	}
	c.Add(jwksMinAge)
	if _, err := identify(a, edToken(t, c, "new", newKey)); err != nil {
		t.Fatalf("rotation was not noticed: %v", err)
	}
	_, err = identify(a, edToken(t, c, "old", oldKey))
	wantCode(t, err, protocol.CodeAuthFailed)
}

func TestWithdrawnKeyEnds(t *testing.T) {
	c, p := newClock(), newProvider(t)
	key, other := edKey(t), edKey(t)
	p.publish(jwkOf("k", key.Public()))
	a := p.authenticator(t, c)
	if _, err := identify(a, edToken(t, c, "k", key)); err != nil {
		t.Fatal(err)
	}
	p.publish(jwkOf("other", other.Public()))
	c.Add(jwksMaxAge)
	_, err := identify(a, edToken(t, c, "k", key))
	wantCode(t, err, protocol.CodeAuthFailed)
}

func TestInventedKidsDoNotFetch(t *testing.T) {
	c, p := newClock(), newProvider(t)
	key := edKey(t)
	p.publish(jwkOf("k", key.Public()))
	a := p.authenticator(t, c)
	var wg sync.WaitGroup
	for i := range 50 {
		token := edToken(t, c, fmt.Sprint("invented-", i), key)
		wg.Go(func() {
			if _, err := identify(a, token); protocol.AsError(err).Code != protocol.CodeAuthFailed {
				t.Errorf("got %v", err)
			}
		})
	}
	wg.Wait()
	if p.count() != 1 {
		t.Fatalf("fetched %d times, want once", p.count())
	}
}

func TestProviderAway(t *testing.T) {
	c, p := newClock(), newProvider(t)
	key := edKey(t)
	p.fail()
	a := p.authenticator(t, c)
	_, err := identify(a, edToken(t, c, "k", key))
	wantCode(t, err, protocol.CodeConnectionFailed)
	_, err = identify(a, edToken(t, c, "k", key))
	wantCode(t, err, protocol.CodeConnectionFailed)
	if p.count() != 1 {
		t.Fatal("a provider that is away is not asked again at once")
	}

	p.publish(jwkOf("k", key.Public()))
	c.Add(jwksMinAge)
	if _, err := identify(a, edToken(t, c, "k", key)); err != nil {
		t.Fatal(err)
	}
	p.fail()
	c.Add(2 * jwksMaxAge)
	if _, err := identify(a, edToken(t, c, "k", key)); err != nil {
		t.Fatalf("the last keys stay in force: %v", err)
	}
}

func TestBadAnswersOfTheProvider(t *testing.T) {
	key := edKey(t)
	keys := jwksOf(jwkOf("k", key.Public()))
	big := strings.Repeat(" ", jwksMaxSize)
	for name, reply := range map[string]func(http.ResponseWriter, *http.Request){
		"not JSON":  func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"no keys":   func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"keys":[]}`) },
		"too large": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, keys+big) },
		"symmetric": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"keys":[{"kty":"oct","k":"AAAA"}]}`) },
		"for ever":  func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", 302) },
	} {
		t.Run(name, func(t *testing.T) {
			c, p := newClock(), newProvider(t)
			p.serve(reply)
			_, err := identify(p.authenticator(t, c), edToken(t, c, "k", key))
			wantCode(t, err, protocol.CodeConnectionFailed)
		})
	}
}

// roundTrip lets a test answer for any host.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestRedirectToAPlainLineIsRefused(t *testing.T) {
	c, p := newClock(), newProvider(t)
	key := edKey(t)
	for scheme, ok := range map[string]bool{"https": true, "http": false} {
		a := p.authenticator(t, c)
		a.accounts.file.tokens.remote.client.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			w := httptest.NewRecorder()
			if r.URL.Host == "keys.example" {
				fmt.Fprint(w, jwksOf(jwkOf("k", key.Public())))
			} else {
				http.Redirect(w, r, scheme+"://keys.example/", http.StatusFound)
			}
			res := w.Result()
			res.Request = r
			return res, nil
		})
		_, err := identify(a, edToken(t, c, "k", key))
		if ok != (err == nil) {
			t.Errorf("redirect to %s: %v", scheme, err)
		}
	}
}

// The one who asked first hangs up; the keys come all the same.
func TestHangingUpDoesNotStopTheFetch(t *testing.T) {
	c, p := newClock(), newProvider(t)
	key := edKey(t)
	ctx, cancel := context.WithCancel(context.Background())
	p.serve(func(w http.ResponseWriter, _ *http.Request) {
		cancel()
		fmt.Fprint(w, jwksOf(jwkOf("k", key.Public())))
	})
	a := p.authenticator(t, c)
	if _, err := a.Authenticate(ctx, withToken(edToken(t, c, "k", key))); err != nil {
		t.Fatal(err)
	}
	if ctx.Err() == nil {
		t.Fatal("the provider was not asked")
	}
}

// While one caller refreshes old keys, those who have a key pass.
func TestNobodyWaitsForARefresh(t *testing.T) {
	c, p := newClock(), newProvider(t)
	key := edKey(t)
	p.publish(jwkOf("k", key.Public()))
	a := p.authenticator(t, c)
	token := edToken(t, c, "k", key)
	if _, err := identify(a, token); err != nil {
		t.Fatal(err)
	}
	entered, release := make(chan struct{}), make(chan struct{})
	p.serve(func(w http.ResponseWriter, _ *http.Request) {
		close(entered)
		<-release
		fmt.Fprint(w, jwksOf(jwkOf("k", key.Public())))
	})
	c.Add(jwksMaxAge)
	done := make(chan error, 1)
	go func() {
		_, err := identify(a, token)
		done <- err
	}()
	<-entered
	if _, err := identify(a, token); err != nil {
		t.Fatal(err)
	}
	// Who has no key waits, but not longer than they want to.
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	c.Add(jwksMinAge)
	_, err := a.Authenticate(ctx, withToken(edToken(t, c, "unknown", key)))
	wantCode(t, err, protocol.CodeConnectionFailed)
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

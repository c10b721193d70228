package auth

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/parley-dev/parley/internal/secret"
	"github.com/parley-dev/parley/protocol"
)

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 2, 6, 10, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// logBuffer keeps what was logged.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logBuffer) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

const testSecret = "0123456789abcdef0123456789abcdef-hmac"

// hmacFile is the least auth file with tokens.
const hmacFile = "jwt:\n  algorithms: [HS256]\n  secret: " + testSecret + "\n"

func writeFile(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func openFile(t testing.TB, c *clock, text string) *Authenticator {
	t.Helper()
	a, err := Open(Config{Mode: writeFile(t, filepath.Join(t.TempDir(), "auth.yaml"), text), Now: c.Now, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// sign makes a token; header values replace those of the library.
func sign(t testing.TB, method jwt.SigningMethod, key any, claims jwt.MapClaims, header map[string]any) string {
	t.Helper()
	tok := jwt.NewWithClaims(method, claims)
	for k, v := range header {
		tok.Header[k] = v
	}
	s, err := tok.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func hmacToken(t testing.TB, claims jwt.MapClaims) string {
	return sign(t, jwt.SigningMethodHS256, []byte(testSecret), claims, nil)
}

// alice are claims that are in order for an hour.
func alice(c *clock, more jwt.MapClaims) jwt.MapClaims {
	claims := jwt.MapClaims{"sub": "alice", "exp": c.Now().Add(time.Hour).Unix()}
	for k, v := range more {
		if v == nil {
			delete(claims, k)
			continue
		}
		claims[k] = v
	}
	return claims
}

func withToken(s string) Credentials { return Credentials{Token: secret.New(s)} }

// identify is Authenticate without anything around it.
func identify(a *Authenticator, token string) (Identity, error) {
	return a.Authenticate(context.Background(), withToken(token))
}

func wantCode(t testing.TB, err error, code protocol.Code) {
	t.Helper()
	var e *protocol.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a protocol error %d", err, code)
	}
	if e.Code != code {
		t.Fatalf("got %v, want %d", err, code)
	}
}

// noLeak fails if any piece of a secret is in the text.
func noLeak(t testing.TB, text string, secrets ...string) {
	t.Helper()
	for _, s := range secrets {
		for _, part := range append(strings.Split(s, "."), s) {
			if len(part) >= 8 && strings.Contains(text, part) {
				t.Fatalf("a secret is in %q", text)
			}
		}
	}
}

package client

import (
	"context"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"time"
)

// DefaultURL is where a server on the same machine listens.
const DefaultURL = "http://127.0.0.1:7717"

// Options say where the server is and who calls. The zero value is a local
// server that asks for no token.
type Options struct {
	// URL of the server: http, https, ws or wss, with a path if the server is
	// behind one. A ?token= in it counts as Token, so that the address that
	// the server prints can be used as it is.
	URL string
	// Token is a bearer token. APIKey is used where there is no token.
	Token  string
	APIKey string
	// TokenFunc gives a token: when Token is empty, and again each time the
	// server has refused the one it gave before. Calls do not overlap.
	TokenFunc func(context.Context) (string, error)
	// AuthMessage sends the credential as the first message of a connection
	// instead of a header, for proxies that do not pass headers on.
	AuthMessage bool
	// ClientID names this client. A second connection of the same name to a
	// session takes over from the first. Empty: each Conn makes its own.
	ClientID string

	Reconnect Reconnect

	// ConnectTimeout bounds one attempt to connect, from the first packet to
	// the session's state; 30 s.
	ConnectTimeout time.Duration
	// IdleTimeout is how long the server may be silent before the connection
	// counts as lost; 75 s, which is two heartbeats and a half.
	IdleTimeout time.Duration
	// ReadLimit is the largest frame or JSON answer that is read; 32 MiB.
	ReadLimit int64
	// WriteLimit is the largest frame that is sent; 1 MiB, the server's own.
	WriteLimit int

	// HTTPClient is used for REST and for the handshake. Unless it says
	// otherwise, redirects are not followed: they would take credentials along.
	HTTPClient *http.Client
	Logger     *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.URL == "" {
		o.URL = DefaultURL
	}
	if o.ConnectTimeout <= 0 {
		o.ConnectTimeout = 30 * time.Second
	}
	if o.IdleTimeout <= 0 {
		o.IdleTimeout = 75 * time.Second
	}
	if o.ReadLimit <= 0 {
		o.ReadLimit = 32 << 20
	}
	if o.WriteLimit <= 0 {
		o.WriteLimit = 1 << 20
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Reconnect = o.Reconnect.withDefaults()
	o.HTTPClient = stayingClient(o.HTTPClient)
	return o
}

// stayingClient gives a copy of hc that reports a redirect instead of
// following it, if hc has no rule of its own.
func stayingClient(hc *http.Client) *http.Client {
	if hc == nil {
		hc = http.DefaultClient
	}
	copied := *hc
	if copied.CheckRedirect == nil {
		copied.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	return &copied
}

// Reconnect says how often and how soon a lost connection is tried again: after
// 1, 2, 4, 8 and 16 seconds, then not any more, unless told otherwise. A
// connection that came as far as the session's state starts the count anew.
type Reconnect struct {
	// MaxRetries in a row; 5. Negative: without end.
	MaxRetries   int
	InitialDelay time.Duration // 1 s
	MaxDelay     time.Duration // 30 s
	Multiplier   float64       // 2
	// Jitter is the share of a delay that is added to it at random, so that
	// the clients of a server that restarts do not all come at once; 0.1.
	// Negative: none.
	Jitter float64
	// RetryDial lets Dial wait and try again too. Without it a Dial that fails
	// says so at once.
	RetryDial bool
}

func (r Reconnect) withDefaults() Reconnect {
	if r.MaxRetries == 0 {
		r.MaxRetries = 5
	}
	if r.InitialDelay <= 0 {
		r.InitialDelay = time.Second
	}
	if r.MaxDelay <= 0 {
		r.MaxDelay = 30 * time.Second
	}
	if r.Multiplier < 1 {
		r.Multiplier = 2
	}
	if r.Jitter == 0 {
		r.Jitter = 0.1
	}
	return r
}

// delay is how long to wait before retry number n, counted from 0.
func (r Reconnect) delay(n int) time.Duration {
	d := float64(r.InitialDelay) * math.Pow(r.Multiplier, float64(n))
	d = min(d, float64(r.MaxDelay))
	if r.Jitter > 0 {
		d += d * r.Jitter * rand.Float64()
	}
	return time.Duration(d)
}

package auth

import (
	"math"
	"time"

	"golang.org/x/time/rate"

	"github.com/parley-dev/parley/protocol"
)

// Limits are how many of each are allowed in a minute; zero or less is no limit.
type Limits struct {
	Connects int // connections, per user
	Messages int // messages, per connection
	Answers  int // answers to requests, per session
	Failures int // failed authentications, per address
}

// AccountLimits hold where people have accounts.
func AccountLimits() Limits { return Limits{Connects: 10, Messages: 100, Answers: 30, Failures: 20} }

// LocalLimits hold on one's own machine, where a page reloaded often or a tab
// with an old token is no attack.
func LocalLimits() Limits { return Limits{Connects: 600, Messages: 100, Answers: 30, Failures: 600} }

// Limiter counts what users and sessions do.
type Limiter struct {
	limits   Limits
	now      func() time.Time
	connects *keyed
	answers  *keyed
}

// NewLimiter makes a limiter that reads the time from now.
func NewLimiter(limits Limits, now func() time.Time) *Limiter {
	return &Limiter{
		limits:   limits,
		now:      now,
		connects: newKeyed("connections of one user", limits.Connects, now),
		answers:  newKeyed("answers in one session", limits.Answers, now),
	}
}

// Connect counts one connection of a user, or refuses it.
func (l *Limiter) Connect(user string) error { return l.connects.take(user) }

// Answer counts one answer in a session, or refuses it.
func (l *Limiter) Answer(sessionID string) error { return l.answers.take(sessionID) }

// Messages gives a new connection its own bucket.
func (l *Limiter) Messages() Bucket {
	return newBucket("messages on one connection", l.limits.Messages, l.now)
}

// Bucket limits one thing. It starts full, with the number allowed in a minute,
// and refills evenly. The zero Bucket lets everything pass. Safe for concurrent
// use; copies share what is left.
type Bucket struct {
	what      string
	perMinute int
	left      *rate.Limiter
	now       func() time.Time
}

func newBucket(what string, perMinute int, now func() time.Time) Bucket {
	if perMinute <= 0 {
		return Bucket{}
	}
	every := rate.Limit(float64(perMinute) / time.Minute.Seconds())
	return Bucket{what: what, perMinute: perMinute, left: rate.NewLimiter(every, perMinute), now: now}
}

// Take counts one, or refuses it with WS_RATE_LIMITED and how long to wait.
func (b Bucket) Take() error {
	if b.left == nil {
		return nil
	}
	now := b.now()
	if b.left.AllowN(now, 1) {
		return nil
	}
	return b.refuse(now)
}

// peek refuses as Take would, without counting.
func (b Bucket) peek() error {
	if b.left == nil {
		return nil
	}
	if now := b.now(); b.left.TokensAt(now) < 1 {
		return b.refuse(now)
	}
	return nil
}

func (b Bucket) refuse(now time.Time) error {
	seconds := (1 - b.left.TokensAt(now)) / float64(b.left.Limit())
	wait := max(int64(math.Ceil(seconds*1000)), 1)
	return protocol.Errorf(protocol.CodeRateLimited,
		"too many %s: %d a minute are allowed; try again in %d ms", b.what, b.perMinute, wait).
		With("retry_after_ms", wait).With("limit_per_minute", b.perMinute)
}

package ws

import (
	"time"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/protocol"
)

// missedMost is how many pings may stay unanswered.
const missedMost = 2

var lost = ending{protocol.CloseHeartbeatLost, "two heartbeats were not answered"}

// startHeart begins to look after the connection from time to time. Between two
// beats it costs a timer and no goroutine.
func (c *conn) startHeart() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.pingAt = now.Add(c.d.Heartbeat)
	c.timer = time.AfterFunc(c.nextBeat(now), c.beat)
}

// nextBeat is how long until the next ping, or until the credentials expire.
func (c *conn) nextBeat(now time.Time) time.Duration {
	at := c.pingAt
	if e := c.who.Expires; !e.IsZero() && e.Before(at) {
		at = e
	}
	return max(at.Sub(now), time.Millisecond)
}

// beat sends a ping if one is due, and ends a connection that is dead or that
// its user has no right to any more.
func (c *conn) beat() {
	if !c.begin() {
		return
	}
	defer c.work.Done()
	defer c.survive(func() { c.shut(broken) })
	now := time.Now()
	if err := c.recheck(now); err != nil {
		e := protocol.AsError(err)
		c.shut(endingFor(e), c.signal(protocol.TypeError, e))
		return
	}
	ping, dead := c.ping(now)
	if dead {
		c.shut(lost)
		return
	}
	if ping {
		c.sub.Send(c.signal(protocol.TypePing, protocol.Empty{}))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		c.timer.Reset(c.nextBeat(time.Now()))
	}
}

// ping says whether a ping is due, or whether too many were not answered. While
// something is being written the client cannot have seen the last one, and
// WriteWait looks after it.
func (c *conn) ping(now time.Time) (due, dead bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.Before(c.pingAt) {
		return false, false
	}
	if c.seen.Swap(false) || c.flushing {
		c.missed = 0
	}
	if c.missed >= missedMost {
		return false, true
	}
	c.missed++
	c.pingAt = now.Add(c.d.Heartbeat)
	return true, false
}

// recheck looks whether the user may still be here: keys are revoked, grants
// withdrawn, and tokens expire. What cannot be found out now is asked again at
// the next beat.
func (c *conn) recheck(now time.Time) error {
	c.mu.Lock()
	who, shown, proofs := c.who, c.shown, c.proofs
	c.mu.Unlock()
	err := who.Check(now)
	if g := c.d.Gateway; err == nil && g.Auth.Accounts() {
		if who.Identity, err = g.Auth.Renew(c.d.ctx, shown); err == nil {
			err = g.Authorize(c.d.ctx, who, auth.Read, c.id)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.proofs != proofs: // the client has shown something new meanwhile
		return nil
	case err == nil:
		c.who = who
		return nil
	}
	if code, ok := endings[protocol.AsError(err).Code]; !ok || code == closeTryLater {
		c.report("a client could not be looked at again", err)
		return nil
	}
	return err
}

package client

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// drop lets a client in and cuts the line.
func drop(k *talk) {
	k.send(state(0))
	k.ws.CloseNow()
}

func busy(retryAfter string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

func TestBackoffDoublesThenGivesUp(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		var at []time.Duration
		var start time.Time
		late := func(w http.ResponseWriter, r *http.Request) {
			at = append(at, time.Since(start).Round(time.Millisecond))
			busy("")(w, r)
		}
		p.talk(drop).answer(late).answer(late).answer(late).answer(late).answer(late)
		start = time.Now()
		var reasons []error
		c := p.dial(Options{}, DialOptions{OnState: func(s State, err error) {
			if s == Reconnecting || s == Failed {
				reasons = append(reasons, err)
			}
		}})
		defer c.Close()
		err := lastError(t, c)
		if !errors.Is(err, ErrGaveUp) || !strings.Contains(err.Error(), "after 5 retries") || !strings.Contains(err.Error(), "503") {
			t.Errorf("got %v", err)
		}
		same(t, at, []time.Duration{1 * time.Second, 3 * time.Second, 7 * time.Second, 15 * time.Second, 31 * time.Second})
		if len(reasons) != 2 || reasons[0] == nil || !errors.Is(reasons[1], ErrGaveUp) {
			t.Errorf("got %v", reasons)
		}
	})
}

func TestSuccessStartsTheCountAnew(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		start := time.Now()
		p.talk(drop)
		for range 4 {
			p.answer(busy("")).answer(busy("")).talk(drop) // 1 + 2 + 4 seconds each
		}
		p.talk(func(k *talk) { k.send(state(0)); k.hold() })
		c := p.dial(Options{Reconnect: Reconnect{MaxRetries: 3}}, DialOptions{})
		defer c.Close()
		follow(t, c, 6)
		same(t, time.Since(start).Round(time.Millisecond), (4*7+1)*time.Second)
	})
}

func TestConnectingWithoutTheStateIsNoSuccess(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		cut := func(k *talk) { k.ws.CloseNow() }
		p.talk(drop).talk(cut).talk(cut)
		c := p.dial(Options{Reconnect: Reconnect{MaxRetries: 2}}, DialOptions{})
		defer c.Close()
		if err := lastError(t, c); !errors.Is(err, ErrGaveUp) {
			t.Errorf("got %v", err)
		}
	})
}

func TestRetryAfterIsHonoured(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(drop).answer(busy("20")).talk(func(k *talk) { k.send(state(0)); k.hold() })
		start := time.Now()
		c := p.dial(Options{}, DialOptions{})
		defer c.Close()
		follow(t, c, 2)
		same(t, time.Since(start).Round(time.Millisecond), 21*time.Second)
	})
}

func TestTooManyConnections(t *testing.T) {
	slow := protocol.Errorf(protocol.CodeRateLimited, "too many connections").With("retry_after_ms", 5500)
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(drop).talk(func(k *talk) {
			k.send(frame(protocol.TypeError, 0, slow))
			k.close(1013, "")
		}).talk(func(k *talk) { k.send(state(0)); k.hold() })
		start := time.Now()
		c := p.dial(Options{}, DialOptions{})
		defer c.Close()
		follow(t, c, 2)
		same(t, time.Since(start).Round(time.Millisecond), 6500*time.Millisecond)
	})
}

func TestDelays(t *testing.T) {
	r := Reconnect{Jitter: -1}.withDefaults()
	var got []time.Duration
	for n := range 7 {
		got = append(got, r.delay(n)/time.Second)
	}
	same(t, got, []time.Duration{1, 2, 4, 8, 16, 30, 30})
	same(t, r.delay(100_000), 30*time.Second)

	r = Reconnect{}.withDefaults()
	for range 1000 {
		if d := r.delay(1); d < 2*time.Second || d > 2200*time.Millisecond {
			t.Fatalf("a jitter of a tenth made %v of 2 s", d)
		}
	}
}

func TestDialFailsAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		p.answer(busy(""))
		start := time.Now()
		var states []State
		_, err := p.client(Options{}).Dial(t.Context(), "s1", DialOptions{OnState: func(s State, _ error) { states = append(states, s) }})
		if err == nil || !strings.Contains(err.Error(), "503") {
			t.Errorf("got %v", err)
		}
		same(t, time.Since(start), time.Duration(0))
		same(t, states, []State{Connecting, Failed})
	})
}

func TestRetryDialWaits(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		p.answer(busy("")).talk(func(k *talk) { k.ws.CloseNow() }).talk(func(k *talk) { k.send(state(0)); k.hold() })
		start := time.Now()
		c := p.dial(Options{Reconnect: Reconnect{RetryDial: true}}, DialOptions{})
		defer c.Close()
		same(t, follow(t, c, 1), []string{"session_state"})
		same(t, time.Since(start).Round(time.Millisecond), 3*time.Second)
	})
}

func TestDialEndsWithItsContext(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(func(k *talk) { k.hold() })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := p.client(Options{Reconnect: Reconnect{RetryDial: true}}).Dial(ctx, "s1", DialOptions{})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func TestAServerThatSaysNothingTimesOut(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(func(k *talk) { k.hold() })
		start := time.Now()
		_, err := p.client(Options{}).Dial(t.Context(), "s1", DialOptions{})
		if !errors.Is(err, errSilent) {
			t.Errorf("got %v", err)
		}
		same(t, time.Since(start), 30*time.Second)
	})
}

func TestARefusedSessionIsFinal(t *testing.T) {
	gone := protocol.Errorf(protocol.CodeSessionExpired, "the session was deleted")
	t.Run("by status", func(t *testing.T) {
		bubble(t, func(t *testing.T, p *peer) {
			p.talk(drop).answer(problemAnswer(http.StatusGone, gone))
			c := p.dial(Options{}, DialOptions{})
			defer c.Close()
			wantCode(t, lastError(t, c), protocol.CodeSessionExpired)
		})
	})
	t.Run("by message", func(t *testing.T) {
		bubble(t, func(t *testing.T, p *peer) {
			p.talk(drop).talk(func(k *talk) {
				k.send(frame(protocol.TypeError, 0, gone))
				k.close(1008, "")
			})
			c := p.dial(Options{}, DialOptions{})
			defer c.Close()
			wantCode(t, lastError(t, c), protocol.CodeSessionExpired)
		})
	})
	t.Run("but not by what was said before a restart", func(t *testing.T) {
		bubble(t, func(t *testing.T, p *peer) {
			p.talk(func(k *talk) {
				k.send(state(0), frame(protocol.TypeError, 0, protocol.Errorf(protocol.CodeInvalidMessage, "no such thing")))
				k.close(protocol.CloseStopping, "")
			}).talk(func(k *talk) { k.send(state(0)); k.hold() })
			c := p.dial(Options{}, DialOptions{})
			defer c.Close()
			same(t, follow(t, c, 3), []string{"session_state", "error", "session_state again"})
		})
	})
}

func TestARedirectIsNotFollowed(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		p.answer(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere/ws/s1", http.StatusFound)
		})
		_, err := p.client(Options{APIKey: "secret"}).Dial(t.Context(), "s1", DialOptions{})
		if err == nil || !strings.Contains(err.Error(), "http://elsewhere/ws/s1") {
			t.Errorf("got %v", err)
		}
	})
}

func wantCode(t *testing.T, err error, code protocol.Code) {
	t.Helper()
	var e *protocol.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("wanted %d, got %v", code, err)
	}
}

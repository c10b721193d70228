package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parley-dev/parley/protocol"
)

var errExpired = protocol.Errorf(protocol.CodeTokenExpired, "the token has expired")

func problemAnswer(status int, e *protocol.Error) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{
			"type": "about:blank", "title": http.StatusText(status), "status": status,
			"detail": e.Message, "code": e.Code, "name": e.Name, "recoverable": e.Recoverable,
		})
	}
}

// tokens gives t1, t2, … and counts them.
func tokens(n *int) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		*n++
		return fmt.Sprint("t", *n), nil
	}
}

func TestCredentialsAreShown(t *testing.T) {
	for name, c := range map[string]struct {
		options Options
		header  string
		want    string
	}{
		"token":               {Options{Token: "abc"}, "Authorization", "Bearer abc"},
		"key":                 {Options{APIKey: "k"}, "X-API-Key", "k"},
		"token before key":    {Options{Token: "abc", APIKey: "k"}, "X-API-Key", ""},
		"function":            {Options{TokenFunc: tokens(new(int))}, "Authorization", "Bearer t1"},
		"not in a message's":  {Options{Token: "abc", AuthMessage: true}, "Authorization", ""},
		"nothing for nothing": {Options{AuthMessage: true}, "Authorization", ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, p *peer) {
				p.talk(func(k *talk) {
					same(t, k.r.Header.Get(c.header), c.want)
					if c.options.AuthMessage && c.options.Token != "" {
						same(t, string(k.expect(protocol.TypeAuth).Data), `{"token":"abc"}`)
						k.send(frame(protocol.TypeAuthResult, 0, &protocol.AuthResult{OK: true, User: "me"}))
					}
					k.send(state(0))
					k.hold()
				})
				conn := p.dial(c.options, DialOptions{})
				defer conn.Close()
				same(t, follow(t, conn, 1), []string{"session_state"})
			})
		})
	}
}

func TestRefusedCredentialsAreFinal(t *testing.T) {
	bad := protocol.Errorf(protocol.CodeAuthFailed, "the token is not valid")
	for name, step := range map[string]func(*peer){
		"by status": func(p *peer) { p.answer(problemAnswer(http.StatusUnauthorized, bad)) },
		"by message": func(p *peer) {
			p.talk(func(k *talk) {
				k.send(frame(protocol.TypeAuthResult, 0, &protocol.AuthResult{Error: bad}))
				k.close(protocol.CloseAuthFailed, "")
			})
		},
		"by close code": func(p *peer) {
			p.talk(func(k *talk) {
				k.send(frame(protocol.TypeError, 0, bad))
				k.close(protocol.CloseAuthFailed, "")
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, p *peer) {
				step(p)
				_, err := p.client(Options{Token: "abc", Reconnect: Reconnect{RetryDial: true}}).Dial(t.Context(), "s1", DialOptions{})
				wantCode(t, err, protocol.CodeAuthFailed)
				if strings.Contains(err.Error(), "abc") {
					t.Errorf("the error tells the token: %v", err)
				}
			})
		})
	}
}

func TestAnExpiredTokenIsReplaced(t *testing.T) {
	welcome := func(token string) func(*talk) {
		return func(k *talk) {
			same(k.t, k.r.Header.Get("Authorization"), "Bearer "+token)
			k.send(state(0))
			k.hold()
		}
	}
	for name, step := range map[string]func(*peer){
		"at the handshake": func(p *peer) { p.answer(problemAnswer(http.StatusUnauthorized, errExpired)) },
		"after it": func(p *peer) {
			p.talk(func(k *talk) {
				k.send(frame(protocol.TypeAuthResult, 0, &protocol.AuthResult{Error: errExpired}))
				k.hold()
			})
		},
		"by a close code": func(p *peer) { p.talk(func(k *talk) { k.close(protocol.CloseAuthFailed, "token expired") }) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, p *peer) {
				step(p)
				p.talk(welcome("t1"))
				n := 0
				start := time.Now()
				c := p.dial(Options{Token: "old", TokenFunc: tokens(&n)}, DialOptions{})
				defer c.Close()
				same(t, n, 1)
				same(t, time.Since(start), time.Duration(0))
			})
		})
	}
	t.Run("but a fresh one is not", func(t *testing.T) {
		bubble(t, func(t *testing.T, p *peer) {
			no := problemAnswer(http.StatusUnauthorized, errExpired)
			p.answer(no).answer(no)
			n := 0
			_, err := p.client(Options{Token: "old", TokenFunc: tokens(&n)}).Dial(t.Context(), "s1", DialOptions{})
			wantCode(t, err, protocol.CodeTokenExpired)
			same(t, n, 1)
		})
	})
	t.Run("under a command", func(t *testing.T) {
		bubble(t, func(t *testing.T, p *peer) {
			var first string
			p.talk(func(k *talk) {
				same(t, k.r.Header.Get("Authorization"), "Bearer t1")
				k.send(state(0))
				first = k.expect(protocol.TypeUserMessage).MessageID
				k.send(nacked(first, errExpired))
				k.hold()
			}).talk(func(k *talk) {
				same(t, k.r.Header.Get("Authorization"), "Bearer t2")
				k.send(state(0))
				same(t, k.expect(protocol.TypeUserMessage).MessageID, first)
				k.send(acked(first, 1))
				k.hold()
			})
			n := 0
			c := p.dial(Options{TokenFunc: tokens(&n)}, DialOptions{})
			defer c.Close()
			time.Sleep(time.Minute)
			id, err := c.SendMessage(t.Context(), "hello")
			same(t, err, nil)
			same(t, id, "msg_0000000001")
		})
	})
	t.Run("once for a command", func(t *testing.T) {
		bubble(t, func(t *testing.T, p *peer) {
			refuse := func(k *talk) {
				k.send(state(0))
				k.send(nacked(k.expect(protocol.TypeUserMessage).MessageID, errExpired))
				k.hold()
			}
			p.talk(refuse).talk(refuse)
			c := p.dial(Options{TokenFunc: tokens(new(int))}, DialOptions{})
			defer c.Close()
			time.Sleep(time.Minute)
			_, err := c.SendMessage(t.Context(), "hello")
			wantCode(t, err, protocol.CodeTokenExpired)
			same(t, c.State(), Active)
		})
	})
	t.Run("from a source that is down for a while", func(t *testing.T) {
		bubble(t, func(t *testing.T, p *peer) {
			no := problemAnswer(http.StatusUnauthorized, errExpired)
			p.talk(func(k *talk) { k.send(state(0)); k.close(protocol.CloseAuthFailed, "") })
			p.answer(no).talk(welcome("new"))
			calls := 0
			c := p.dial(Options{Token: "old", TokenFunc: func(context.Context) (string, error) {
				if calls++; calls == 1 {
					return "", errors.New("down")
				}
				return "new", nil
			}}, DialOptions{})
			defer c.Close()
			same(t, follow(t, c, 2), []string{"session_state", "session_state again"})
		})
	})
}

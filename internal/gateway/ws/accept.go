package ws

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gobwas/ws"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/protocol"
)

// request is what a client asks for when it connects.
type request struct {
	session string
	client  string
	resume  string
	create  bool
	shown   auth.Credentials
}

// ServeHTTP upgrades a request to a connection. What is refused here is refused
// in plain HTTP: either no page can have made it by mistake, or its page must
// not learn anything. All other refusals come after the upgrade.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, status, err := d.check(r)
	if err != nil {
		d.Stats.Refused.Add(1)
		problem(w, status, err)
		return
	}
	socket, rw, _, err := ws.UpgradeHTTP(r, w) // answers by itself if it cannot
	if err != nil {
		d.Stats.Refused.Add(1)
		if socket != nil {
			socket.Close()
		}
		return
	}
	c := &conn{d: d, net: socket, id: q.session, client: q.client}
	c.in.src = c
	if early, _ := rw.Reader.Peek(rw.Reader.Buffered()); len(early) > 0 {
		c.in.early = append([]byte(nil), early...)
	}
	if !d.admit(c) {
		d.Stats.Refused.Add(1)
		socket.Close()
		return
	}
	// Not in this goroutine: it holds the buffers of the HTTP server for as long
	// as it runs.
	go c.serve(q)
}

var (
	errStopping   = protocol.Errorf(protocol.CodeConnectionFailed, "the server is stopping; reconnect in a moment")
	errNotUpgrade = errors.New("this address speaks WebSocket (version 13); connect with ws:// or wss://")
)

// check reads a request and says with which status it is refused.
func (d *Door) check(r *http.Request) (q request, status int, err error) {
	d.mu.Lock()
	closing := d.closing
	d.mu.Unlock()
	if closing {
		return q, http.StatusServiceUnavailable, errStopping
	}
	if err := d.Gateway.Auth.CheckRequest(r); err != nil {
		return q, http.StatusForbidden, err
	}
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") || r.Header.Get("Sec-WebSocket-Version") != "13" {
		return q, http.StatusUpgradeRequired, errNotUpgrade
	}
	// The strings are parts of the request's; copied, they do not keep it.
	q.session = strings.Clone(r.PathValue("session_id"))
	if q.session == "" {
		return q, http.StatusNotFound, errors.New("the address names no session: connect to /ws/ and a session id")
	}
	if err := protocol.CheckSessionID(q.session); err != nil {
		return q, http.StatusBadRequest, err
	}
	query := r.URL.Query()
	q.client, q.resume = strings.Clone(query.Get("client_id")), query.Get("resume_from")
	if err := checkClientID(q.client); err != nil {
		return q, http.StatusBadRequest, err
	}
	if create := query.Get("create"); create != "" {
		if q.create, err = strconv.ParseBool(create); err != nil {
			return q, http.StatusBadRequest, errors.New("create must be true or false")
		}
	}
	q.shown = auth.FromRequest(r)
	return q, 0, nil
}

const maxClientID = 128

func checkClientID(id string) error {
	if !utf8.ValidString(id) {
		return errors.New("client_id is not valid UTF-8")
	}
	if n := utf8.RuneCountInString(id); n > maxClientID {
		return fmt.Errorf("client_id has %d characters; at most %d are allowed", n, maxClientID)
	}
	for _, r := range id {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("client_id holds %U, which cannot be printed", r)
		}
	}
	return nil
}

// problem answers with RFC 9457 problem details.
func problem(w http.ResponseWriter, status int, err error) {
	var e *protocol.Error
	if !errors.As(err, &e) {
		e = protocol.Errorf(protocol.CodeInvalidMessage, "%s", err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	if status == http.StatusUpgradeRequired {
		h.Set("Connection", "Upgrade")
		h.Set("Upgrade", "websocket")
		h.Set("Sec-WebSocket-Version", "13")
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(struct {
		Title  string        `json:"title"`
		Status int           `json:"status"`
		Detail string        `json:"detail"`
		Code   protocol.Code `json:"code"`
		Name   string        `json:"name"`
	}{http.StatusText(status), status, e.Message, e.Code, e.Name})
}

package rest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/parley-dev/parley/protocol"
)

// event is one server-sent event.
type event struct {
	id   string
	typ  protocol.Type
	data string
}

func (e event) payload(v any) error {
	var env struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal([]byte(e.data), &env); err != nil {
		return err
	}
	return json.Unmarshal(env.Data, v)
}

// follower reads a stream.
type follower struct {
	h      *house
	resp   *http.Response
	lines  *bufio.Reader
	cancel context.CancelFunc
	seen   []event
	beats  int
}

// follow opens a stream; after is a cursor or nothing.
func (h *house) follow(id, after string, headers ...string) *follower {
	h.t.Helper()
	ctx, cancel := context.WithCancel(h.t.Context())
	path := "/api/v1/sessions/" + id + "/stream"
	if after != "" {
		path += "?after=" + after
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.http.URL+path, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		cancel()
		h.t.Fatal(err)
	}
	f := &follower{h: h, resp: resp, lines: bufio.NewReader(resp.Body), cancel: cancel}
	h.t.Cleanup(f.close)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		body, _ := io.ReadAll(resp.Body)
		h.t.Fatalf("stream: %d %s %s", resp.StatusCode, resp.Header.Get("Content-Type"), body)
	}
	return f
}

func (f *follower) close() {
	f.cancel()
	f.resp.Body.Close()
}

// next gives the next event; ok is false at the end.
func (f *follower) next() (e event, ok bool) {
	f.h.t.Helper()
	for {
		line, err := f.lines.ReadString('\n')
		if err != nil {
			return e, false
		}
		line = strings.TrimSuffix(line, "\n")
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "" && e.typ != "":
			f.seen = append(f.seen, e)
			return e, true
		case name == "id":
			e.id = value
		case name == "event":
			e.typ = protocol.Type(value)
		case name == "data":
			e.data = value
		case strings.HasPrefix(line, ":"):
			f.beats++
		}
	}
}

// until reads up to the first event of a type.
func (f *follower) until(t protocol.Type) event {
	f.h.t.Helper()
	for {
		e, ok := f.next()
		if !ok {
			f.h.t.Fatalf("the stream ended before %s; it had %v", t, f.types())
		}
		if e.typ == t {
			return e
		}
	}
}

func (f *follower) types() (all []protocol.Type) {
	for _, e := range f.seen {
		all = append(all, e.typ)
	}
	return all
}

// records are the events that are in the journal.
func (f *follower) records() (all []event) {
	for _, e := range f.seen {
		if e.id != "" {
			all = append(all, e)
		}
	}
	return all
}

// record reads up to the record with this id and gives its type.
func (f *follower) record(id any) protocol.Type {
	f.h.t.Helper()
	for _, e := range f.seen {
		if e.id == id {
			return e.typ
		}
	}
	for {
		e, ok := f.next()
		if !ok {
			f.h.t.Fatalf("the stream ended before %s", id)
		}
		if e.id == id {
			return e.typ
		}
	}
}

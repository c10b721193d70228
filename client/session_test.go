package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/parley-dev/parley/protocol"
)

// room is a session as a real server keeps it: a journal, texts being written,
// commands acted on once, clients that join with a cursor. Its lines are cut
// as a test says.
type room struct {
	mu      sync.Mutex
	cuts    []cut // one for each connection; the rest stay
	journal []string
	open    map[string]*protocol.OpenMessage
	acted   map[string]uint64 // message_id → record
	times   map[string]int    // content → how often it was acted on
	guests  map[*guest]struct{}
}

// cut says how a connection ends: after so many frames, sent or received.
type cut struct {
	after int // negative: never
	code  protocol.CloseCode
}

type guest struct {
	ws    *websocket.Conn
	queue chan string
	mu    sync.Mutex
	left  int
	code  protocol.CloseCode
}

func newRoom(cuts []cut) *room {
	return &room{
		cuts: cuts, open: map[string]*protocol.OpenMessage{}, acted: map[string]uint64{},
		times: map[string]int{}, guests: map[*guest]struct{}{},
	}
}

func (r *room) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	c := r.nextCut()
	if c.after == 0 && c.code == 0 {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	ws, err := websocket.Accept(w, req, nil)
	if err != nil {
		return
	}
	defer ws.CloseNow()
	g := &guest{ws: ws, queue: make(chan string, 10_000), left: c.after, code: c.code}
	r.join(g, req.URL.Query().Get("resume_from"))
	defer r.leave(g)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		defer cancel()
		r.listen(g)
	}()
	for {
		select {
		case f := <-g.queue:
			if !g.spend() || ws.Write(ctx, websocket.MessageText, []byte(f)) != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

func (r *room) nextCut() cut {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.cuts) == 0 {
		return cut{after: -2}
	}
	c := r.cuts[0]
	r.cuts = r.cuts[1:]
	return c
}

// spend counts a frame, and hangs up if it is one too many.
func (g *guest) spend() bool {
	g.mu.Lock()
	g.left--
	over := g.left == -1
	g.mu.Unlock()
	switch {
	case over && g.code != 0:
		_ = g.ws.Close(websocket.StatusCode(g.code), "")
	case over:
		_ = g.ws.CloseNow()
	}
	return !over
}

func (r *room) join(g *guest, resume string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := uint64(len(r.journal))
	after := last
	if resume != "" {
		after, _ = protocol.ParseMessageID(resume)
	}
	var open []protocol.OpenMessage
	for _, o := range r.open {
		open = append(open, *o)
	}
	g.queue <- state(last, open...)
	for _, f := range r.journal[after:] {
		g.queue <- f
	}
	for _, o := range open {
		g.queue <- joined(o.OpenID, 0, o.NextIndex-1, o.Text)
	}
	r.guests[g] = struct{}{}
}

func (r *room) leave(g *guest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.guests, g)
}

func (r *room) listen(g *guest) {
	for {
		_, b, err := g.ws.Read(context.Background())
		if err != nil || !g.spend() {
			return
		}
		var e protocol.Envelope
		var m protocol.UserMessage
		if json.Unmarshal(b, &e) != nil || json.Unmarshal(e.Data, &m) != nil {
			panic(fmt.Sprintf("the client sent %q", b))
		}
		r.mu.Lock()
		seq, again := r.acted[e.MessageID]
		if !again {
			seq = r.record(func(seq uint64) string { return said(seq, m.Content) })
			r.acted[e.MessageID] = seq
			r.times[m.Content]++
		}
		g.queue <- acked(e.MessageID, seq)
		r.mu.Unlock()
	}
}

func (r *room) record(f func(seq uint64) string) uint64 {
	seq := uint64(len(r.journal) + 1)
	r.journal = append(r.journal, f(seq))
	r.send(r.journal[seq-1])
	return seq
}

func (r *room) send(f string) {
	for g := range r.guests {
		g.queue <- f
	}
}

// say records a message at once; write streams one, piece by piece.
func (r *room) say(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record(func(seq uint64) string { return said(seq, text) })
}

func (r *room) write(id string, pieces int, pause time.Duration) {
	text := ""
	for i := range pieces {
		time.Sleep(pause)
		piece := fmt.Sprintf("<%s:%d>", id, i)
		r.mu.Lock()
		text += piece
		r.open[id] = &protocol.OpenMessage{OpenID: id, Text: text, NextIndex: i + 1}
		r.send(delta(id, i, piece))
		r.mu.Unlock()
	}
	time.Sleep(pause)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, id)
	r.record(func(seq uint64) string { return finished(seq, id, text) })
}

// stop lets every guest's goroutines end.
func (r *room) stop() {
	r.mu.Lock()
	for g := range r.guests {
		_ = g.ws.CloseNow()
	}
	r.mu.Unlock()
	synctest.Wait()
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const fanoutHow = "Parley's server (the library in a child of this program, so that its model can be fed) and the peer run as processes; the viewers are raw sockets in this one, the same for both. " +
	"A message has 500 bytes on the wire. What is judged are records, made by commands that one of the viewers sends: each is a frame of its own, decided and synced to disk before anyone " +
	"gets it, one after the other, so a session's own syncs bound their rate. The peer's are publications of centrifuge 0.38 without history, in memory, made inside the peer; it joins several in one " +
	"WebSocket frame, and each counts. At most 512 messages are under way: the next 256 are sent when all viewers have the 256 before the last. Every viewer gets every message, or the run fails. " +
	"Processor time is the server's alone. The rows of streamed chunks are not judged: they count pieces of text, of which the server joins many in one frame, so a delivery there is not a message as the peer's is."

const wireSize = 500

// load is messages that a server is made to send to a crowd.
type load struct {
	name string
	*crowd
	*process
	publish func(n int) error
	// What the rounds gave: deliveries a second, the server's processor seconds
	// for a million, and this process's share of its own.
	rates, cpu, own sample
	units, frames   *atomic.Int64 // of a load whose messages may come joined
}

// joined is how many messages came in one frame.
func (l *load) joined() float64 { return float64(l.units.Load()) / float64(l.frames.Load()) }

// run publishes so many messages, as fast as the viewers take them.
func (l *load) run(ctx context.Context, total int) error {
	const batch = 256
	cpu, err := l.process.cpu()
	if err != nil {
		return err
	}
	own, begun := ownCPU(), time.Now()
	w := l.read(total, batch)
	for k := range w.landed {
		if k >= 2 {
			if err := w.wait(ctx, k-2); err != nil {
				return err
			}
		}
		if err := l.publish(min(batch, total-k*batch)); err != nil {
			return err
		}
	}
	if err := w.last(ctx); err != nil {
		return err
	}
	took := time.Since(begun).Seconds()
	used, err := l.process.cpu()
	if err != nil {
		return err
	}
	millions := float64(total) * float64(len(l.viewers)) / 1e6
	l.rates = append(l.rates, millions*1e6/took)
	l.cpu = append(l.cpu, (used-cpu)/millions)
	l.own = append(l.own, (ownCPU()-own)/millions)
	return nil
}

func runFanout(ctx context.Context, h *house) ([]row, error) {
	data, err := h.dir("fanout")
	if err != nil {
		return nil, err
	}
	s, err := h.serveHere(serving{Data: data, Model: "fed"})
	if err != nil {
		return nil, err
	}
	defer s.stop()
	peer, missing := h.peer(ctx)
	if missing == nil {
		defer peer.kill()
	}
	var rows []row
	for _, viewers := range []int{1000, 100} {
		loads, err := fanoutTo(ctx, h, s, peer, viewers)
		if err != nil {
			return rows, err
		}
		rows = append(rows, fanoutRows(viewers, loads, missing)...)
	}
	return rows, nil
}

// fanoutLoads are what is sent in turns; theirs is nil if there is no peer.
type fanoutLoads struct{ theirs, records, chunks *load }

func fanoutTo(ctx context.Context, h *house, s *server, peer *process, viewers int) (l fanoutLoads, err error) {
	if l.records, err = recordLoad(s, fmt.Sprintf("records_%d", viewers), viewers); err != nil {
		return l, err
	}
	defer l.records.crowd.close()
	if l.chunks, err = chunkLoad(s, fmt.Sprintf("chunks_%d", viewers), viewers); err != nil {
		return l, err
	}
	defer l.chunks.crowd.close()
	if peer != nil {
		if l.theirs, err = peerLoad(peer, viewers); err != nil {
			return l, err
		}
		defer l.theirs.crowd.close()
	}
	total := h.pick(1_500_000, 300_000) / viewers
	for round := range h.pick(4, 2) {
		for _, load := range []*load{l.theirs, l.records, l.chunks} {
			if load == nil {
				continue
			}
			if err := load.run(ctx, total); err != nil {
				return l, fmt.Errorf("%s: %w", load.name, err)
			}
		}
		h.logf("  %d viewers, round %d: %s records, %s chunks", viewers, round+1, rate(l.records.rates[round]), rate(l.chunks.rates[round]))
	}
	// The model never ends by itself.
	return l, l.chunks.viewers[0].send([]byte(`{"type":"control_cancel","data":{}}`))
}

func fanoutRows(viewers int, l fanoutLoads, missing error) (rows []row) {
	for _, ours := range []*load{l.records, l.chunks} {
		deliveries := row{What: fmt.Sprintf("fan-out of %s to %s viewers, deliveries", ours.name, thousands(viewers)), Measured: rate(ours.rates.median()), Verdict: info}
		cpu := row{What: fmt.Sprintf("processor time for a million of these to %s viewers, unpaced", thousands(viewers)), Measured: ours.cpu.spread("%.2f s"), Verdict: info}
		deliveries.Note = fmt.Sprintf("the viewers themselves used %s for a million deliveries", duration(ours.own.median()))
		judged := ours == l.records
		if viewers == 100 && judged {
			cpu.Budget, cpu.Verdict = "≤ 2 s", within(ours.cpu.median() <= 2)
		}
		if viewers == 1000 && judged {
			deliveries.Budget = "≥ 3x"
		}
		if l.theirs == nil {
			deliveries.Verdict, deliveries.Note = skipped, "the peer cannot be had: "+missing.Error()
		} else {
			ratios := ours.rates.over(l.theirs.rates)
			deliveries.Baseline, cpu.Baseline = rate(l.theirs.rates.median())+" centrifuge", l.theirs.cpu.spread("%.2f s")
			deliveries.Ratio, cpu.Ratio = ratios.spread("%.1fx"), ours.cpu.over(l.theirs.cpu).spread("%.2fx")
			deliveries.Note += fmt.Sprintf(", and %s with the peer", duration(l.theirs.own.median()))
			if viewers == 1000 && judged {
				deliveries.Verdict = within(ratios.median() >= 3)
			}
		}
		if !judged {
			deliveries.Note += fmt.Sprintf("; %.1f chunks came in one frame, so %s frames", ours.joined(), rate(ours.rates.median()/ours.joined()))
		}
		rows = append(rows, deliveries, cpu)
	}
	return rows
}

// small is below what a message of the load has: heartbeats and the like.
const small = 200

func countLarge(text []byte) int {
	if len(text) < small {
		return 0
	}
	return messages(text)
}

// recordLoad makes a session with viewers. The first of them renames the session
// again and again; each time a record comes of it.
func recordLoad(s *server, session string, viewers int) (*load, error) {
	c, err := gather(viewers, countLarge, func(int) (*socket, error) { return s.join(session, 32<<10) })
	if err != nil {
		return nil, err
	}
	command, err := sized(c)
	if err != nil {
		c.close()
		return nil, err
	}
	return &load{name: "durable records", crowd: c, process: s.process, publish: func(n int) error {
		texts := make([][]byte, n)
		for i := range texts {
			texts[i] = command
		}
		return c.viewers[0].send(texts...)
	}}, nil
}

// chunkLoad makes a session with viewers in which a model writes when it is fed.
func chunkLoad(s *server, session string, viewers int) (*load, error) {
	var units, frames atomic.Int64
	count := func(text []byte) int {
		if kind(text) != "agent_response" {
			return 0
		}
		n := len(deltaOf(text)) / len(fedChunk)
		units.Add(int64(n))
		frames.Add(1)
		return n
	}
	c, err := gather(viewers, count, func(int) (*socket, error) { return s.join(session, 32<<10) })
	if err != nil {
		return nil, err
	}
	if err := c.viewers[0].send(message("go")); err != nil {
		c.close()
		return nil, err
	}
	return &load{name: "streamed chunks (joined)", crowd: c, process: s.process, units: &units, frames: &frames, publish: func(n int) error {
		_, err := s.ask(strconv.Itoa(n))
		return err
	}}, nil
}

// sized makes the command whose record has the wanted size on the wire.
func sized(c *crowd) ([]byte, error) {
	make := func(title int) []byte {
		b, err := json.Marshal(map[string]any{"type": "update_session", "data": map[string]any{"title": strings.Repeat("x", title)}})
		if err != nil {
			panic(err) // a string
		}
		return b
	}
	const guess = 250
	if err := c.viewers[0].send(make(guess)); err != nil {
		return nil, err
	}
	size := 0
	for _, v := range c.viewers {
		text, err := v.next()
		if err != nil {
			return nil, err
		}
		size = len(text)
	}
	return make(guess + wireSize - size), nil
}

// peer builds and starts the server we compare with.
func (h *house) peer(ctx context.Context) (*process, error) {
	path, err := h.build(ctx, "bench/peer", ".")
	if err != nil {
		return nil, err
	}
	return start(path)
}

func peerLoad(p *process, viewers int) (*load, error) {
	addr := strings.TrimSpace(string(p.first))
	c, err := gather(viewers, countLarge, func(int) (*socket, error) {
		s, err := dial(addr, "/ws", 32<<10)
		if err != nil {
			return nil, err
		}
		if err := s.send([]byte(`{"id":1,"connect":{}}`)); err != nil {
			return nil, err
		}
		_, err = s.next()
		return s, err
	})
	if err != nil {
		return nil, err
	}
	return &load{name: "the peer's publications", crowd: c, process: p, publish: func(n int) error {
		resp, err := http.Post(fmt.Sprintf("http://%s/publish?n=%d&size=%d", addr, n, wireSize), "", nil)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("publish: %s", resp.Status)
		}
		return nil
	}}, nil
}

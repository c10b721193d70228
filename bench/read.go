package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
)

const readHow = "Over REST, until the whole body is read: 1,000 messages of a session as the message store tells them and as the page shows them, and 1,000 records of its journal, each in one page. " +
	"Warm is the median of many calls, after restart the median of the first calls of freshly started servers. The session has about 6,000 records. " +
	"The baseline is a bare HTTP server in this process that answers the same bytes from memory."

// reading is something that is read.
type reading struct {
	what        string
	paths       []string
	judged      bool
	warm, fresh sample
	base        sample
}

func runRead(ctx context.Context, h *house) ([]row, error) {
	f, err := h.indexed(ctx)
	if err != nil {
		return nil, err
	}
	readings := []*reading{
		{what: "1,000 messages", judged: true, paths: []string{"/api/v1/sessions/" + f.middle + "/messages?limit=1000"}},
		{what: "1,000 messages, view=ui", judged: true, paths: []string{"/api/v1/sessions/" + f.middle + "/messages?view=ui&limit=1000"}},
		{what: "1,000 records of the journal", paths: []string{"/api/v1/sessions/" + f.middle + "/events?limit=1000"}},
		{what: "1,000 records in the middle of the long session's journal", paths: []string{
			fmt.Sprintf("/api/v1/sessions/%s/events?limit=1000&after=msg_%010d", f.long, f.records/2),
		}},
	}
	for range h.pick(7, 3) {
		for _, r := range readings {
			if err := r.restart(ctx, h, f.dir); err != nil {
				return nil, err
			}
		}
	}
	s, err := h.serve(ctx, f.dir, "offline")
	if err != nil {
		return nil, err
	}
	defer s.kill()
	for _, r := range readings {
		if err := r.repeat(s.URL, h.pick(60, 20)); err != nil {
			return nil, err
		}
	}
	var rows []row
	for _, r := range readings {
		rows = append(rows, r.row("warm", "≤ 5 ms", 0.005, r.warm), r.row("after restart", "≤ 10 ms", 0.010, r.fresh))
	}
	long, err := longMessages(s.URL, f, h.pick(60, 20))
	return append(rows, long...), err
}

func (r *reading) row(when, budget string, limit float64, s sample) row {
	out := row{
		What: "read " + r.what + ", " + when, Measured: s.times(), Baseline: r.base.times() + " bare",
		Ratio: fmt.Sprintf("%.1fx", s.median()/r.base.median()), Verdict: info,
	}
	if r.judged {
		out.Budget, out.Verdict = budget, within(s.median() <= limit)
	}
	return out
}

// restart starts a server, reads once and stops it.
func (r *reading) restart(ctx context.Context, h *house, dir string) error {
	s, err := h.serve(ctx, dir, "offline")
	if err != nil {
		return err
	}
	_, took, err := r.all(s.URL)
	r.fresh = append(r.fresh, took)
	if err != nil {
		s.kill()
		return err
	}
	return s.stop()
}

// repeat reads many times, in turns with the baseline.
func (r *reading) repeat(url string, times int) error {
	bodies, _, err := r.all(url)
	if err != nil {
		return err
	}
	bare, stop, err := echo(bodies)
	if err != nil {
		return err
	}
	defer stop()
	for range times {
		_, took, err := r.all(url)
		if err != nil {
			return err
		}
		r.warm = append(r.warm, took)
		if _, took, err = r.all(bare); err != nil {
			return err
		}
		r.base = append(r.base, took)
	}
	return nil
}

func (r *reading) all(url string) (bodies map[string][]byte, seconds float64, err error) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	bodies = map[string][]byte{}
	for _, path := range r.paths {
		body, took, err := get(client, url+path)
		if err != nil {
			return nil, 0, err
		}
		var page struct{ Items []json.RawMessage }
		if err := json.Unmarshal(body, &page); err != nil || len(page.Items) != 1000/len(r.paths) {
			return nil, 0, fmt.Errorf("GET %s gave %d items: %w", path, len(page.Items), err)
		}
		bodies[path] = body
		seconds += took
	}
	return bodies, seconds, nil
}

// echo serves bodies from memory.
func echo(bodies map[string][]byte) (url string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(bodies[r.RequestURI])
	})}
	go s.Serve(listener)
	return "http://" + listener.Addr().String(), func() { s.Close() }, nil
}

// longMessages reads pages of the very long session: what a person sees who
// opens it and looks back. A page of a session with a thousandth of the records
// is what it is measured against.
func longMessages(url string, f *fixture, rounds int) ([]row, error) {
	base := "/api/v1/sessions/" + f.short + "/messages?limit=50"
	var rows []row
	for _, page := range []struct{ what, path string }{
		{"the last 50 messages", "/messages?limit=50&tail=true"},
		{"50 messages in the middle", fmt.Sprintf("/messages?limit=50&offset=%d", f.records/6)},
	} {
		var ours, short sample
		for range rounds {
			_, took, err := get(http.DefaultClient, url+"/api/v1/sessions/"+f.long+page.path)
			if err != nil {
				return nil, err
			}
			ours = append(ours, took)
			if _, took, err = get(http.DefaultClient, url+base); err != nil {
				return nil, err
			}
			short = append(short, took)
		}
		rows = append(rows, row{
			What: fmt.Sprintf("read %s of a session of %s records", page.what, thousands(f.records)), Measured: ours.times(),
			Baseline: short.times() + fmt.Sprintf(" of %s records", thousands(shortRecords)), Ratio: fmt.Sprintf("%.2fx", ours.median()/short.median()), Verdict: info,
		})
	}
	return rows, nil
}

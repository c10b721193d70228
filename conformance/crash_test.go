package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// crashes is how often the plug is pulled: a few times in every run, as often
// as PARLEY_SOAK says in a long one.
func crashes() int {
	if n, err := strconv.Atoi(os.Getenv("PARLEY_SOAK")); err == nil && n > 0 {
		return n
	}
	return 6
}

const (
	crashSessions = 20
	// kept is how long text has been on the screen when it must survive.
	kept = 500 * time.Millisecond
)

// The plug is pulled again and again while twenty sessions work. After each
// restart: no record that a client had received is missing or changed, none is
// there twice, numbers are dense, the messages sent again acted once, and the
// text that was on the screen half a second before is still there.
func TestKill(t *testing.T) {
	data := t.TempDir()
	args := []string{"--auth", "none", "--no-rate-limits", "--model", "script:testdata/load.yaml", "--log-level", "error"}
	s := start(t, data, args...)
	random := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	watchers := make([]*watcher, crashSessions)
	for i := range watchers {
		watchers[i] = newWatcher(fmt.Sprintf("crash_%02d", i))
	}
	checked := 0
	for round := range crashes() {
		stop := make(chan struct{})
		var wg sync.WaitGroup
		for _, w := range watchers {
			wg.Go(func() { w.watch(s, stop) })
		}
		alive := 100 + random.IntN(1400)
		if round%3 == 0 { // now and then long enough for text to grow old
			alive = 1000 + random.IntN(500)
		}
		time.Sleep(time.Duration(alive) * time.Millisecond)
		s.kill()
		killed := time.Now()
		close(stop)
		wg.Wait()
		s = start(t, data, args...)
		for _, w := range watchers {
			checked += w.check(t, s, killed, round)
		}
		if t.Failed() {
			break
		}
	}
	t.Logf("%d crashes, %d records of %d sessions, %d interrupted texts looked at", crashes(), total(watchers), crashSessions, checked)
	if total(watchers) < crashSessions*5 || checked == 0 {
		t.Errorf("too little happened for the test to mean anything")
	}
	s.stop()
}

func total(ws []*watcher) (n int) {
	for _, w := range ws {
		n += len(w.got)
	}
	return n
}

// watcher is a client that keeps one session busy and writes down what it saw.
type watcher struct {
	session string
	got     []frame             // records, in the order they came
	acked   map[string]string   // own message id → record id
	said    int                 // messages sent so far
	waiting string              // message sent and not acknowledged
	screen  map[string][]glance // open message → what was on the screen when
	fault   error
}

type glance struct {
	at   time.Time
	text string
}

func newWatcher(session string) *watcher {
	return &watcher{session: session, acked: map[string]string{}, screen: map[string][]glance{}}
}

// watch connects, catches up and keeps talking until the server is gone.
func (w *watcher) watch(s *server, stop <-chan struct{}) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { <-stop; cancel() }()
	last := "msg_0000000000"
	if len(w.got) > 0 {
		last = w.got[len(w.got)-1].MessageID
	}
	o, err := dial(ctx, s, w.session, last, w.session)
	if err != nil {
		return
	}
	defer o.close()
	if w.waiting == "" {
		w.said++
		w.waiting = fmt.Sprintf("%s-%d", w.session, w.said)
	}
	if o.say(ctx, w.session, w.waiting, "words of "+w.waiting) != nil {
		return
	}
	for {
		f, err := o.read(ctx)
		if err != nil {
			return
		}
		w.note(f)
		if f.Type == "complete" && w.waiting == "" {
			w.said++
			w.waiting = fmt.Sprintf("%s-%d", w.session, w.said)
			if o.say(ctx, w.session, w.waiting, "words of "+w.waiting) != nil {
				return
			}
		}
	}
}

func (w *watcher) note(f frame) {
	if f.MessageID != "" {
		w.got = append(w.got, f)
	}
	switch f.Type {
	case "ack":
		id, _ := f.Data["in_reply_to"].(string)
		record, _ := f.Data["message_id"].(string)
		if ok, _ := f.Data["ok"].(bool); !ok {
			w.fault = fmt.Errorf("%s was refused: %v", id, f.Data)
		}
		if before, twice := w.acked[id]; twice && before != record {
			w.fault = fmt.Errorf("%s was answered with %s and with %s", id, before, record)
		}
		w.acked[id] = record
		if id == w.waiting {
			w.waiting = ""
		}
	case "agent_response":
		id, _ := f.Data["open_id"].(string)
		delta, _ := f.Data["delta"].(string)
		text := delta
		if _, joined := f.Data["from_index"]; !joined {
			if g := w.screen[id]; len(g) > 0 {
				text = g[len(g)-1].text + delta
			}
		}
		w.screen[id] = append(w.screen[id], glance{time.Now(), text})
	}
}

// check compares what the client saw with what the server has after the crash,
// and says how many texts it could look at.
func (w *watcher) check(t *testing.T, s *server, killed time.Time, round int) (texts int) {
	t.Helper()
	if w.fault != nil {
		t.Errorf("round %d, %s: %v", round, w.session, w.fault)
	}
	stored := s.journal(t, w.session)
	for i, f := range stored {
		if want := fmt.Sprintf("msg_%010d", i+1); f.MessageID != want {
			t.Fatalf("round %d, %s: record %d has id %s", round, w.session, i+1, f.MessageID)
		}
	}
	for i, f := range w.got {
		if i >= len(stored) || stored[i].raw != f.raw {
			t.Fatalf("round %d, %s: record %s that a client has seen is missing or changed", round, w.session, f.MessageID)
		}
	}
	acted := map[string]int{}
	finished, interrupted := map[string]string{}, map[string]bool{}
	for _, f := range stored {
		if content, ok := userWords(f); ok {
			acted[content]++
		}
		if id, text, partial, ok := finishedText(f); ok {
			finished[id], interrupted[id] = text, partial
		}
	}
	for id := range w.acked {
		if n := acted["words of "+id] + queued(stored, "words of "+id); n != 1 {
			t.Errorf("round %d, %s: message %s acted %d times", round, w.session, id, n)
		}
	}
	for id, glances := range w.screen {
		old := ""
		for _, g := range glances {
			if killed.Sub(g.at) >= kept {
				old = g.text
			}
		}
		if old == "" {
			continue
		}
		if interrupted[id] { // it was being written when the plug was pulled
			texts++
		}
		if !strings.HasPrefix(finished[id], old) {
			t.Errorf("round %d, %s: %s had %d bytes on the screen, %d are left", round, w.session, id, len(old), len(finished[id]))
		}
	}
	w.screen = map[string][]glance{}
	return texts
}

// userWords is what a person said, once it has become a message.
func userWords(f frame) (string, bool) {
	if f.Type != "message" || f.Data["role"] != "user" {
		return "", false
	}
	m, _ := f.Data["message"].(map[string]any)
	text, ok := m["text"].(string)
	return text, ok
}

// queued counts messages that still wait for their turn.
func queued(stored []frame, content string) (n int) {
	started := map[string]bool{}
	for _, f := range stored {
		if f.Type == "turn_started" {
			input, _ := f.Data["input"].(string)
			started[input] = true
		}
	}
	for _, f := range stored {
		if f.Type == "message_queued" && f.Data["content"] == content && !started[f.MessageID] {
			n++
		}
	}
	return n
}

func finishedText(f frame) (id, text string, partial, ok bool) {
	if f.Type != "message" {
		return "", "", false, false
	}
	id, ok = f.Data["open_id"].(string)
	m, _ := f.Data["message"].(map[string]any)
	text, _ = m["text"].(string)
	partial, _ = m["partial"].(bool)
	return id, text, partial, ok
}

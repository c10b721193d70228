package acp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/parley-dev/parley/model"
)

// talk is one conversation with one process. It is held by whoever listens to it
// or lets it act, one at a time; between, a clock runs.
type talk struct {
	model  *Model
	folder string
	key    string
	conn   *conn
	wake   chan struct{} // something has changed; for the holder

	mu   sync.Mutex
	at   place
	held bool
	dead bool
	rest *time.Timer   // ends what nobody came back to
	calm chan struct{} // closed when a pause has taken effect; nil if none is being made

	queue   []item
	size    int  // of the texts in it
	flooded bool // more came than is kept

	prompted bool // the agent was told something, and that its turn ended was not heard yet
	over     bool // its turn has ended
	paused   bool // because nobody listened

	calls  map[sdk.ToolCallId]*act
	asks   map[int]*ask // not decided yet
	did    map[int]*act // told of, and their outcome not fetched yet
	given  *ask         // what the last answer ended in
	number int          // of asks and deeds

	cost, billed float64     // in US dollars, so far
	guessed      model.Usage // of the turn that runs
}

// item is something that an agent said and that nobody has heard yet. One field
// is set.
type item struct {
	text, thought string
	plan          []sdk.PlanEntry
	ask           *ask
	did           int
	end           *ending
}

// ending is how a turn of the agent ended.
type ending struct {
	result sdk.PromptResponse
	err    error
}

func newTalk(m *Model, folder string) *talk {
	return &talk{
		model: m, folder: folder, key: rand.Text(), wake: make(chan struct{}, 1), held: true,
		calls: map[sdk.ToolCallId]*act{}, asks: map[int]*ask{}, did: map[int]*act{},
	}
}

func (t *talk) named(session sdk.SessionId) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at.session = session
}

// hold takes the talk if nobody has it and it fits.
func (t *talk) hold(fits func() bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.calm != nil {
		calm := t.calm
		t.mu.Unlock()
		<-calm
		t.mu.Lock()
	}
	if t.held || t.dead || !fits() {
		return false
	}
	t.held = true
	if t.rest != nil {
		t.rest.Stop()
	}
	return true
}

// release gives it back. An agent at work that nobody comes back to is stopped
// soon; one that waits, later.
func (t *talk) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = false
	if t.dead {
		return
	}
	if t.prompted && !t.over && len(t.asks) == 0 {
		t.rest = time.AfterFunc(t.model.config.Alone, t.pause)
	} else {
		t.rest = time.AfterFunc(t.model.config.Idle, t.expire)
	}
}

// pause stops an agent that works while nobody listens. It is told to go on when
// somebody does.
func (t *talk) pause() {
	calm := make(chan struct{})
	if !t.hold(func() bool {
		if !t.prompted || t.over {
			return false
		}
		t.calm = calm
		return true
	}) {
		return
	}
	stopped := t.halt(t.model.config.Grace)
	t.mu.Lock()
	t.calm, t.paused, t.dead = nil, true, !stopped
	close(calm)
	t.mu.Unlock()
	if stopped {
		t.release()
	} else {
		t.model.end(t, false)
	}
}

// expire ends a talk that nobody needs.
func (t *talk) expire() {
	if t.hold(func() bool { return true }) {
		t.model.end(t, true)
	}
}

// bury sees to it that nobody holds it again, and says where it ended.
func (t *talk) bury() place {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dead = true
	if t.rest != nil {
		t.rest.Stop()
	}
	return t.at
}

// prompt tells the agent something.
func (t *talk) prompt(blocks []sdk.ContentBlock, heard []uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.prompted, t.over, t.paused, t.at.heard, t.guessed = true, false, false, heard, model.Usage{}
	clear(t.calls)
	request := sdk.PromptRequest{SessionId: t.at.session, Prompt: blocks}
	if !t.conn.run(func() {
		result, err := sdk.SendRequest[sdk.PromptResponse](t.conn.rpc, context.Background(), sdk.AgentMethodSessionPrompt, request)
		t.conn.lines.settle() // an agent that is gone may have said something before
		t.mu.Lock()
		defer t.mu.Unlock()
		t.ended(ending{result, err})
	}) {
		t.ended(ending{err: errClosed})
	}
}

var errClosed = errors.New("the connection to the agent is closed")

// ended notes that the agent's turn is over; t.mu is held.
func (t *talk) ended(e ending) {
	t.over = true
	t.decideAll(cancelled)
	t.push(item{end: &e})
}

// maxQueued is how much an agent may say that nobody hears.
const maxQueued = 16 << 20

// push appends what the agent said; t.mu is held. Texts that nobody hears for
// long are joined.
func (t *talk) push(it item) {
	const backlog = 256
	if t.size += len(it.text) + len(it.thought); t.size > maxQueued && it.end == nil {
		t.flooded = true
		return
	}
	if n := len(t.queue); n > backlog {
		last := &t.queue[n-1]
		if it.text != "" && last.text != "" || it.thought != "" && last.thought != "" {
			last.text += it.text
			last.thought += it.thought
			return
		}
	}
	t.queue = append(t.queue, it)
	t.changed()
}

// changed tells the holder; t.mu is held.
func (t *talk) changed() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// halt has the agent stop and says whether it did.
func (t *talk) halt(grace time.Duration) bool {
	t.mu.Lock()
	t.decideAll(cancelled)
	done, session := !t.prompted || t.over, t.at.session
	t.mu.Unlock()
	if done {
		return true
	}
	if t.conn.rpc.SendNotification(context.Background(), sdk.AgentMethodSessionCancel, sdk.CancelNotification{SessionId: session}) != nil {
		return false
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	for {
		t.mu.Lock()
		done := t.over
		t.mu.Unlock()
		if done {
			return true
		}
		select {
		case <-t.wake:
		case <-timer.C:
			return false
		}
	}
}

// stop has the agent stop, and forgets what it was about.
func (t *talk) stop(grace time.Duration) bool {
	if !t.halt(grace) {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue, t.size, t.given, t.prompted, t.paused = nil, 0, nil, false, false
	clear(t.calls)
	clear(t.did)
	return true
}

// handlers are what the agent may ask of us.
func (t *talk) handlers() handlers {
	return handlers{
		sdk.ClientMethodSessionUpdate:            on(t.update),
		sdk.ClientMethodSessionRequestPermission: on(t.permission),
		sdk.ClientMethodFsReadTextFile:           on(t.readFile),
		sdk.ClientMethodFsWriteTextFile:          on(t.writeFile),
	}
}

// update takes what the agent reports of its turn. Outside of one it repeats the
// past, or tells of itself.
func (t *talk) update(_ context.Context, n sdk.SessionNotification) (any, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	u := n.Update
	if c := u.UsageUpdate; c != nil && c.Cost != nil && c.Cost.Currency == "USD" {
		t.cost = c.Cost.Amount
	}
	if n.SessionId != t.at.session || !t.prompted || t.over {
		return nil, nil
	}
	switch {
	case u.AgentMessageChunk != nil:
		t.push(item{text: textOf(u.AgentMessageChunk.Content)})
	case u.AgentThoughtChunk != nil:
		t.push(item{thought: textOf(u.AgentThoughtChunk.Content)})
	case u.Plan != nil:
		t.push(item{plan: u.Plan.Entries})
	case u.ToolCall != nil:
		c := u.ToolCall
		t.progress(sdk.ToolCallUpdate{
			ToolCallId: c.ToolCallId, Title: &c.Title, Kind: &c.Kind, Status: &c.Status,
			Locations: c.Locations, RawInput: c.RawInput, RawOutput: c.RawOutput, Content: c.Content,
		})
	case u.ToolCallUpdate != nil:
		c := u.ToolCallUpdate
		t.progress(sdk.ToolCallUpdate{
			ToolCallId: c.ToolCallId, Title: c.Title, Kind: c.Kind, Status: c.Status,
			Locations: c.Locations, RawInput: c.RawInput, RawOutput: c.RawOutput, Content: c.Content,
		})
	}
	return nil, nil
}

// textOf is what people read of a piece of content.
func textOf(b sdk.ContentBlock) string {
	switch {
	case b.Text != nil:
		return b.Text.Text
	case b.ResourceLink != nil:
		return b.ResourceLink.Uri
	case b.Image != nil:
		return "[a picture]"
	case b.Audio != nil:
		return "[a recording]"
	case b.Resource != nil:
		raw, _ := json.Marshal(b.Resource.Resource) // it was JSON a moment ago
		return string(raw)
	}
	return ""
}

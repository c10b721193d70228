package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/parley-dev/parley/model"
)

// place is how far a conversation with an agent has come.
type place struct {
	session sdk.SessionId // the agent's name for it
	step    int           // answers given
	heard   []uint64      // marks of what people said that the agent was told
}

// mark is what stays in a history of an answer: which conversation, and where.
type mark struct {
	Talk string `json:"talk"`
	Step int    `json:"step"`
}

type marked struct {
	ACP *mark `json:"acp"`
}

func (k mark) vendor() json.RawMessage {
	raw, err := json.Marshal(marked{&k})
	if err != nil { // a string and a number
		panic(err)
	}
	return raw
}

// find gives the conversation that a history belongs to, held, and what is new in
// it; a fresh one if there is none that fits.
func (m *Model) find(ctx context.Context, folder string, s said) (*talk, []sdk.ContentBlock, error) {
	t := m.living(folder, s)
	if t == nil {
		var err error
		if t, err = m.load(ctx, folder, s); err != nil {
			return nil, nil, err
		}
	}
	if t != nil {
		return t, s.since(len(t.at.heard), t.conn.images), nil
	}
	t, err := m.begin(ctx, folder, func(t *talk) error {
		made, err := call[sdk.NewSessionResponse](ctx, t.conn, sdk.AgentMethodSessionNew, sdk.NewSessionRequest{Cwd: folder, McpServers: []sdk.McpServer{}})
		if err == nil && made.SessionId == "" {
			err = &model.Error{Kind: model.Invalid, Message: fmt.Sprintf("the agent %s gave its session no name", m.command.program)}
		}
		t.named(made.SessionId)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return t, s.whole(t.conn.images), nil
}

// living is the conversation that goes on, if it is there and nobody else has it.
func (m *Model) living(folder string, s said) *talk {
	m.mu.Lock()
	t := m.talks[s.mark.Talk]
	m.mu.Unlock()
	if t == nil || !t.hold(func() bool { return t.folder == folder && s.continues(t.at) }) {
		return nil
	}
	return t
}

// load brings a conversation back whose process has ended, if the history goes on
// from where it was and the agent can. What the agent repeats of it is passed over.
func (m *Model) load(ctx context.Context, folder string, s said) (*talk, error) {
	m.mu.Lock()
	at, ok := m.left[s.mark.Talk]
	delete(m.left, s.mark.Talk)
	m.mu.Unlock()
	if !ok || !s.continues(at) {
		return nil, nil
	}
	t, err := m.begin(ctx, folder, func(t *talk) error {
		t.key, t.at = s.mark.Talk, at
		t.named(at.session)
		_, err := call[sdk.LoadSessionResponse](ctx, t.conn, sdk.AgentMethodSessionLoad, sdk.LoadSessionRequest{
			SessionId: at.session, Cwd: folder, McpServers: []sdk.McpServer{},
		})
		return err
	})
	if err != nil {
		return nil, ctx.Err() // a fresh one will do
	}
	return t, nil
}

// begin starts an agent and makes its conversation known.
func (m *Model) begin(ctx context.Context, folder string, open func(*talk) error) (*talk, error) {
	t := newTalk(m, folder)
	var err error
	if t.conn, err = m.dial(ctx, folder, t.handlers()); err != nil {
		return nil, err
	}
	if err = open(t); err != nil {
		m.hangUp(t.conn, 0)
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.talks[t.key] = t
	return t, nil
}

// continues says whether a history goes on from a place, with nothing of it
// changed.
func (s said) continues(at place) bool {
	return s.mark.Step == at.step && len(at.heard) <= len(s.heard) && slices.Equal(at.heard, s.heard[:len(at.heard)])
}

package gateway

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// A moving command goes to a session in two steps: which record is meant is
// found here, what follows from it is the core's.

func (g *Gateway) rewind(ctx context.Context, id string, payload any, c session.Command) (engine.Result, error) {
	r := payload.(*protocol.Rewind)
	seq, visible, err := g.target(ctx, id, r.To, r.Ts, r.Index)
	if err != nil {
		return engine.Result{}, err
	}
	move := &session.Move{Head: seq}
	if visible {
		move.Seen = seq
	}
	if !r.IncludeTarget {
		if move.Head, err = g.Engine.Before(ctx, id, seq); err != nil {
			return engine.Result{}, err
		}
	}
	return g.move(ctx, id, move, c, engine.RewindOptions{Preview: r.Preview, Files: r.Files})
}

func (g *Gateway) rewindUndo(ctx context.Context, id string, payload any, c session.Command) (engine.Result, error) {
	move, how, err := g.Engine.Undo(ctx, id, payload.(*protocol.RewindUndo).RewindID)
	if err != nil {
		return engine.Result{}, err
	}
	return g.move(ctx, id, move, c, how)
}

// editMessage takes back what a person said, with all that came of it, and has
// them say something else.
func (g *Gateway) editMessage(ctx context.Context, id string, payload any, c session.Command) (engine.Result, error) {
	e := payload.(*protocol.EditMessage)
	seq, _, err := g.target(ctx, id, e.MessageID, e.Ts, nil)
	if err != nil {
		return engine.Result{}, err
	}
	words, err := g.Engine.Said(ctx, id, seq)
	if err != nil {
		return engine.Result{}, err
	}
	if words.Role != protocol.RoleUser {
		return engine.Result{}, protocol.Errorf(protocol.CodeInvalidMessage, "only what a person said can be edited, and %s is not that", protocol.MessageID(seq))
	}
	head, err := g.Engine.Before(ctx, id, seq)
	if err != nil {
		return engine.Result{}, err
	}
	again := &protocol.UserMessage{Content: e.Content, Images: e.Images}
	return g.move(ctx, id, &session.Move{Head: head, Seen: seq, Again: again}, c, engine.RewindOptions{Files: e.Files})
}

func (g *Gateway) deleteMessage(ctx context.Context, id string, payload any, c session.Command) (engine.Result, error) {
	d := payload.(*protocol.DeleteMessage)
	seq, _, err := g.target(ctx, id, d.MessageID, d.Ts, nil)
	if err != nil {
		return engine.Result{}, err
	}
	if _, err := g.Engine.Said(ctx, id, seq); err != nil {
		return engine.Result{}, err
	}
	head, err := g.Engine.Before(ctx, id, seq)
	if err != nil {
		return engine.Result{}, err
	}
	return g.move(ctx, id, &session.Move{Head: head, Seen: seq}, c, engine.RewindOptions{Files: d.Files})
}

// reset takes everything back to the start.
func (g *Gateway) reset(ctx context.Context, id string, _ any, c session.Command) (engine.Result, error) {
	const created = 1 // the record session_created
	return g.move(ctx, id, &session.Move{Head: created}, c, engine.RewindOptions{})
}

// checkpointRestore takes the files back to a checkpoint, and the conversation
// too if that is wanted.
func (g *Gateway) checkpointRestore(ctx context.Context, id string, payload any, c session.Command) (engine.Result, error) {
	r := payload.(*protocol.CheckpointRestore)
	seq, err := g.Engine.CheckpointAt(ctx, id, r.CheckpointID)
	if err != nil {
		return engine.Result{}, err
	}
	how := engine.RewindOptions{Preview: r.Preview, Files: true}
	if r.Conversation {
		return g.move(ctx, id, &session.Move{Head: seq}, c, how)
	}
	how.Since = seq
	return g.move(ctx, id, &session.Move{}, c, how)
}

func (g *Gateway) move(ctx context.Context, id string, m *session.Move, c session.Command, how engine.RewindOptions) (engine.Result, error) {
	c.Type, c.Data = session.MoveHead, m
	told, result, err := g.Engine.Rewind(ctx, id, c, how)
	result.Answer = told
	return result, err
}

// target finds the record that a command means. One that is named by ts or
// index is a visible message; one that is named by its id may be any record.
func (g *Gateway) target(ctx context.Context, id, to string, ts *int64, index *int) (seq uint64, visible bool, err error) {
	named := 0
	for _, is := range []bool{to != "", ts != nil, index != nil} {
		if is {
			named++
		}
	}
	if named != 1 {
		return 0, false, protocol.Errorf(protocol.CodeInvalidMessage, "name one record: by its message_id, or a visible message by its ts or index")
	}
	if to != "" {
		if seq, err = protocol.ParseMessageID(to); err != nil {
			return 0, false, protocol.Errorf(protocol.CodeInvalidMessage, "%s", err)
		}
		return seq, false, nil
	}
	if index != nil && *index < 0 {
		return 0, false, protocol.Errorf(protocol.CodeInvalidMessage, "the index %d is out of range: the first message is 0", *index)
	}
	if g.Locate != nil {
		var told *protocol.Error
		if seq, err = g.Locate(ctx, id, ts, index); err == nil || errors.As(err, &told) {
			return seq, true, err
		}
	}
	seq, err = g.Engine.Locate(ctx, id, ts, index)
	return seq, true, err
}

// fork makes a session of the caller's own of the beginning of one that they
// may read.
func (g *Gateway) fork(ctx context.Context, id string, payload any, c session.Command) (engine.Result, error) {
	f := payload.(*protocol.Fork)
	at := uint64(0)
	if f.At != "" {
		var err error
		if at, err = protocol.ParseMessageID(f.At); err != nil || at == 0 {
			return engine.Result{}, protocol.Errorf(protocol.CodeInvalidMessage, "at must be a message_id of the session, not %q", f.At)
		}
	}
	to := f.SessionID
	if to == "" {
		to = forkID(id, c.Cause)
	}
	err := g.Engine.Fork(ctx, id, at, to, protocol.Forked{Owner: c.By.User, Title: f.Title}, c.By)
	if err != nil && (f.SessionID != "" || protocol.AsError(err).Code != protocol.CodeSessionInvalidState) {
		return engine.Result{}, err
	} // else the same command was carried out before
	state, err := g.Engine.State(ctx, to)
	return engine.Result{Answer: state}, err
}

// forkID names the session that a command makes: the same one if the command is
// sent again.
func forkID(from string, cause *protocol.Cause) string {
	if cause == nil {
		return NewSessionID()
	}
	name := from + "\n" + cause.Scope + "\n" + cause.MessageID + "\n" + cause.Digest
	return protocol.SessionPrefix + uuid.NewSHA1(uuid.NameSpaceOID, []byte(name)).String()
}

// mayFork says whether a caller may make a session of their own of this one: it
// works in the same folder.
func (g *Gateway) mayFork(ctx context.Context, c Caller, id string) error {
	if err := auth.Allow(c.Identity, auth.Create, "", ""); err != nil {
		return err
	}
	state, err := g.Engine.State(ctx, id)
	if err != nil {
		return err
	}
	return g.mayWorkIn(c, state.Workspace)
}

package mcp

import (
	"context"
	"errors"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/parley-dev/parley/protocol"
)

const (
	usualWait   = 60  // seconds
	longestWait = 600 // seconds
	// reportEvery is how often a client that asked for it is told that there is
	// still something to wait for.
	reportEvery = 5 * time.Second
	// recent is how many records are looked through for what a turn said.
	recent = 500
)

type sendInput struct {
	ofSession
	Content    string `json:"content" jsonschema:"What to say."`
	Wait       bool   `json:"wait,omitempty" jsonschema:"Whether to wait until the agent has ended its turn or asks for something."`
	TimeoutSec int    `json:"timeout_sec,omitempty" jsonschema:"How long to wait at most, in seconds: 60 if it is left out, at most 600."`
}

func (d *door) send(ctx context.Context, r *sdk.CallToolRequest, in sendInput) (any, error) {
	limit, err := waitTime(in.TimeoutSec)
	if err != nil {
		return nil, err
	}
	result, err := d.command(ctx, in.SessionID, protocol.TypeUserMessage, protocol.UserMessage{Content: in.Content})
	if err != nil {
		return nil, err
	}
	if in.Wait {
		return d.wait(ctx, r, in.SessionID, limit)
	}
	sent := map[string]any{"session_id": in.SessionID, "status": "accepted"}
	for _, record := range result.Records {
		switch record.Type {
		case protocol.TypeMessageAccepted:
			sent["message_id"] = record.ID()
		case protocol.TypeMessageQueued:
			sent["message_id"], sent["status"] = record.ID(), "queued"
		}
	}
	return sent, nil
}

type waitInput struct {
	ofSession
	TimeoutSec int `json:"timeout_sec,omitempty" jsonschema:"How long to wait at most, in seconds: 60 if it is left out, at most 600."`
}

func (d *door) waitFor(ctx context.Context, r *sdk.CallToolRequest, in waitInput) (any, error) {
	limit, err := waitTime(in.TimeoutSec)
	if err != nil {
		return nil, err
	}
	return d.wait(ctx, r, in.SessionID, limit)
}

func waitTime(seconds int) (time.Duration, error) {
	if seconds == 0 {
		seconds = usualWait
	}
	if seconds < 0 || seconds > longestWait {
		return 0, protocol.Errorf(protocol.CodeInvalidMessage, "timeout_sec must be from 1 to %d, not %d", longestWait, seconds)
	}
	return time.Duration(seconds) * time.Second, nil
}

// turn is what came of waiting.
type turn struct {
	SessionID string             `json:"session_id"`
	Status    protocol.Status    `json:"status"`
	TimedOut  bool               `json:"timed_out,omitempty"` // the agent still works
	Text      string             `json:"text,omitempty"`      // what it said in this turn
	Truncated bool               `json:"truncated,omitempty"` // there is more of the text; parley_read has it
	Error     string             `json:"error,omitempty"`     // why the turn failed
	Requests  []protocol.Request `json:"requests,omitempty"`  // what is asked, the oldest first
	Usage     protocol.Usage     `json:"usage"`
}

// wait waits until nothing happens in the session by itself any more, or the time
// is over.
func (d *door) wait(ctx context.Context, r *sdk.CallToolRequest, id string, limit time.Duration) (*turn, error) {
	over := time.Now().Add(limit)
	for begun := time.Now(); ; {
		state, err := d.state(ctx, id)
		if err != nil {
			return nil, err
		}
		left := time.Until(over)
		if state.Status != protocol.StatusExecuting || left <= 0 {
			return d.turn(ctx, state)
		}
		after, err := protocol.ParseMessageID(state.LastMessageID)
		if err != nil {
			return nil, err
		}
		slice, done := context.WithTimeout(ctx, min(left, reportEvery))
		err = d.Gateway.Engine.Await(slice, id, after, turns)
		done()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, context.DeadlineExceeded):
			report(ctx, r, time.Since(begun), limit, state)
		case err != nil:
			return nil, err
		}
	}
}

// turns says whether a record may end the waiting.
func turns(r protocol.Record) bool {
	switch r.Type {
	case protocol.TypeComplete, protocol.TypeFailed, protocol.TypeHitlPaused, protocol.TypeRewound,
		protocol.TypeHitlPlanReview, protocol.TypeHitlApprovalRequest, protocol.TypeHitlInputRequest, protocol.TypeHitlClarification:
		return true
	}
	return false
}

// report tells a client that asked for it that the work goes on.
func report(ctx context.Context, r *sdk.CallToolRequest, waited, limit time.Duration, s protocol.SessionState) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return
	}
	words := string(s.Status)
	if s.CurrentLayer != "" {
		words += ": " + string(s.CurrentLayer)
	}
	_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ // who does not listen waits on
		ProgressToken: token, Progress: waited.Seconds(), Total: limit.Seconds(), Message: words,
	})
}

// turn tells the newest turn of a session.
func (d *door) turn(ctx context.Context, s protocol.SessionState) (*turn, error) {
	out := &turn{SessionID: s.SessionID, Status: s.Status, TimedOut: s.Status == protocol.StatusExecuting, Requests: s.HitlRequests, Usage: s.Usage}
	records, err := d.Gateway.Engine.Visible(ctx, s.SessionID, recent)
	if err != nil {
		return nil, err
	}
	var said []protocol.Message
	for _, r := range records {
		switch data := r.Data.(type) {
		case *protocol.TurnStarted:
			said, out.Text, out.Error, out.Truncated = nil, "", "", false
		case *protocol.MessageRecord:
			said = hear(said, data)
		case *protocol.Complete:
			out.Text, out.Truncated = data.Response.Text, data.Response.Truncated
		case *protocol.Failed:
			out.Error = data.Error.Message
		}
	}
	for _, m := range said {
		if out.Status == protocol.StatusCompleted {
			break // the answer says it all
		}
		out.Text += m.Text + "\n"
		out.Truncated = out.Truncated || m.TextBlob != nil
	}
	return out, nil
}

// hear keeps what the agent says; a new version of a message takes the place of
// the old one.
func hear(said []protocol.Message, d *protocol.MessageRecord) []protocol.Message {
	if d.Role != protocol.RoleAssistant || d.Message.Say != protocol.SayText {
		return said
	}
	for i := range said {
		if said[i].Ts == d.Message.Ts {
			said[i] = d.Message
			return said
		}
	}
	return append(said, d.Message)
}

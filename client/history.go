package client

import (
	"context"
	"net/http"

	"github.com/parley-dev/parley/protocol"
)

// Rewind takes a session back to an earlier moment. See protocol.Rewind for how
// the moment is named; with Preview nothing happens.
func (c *Client) Rewind(ctx context.Context, session string, r protocol.Rewind) (out protocol.RewindResult, err error) {
	return out, c.do(ctx, request{method: http.MethodPost, path: sessionPath(session) + "/rewind", in: r, out: &out})
}

// UndoRewind takes a rewind back: the latest, if rewindID is empty.
func (c *Client) UndoRewind(ctx context.Context, session, rewindID string) (out protocol.RewindResult, err error) {
	in := protocol.RewindUndo{RewindID: rewindID}
	return out, c.do(ctx, request{method: http.MethodPost, path: sessionPath(session) + "/rewind/undo", in: in, out: &out})
}

// Branches lists every way that a session has gone, the oldest first.
func (c *Client) Branches(ctx context.Context, session string) ([]protocol.Branch, error) {
	var out struct {
		Items []protocol.Branch `json:"items"`
	}
	err := c.do(ctx, request{method: http.MethodGet, path: sessionPath(session) + "/branches", out: &out})
	return out.Items, err
}

// Fork makes a session of the caller's own of the beginning of another.
func (c *Client) Fork(ctx context.Context, session string, f protocol.Fork) (out protocol.SessionState, err error) {
	return out, c.do(ctx, request{method: http.MethodPost, path: sessionPath(session) + "/fork", in: f, out: &out})
}

// Condense has the model sum up the session's past, and waits for it.
func (c *Client) Condense(ctx context.Context, session string) (out protocol.Condensation, err error) {
	return out, c.do(ctx, request{method: http.MethodPost, path: sessionPath(session) + "/condense", in: protocol.Condense{}, out: &out})
}

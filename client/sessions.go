package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/parley-dev/parley/protocol"
)

// NewSession says what a session shall be like. All of it is optional.
type NewSession struct {
	SessionID string            `json:"session_id,omitempty"`
	Title     string            `json:"title,omitempty"`
	Workspace string            `json:"workspace,omitempty"`
	Model     string            `json:"model,omitempty"`
	Pipeline  protocol.Pipeline `json:"pipeline,omitempty"`
	Mode      string            `json:"mode,omitempty"`
	// AutoApprove lists the classes of tools that need no approval: read,
	// write, execute, browser, mcp.
	AutoApprove []string `json:"auto_approve,omitempty"`
	// PlanReview says when a person has to look at a plan before it runs:
	// always, never, or over:USD.
	PlanReview string `json:"plan_review,omitempty"`
}

// SessionSummary is one line of the list of sessions.
type SessionSummary struct {
	SessionID    string          `json:"session_id"`
	Owner        string          `json:"owner"`
	Title        string          `json:"title"`
	Status       protocol.Status `json:"status"`
	CreatedAt    protocol.Time   `json:"created_at"`
	UpdatedAt    protocol.Time   `json:"updated_at"`
	MessageCount int             `json:"message_count"`
	Usage        protocol.Usage  `json:"usage"`
	// Size is how many bytes its records have.
	Size       int64  `json:"size"`
	Pinned     bool   `json:"pinned,omitempty"`
	KeepDays   int    `json:"keep_days,omitempty"`
	Workspace  string `json:"workspace,omitempty"`
	Model      string `json:"model,omitempty"`
	Mode       string `json:"mode,omitempty"`
	ParentID   string `json:"parent_id,omitempty"`
	RootID     string `json:"root_id,omitempty"`
	ForkedFrom string `json:"forked_from,omitempty"`
	// ChildIDs are the sessions it has handed work to, the first 100.
	ChildIDs []string `json:"child_ids,omitempty"`
	// AwaitingChildID is the one whose answer it waits for, CompletedByChildID
	// the last one that answered.
	AwaitingChildID    string `json:"awaiting_child_id,omitempty"`
	CompletedByChildID string `json:"completed_by_child_id,omitempty"`
	// Summary is how its last answer begins.
	Summary string `json:"summary,omitempty"`
}

// SessionQuery chooses sessions; the zero value chooses all.
type SessionQuery struct {
	Text   string
	Status protocol.Status
	Owner  string
	// Parent is the session that handed the work on, Root the first of a tree.
	Parent, Root string
	Workspace    string
	Pinned       *bool
	// Sort is updated, created, title, cost, tokens, size or messages; Order is
	// asc or desc. Empty is the last changed first.
	Sort, Order string
	// PageSize is how many are asked for at a time; the server's choice if 0.
	PageSize int
}

// CreateSession makes a session.
func (c *Client) CreateSession(ctx context.Context, with NewSession) (protocol.SessionState, error) {
	var s protocol.SessionState
	err := c.Call(ctx, http.MethodPost, apiPath+"/sessions", with, &s)
	return s, err
}

// GetSession gives a session as it is now.
func (c *Client) GetSession(ctx context.Context, session string) (protocol.SessionState, error) {
	var s protocol.SessionState
	err := c.Call(ctx, http.MethodGet, sessionPath(session), nil, &s)
	return s, err
}

// UpdateSession changes what is named of a session and leaves the rest.
func (c *Client) UpdateSession(ctx context.Context, session string, to protocol.UpdateSession) (protocol.SessionState, error) {
	var s protocol.SessionState
	err := c.Call(ctx, http.MethodPatch, sessionPath(session), to, &s)
	return s, err
}

// DeleteSession removes a session for good.
func (c *Client) DeleteSession(ctx context.Context, session string) error {
	return c.Call(ctx, http.MethodDelete, sessionPath(session), nil, nil)
}

// ListSessions gives the sessions the caller may see, page by page as the loop
// goes on.
func (c *Client) ListSessions(ctx context.Context, q SessionQuery) iter.Seq2[SessionSummary, error] {
	query := values("q", q.Text, "status", string(q.Status), "owner", q.Owner, "parent", q.Parent, "root", q.Root,
		"workspace", q.Workspace, "sort", q.Sort, "order", q.Order, "limit", count(q.PageSize))
	if q.Pinned != nil {
		query.Set("pinned", strconv.FormatBool(*q.Pinned))
	}
	return list[SessionSummary](ctx, c, "/sessions", query, byCursor)
}

// Health says whether the server is there and ready.
func (c *Client) Health(ctx context.Context) error {
	return c.Call(ctx, http.MethodGet, "/readyz", nil, nil)
}

func sessionPath(session string) string { return apiPath + "/sessions/" + url.PathEscape(session) }

// values makes a query of names and values, without those that are empty.
func values(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	return v
}

func count(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

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
	ParentID     string          `json:"parent_id,omitempty"`
	RootID       string          `json:"root_id,omitempty"`
	ForkedFrom   string          `json:"forked_from,omitempty"`
}

// SessionQuery chooses sessions; the zero value chooses all.
type SessionQuery struct {
	Text   string
	Status protocol.Status
	Owner  string
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

// DeleteSession removes a session for good.
func (c *Client) DeleteSession(ctx context.Context, session string) error {
	return c.Call(ctx, http.MethodDelete, sessionPath(session), nil, nil)
}

// ListSessions gives the sessions the caller may see, page by page as the loop
// goes on.
func (c *Client) ListSessions(ctx context.Context, q SessionQuery) iter.Seq2[SessionSummary, error] {
	query := values("q", q.Text, "status", string(q.Status), "owner", q.Owner, "limit", count(q.PageSize))
	return list[SessionSummary](ctx, c, "/sessions", query, byCursor)
}

// Hit is a message that a search found.
type Hit struct {
	SessionID string `json:"session_id"`
	MessageID string `json:"message_id"`
	// Snippet is one line, with what was found between « and ».
	Snippet   string        `json:"snippet"`
	Timestamp protocol.Time `json:"timestamp"`
	Say       protocol.Say  `json:"say,omitempty"`
	Ask       protocol.Ask  `json:"ask,omitempty"`
	Role      protocol.Role `json:"role,omitempty"`
	AgentID   string        `json:"agent_id,omitempty"`
	// Hidden says that the message was rewound.
	Hidden bool `json:"hidden,omitempty"`
}

// Search looks for words in one session, or in all the caller may see if
// session is empty.
func (c *Client) Search(ctx context.Context, words, session string) iter.Seq2[Hit, error] {
	query := values("q", words, "session", session)
	return list[Hit](ctx, c, "/search", query, byCursor)
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

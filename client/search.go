package client

import (
	"context"
	"iter"
	"net/http"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// Hit is a message that a search found.
type Hit struct {
	SessionID string `json:"session_id"`
	Title     string `json:"title,omitempty"` // of the session
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

// SearchQuery says where to look; the zero value looks everywhere.
type SearchQuery struct {
	Session string
	Agent   string
	// Kind is the word of a say or ask, or user, assistant or system.
	Kind     string
	From, To time.Time
	// Visible leaves out what was rewound.
	Visible bool
}

// Search looks for words in what was said, in all sessions the caller may see.
func (c *Client) Search(ctx context.Context, words string, q SearchQuery) iter.Seq2[Hit, error] {
	query := values("q", words, "session", q.Session, "agent", q.Agent, "kind", q.Kind, "from", moment(q.From), "to", moment(q.To))
	if q.Visible {
		query.Set("hidden", "false")
	}
	return list[Hit](ctx, c, "/search", query, byCursor)
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

// Total is what sessions have cost together.
type Total struct {
	Sessions int            `json:"sessions"`
	Usage    protocol.Usage `json:"usage"`
	Size     int64          `json:"size"`
}

// SessionTree is a session with all that it has handed work to, and they in
// turn: each before its children.
type SessionTree struct {
	RootID string `json:"root_id"`
	Items  []struct {
		SessionSummary
		Depth int   `json:"depth"`
		Tree  Total `json:"tree"` // of itself and all below it
	} `json:"items"`
	Tree Total `json:"tree"`
	// Truncated says that the tree goes on.
	Truncated bool `json:"truncated,omitempty"`
}

// SessionTree gives the whole tree that a session belongs to.
func (c *Client) SessionTree(ctx context.Context, session string) (SessionTree, error) {
	var t SessionTree
	err := c.Call(ctx, http.MethodGet, sessionPath(session)+"/tree", nil, &t)
	return t, err
}

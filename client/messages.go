package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/parley-dev/parley/protocol"
)

// Posted says what became of a message.
type Posted struct {
	MessageID string `json:"message_id"`
	// Status tells whether an agent has it or it waits for its turn.
	Status string `json:"status"`
}

// PostMessage says something to the session's agent, without a connection. The
// same key is acted on once, however often it is posted; without one, each call
// is a message of its own.
func (c *Client) PostMessage(ctx context.Context, session string, m protocol.UserMessage, key string) (Posted, error) {
	if key == "" {
		key = rand.Text()
	}
	var p Posted
	err := c.do(ctx, request{method: http.MethodPost, path: sessionPath(session) + "/messages", key: key, in: m, out: &p})
	return p, err
}

// StoredMessage is one line of a conversation as the message store shows it:
// what was said, which tools ran, what came of it. Long inputs and outputs are
// summarised.
type StoredMessage struct {
	Role         protocol.Role   `json:"role"`
	Type         string          `json:"type"` // text, tool_start, tool_complete, error, result
	Content      string          `json:"content,omitempty"`
	ToolName     string          `json:"toolName,omitempty"`
	ToolInput    json.RawMessage `json:"toolInput,omitempty"`
	Success      *bool           `json:"success,omitempty"`
	Output       string          `json:"output,omitempty"`
	Error        string          `json:"error,omitempty"`
	Duration     float64         `json:"duration,omitempty"` // seconds
	InputTokens  int64           `json:"inputTokens,omitempty"`
	OutputTokens int64           `json:"outputTokens,omitempty"`
	Timestamp    int64           `json:"timestamp"` // milliseconds since 1970
}

// Messages gives the conversation of a session as the message store shows it.
func (c *Client) Messages(ctx context.Context, session string) iter.Seq2[StoredMessage, error] {
	return messages[StoredMessage](ctx, c, session, "")
}

// UIMessage is one message of a conversation: an ask or a say.
type UIMessage struct {
	protocol.Message
	// MessageID is the record that brought the message first.
	MessageID string        `json:"message_id"`
	RequestID string        `json:"request_id,omitempty"`
	TurnID    string        `json:"turn_id,omitempty"`
	Role      protocol.Role `json:"role,omitempty"`
	AgentID   string        `json:"agent_id,omitempty"`
}

// UIMessages gives the conversation of a session as its asks and says.
func (c *Client) UIMessages(ctx context.Context, session string) iter.Seq2[UIMessage, error] {
	return messages[UIMessage](ctx, c, session, "ui")
}

// messagesPage is how many messages are asked for at a time.
const messagesPage = 200

func messages[T any](ctx context.Context, c *Client, session, view string) iter.Seq2[T, error] {
	query := values("view", view, "offset", "0", "limit", count(messagesPage))
	return list(ctx, c, "/sessions/"+url.PathEscape(session)+"/messages", query, func(query url.Values, p page[T]) bool {
		offset, _ := strconv.Atoi(query.Get("offset"))
		offset += len(p.Items)
		query.Set("offset", strconv.Itoa(offset))
		return offset < p.Total
	})
}

// eventsPage is how many records Events asks for at a time.
const eventsPage = 500

// Events gives the records of a session after a cursor, as far as they are
// there now: the whole journal, also what a rewind has hidden. An empty cursor
// is FromStart.
func (c *Client) Events(ctx context.Context, session, after string) iter.Seq2[Event, error] {
	query := values("after", after, "limit", count(eventsPage))
	pages := list(ctx, c, "/sessions/"+url.PathEscape(session)+"/events", query, func(query url.Values, p page[json.RawMessage]) bool {
		last, err := decode(p.Items[len(p.Items)-1])
		query.Set("after", last.MessageID)
		return err == nil && (p.NextCursor != "" || len(p.Items) >= eventsPage)
	})
	return func(yield func(Event, error) bool) {
		for frame, err := range pages {
			var ev Event
			if err == nil {
				ev, err = decode(frame)
			}
			if !yield(ev, err) || err != nil {
				return
			}
		}
	}
}

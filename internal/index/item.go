package index

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// Item is a session in a list.
type Item struct {
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
	// AwaitingChildID is the one whose answer it waits for.
	AwaitingChildID string `json:"awaiting_child_id,omitempty"`
	// CompletedByChildID is the last one that answered.
	CompletedByChildID string `json:"completed_by_child_id,omitempty"`
	// Summary is how its last answer begins.
	Summary string `json:"summary,omitempty"`

	sorted any // what the list is sorted by
}

// maxChildren is how many children an item names.
const maxChildren = 100

// itemColumns are those of a session s, without what it is sorted by.
var itemColumns = fmt.Sprintf(`s.session_id, s.owner, s.title, s.status, s.created_at, s.updated_at, s.message_count, s.usage,
	s.size, s.pinned, s.keep_days, s.workspace, s.model, s.mode, s.parent_id, s.root_id, s.forked_from, s.awaiting, s.completed_by, s.result,
	(SELECT json_group_array(session_id) FROM (SELECT c.session_id FROM sessions c WHERE c.parent_id = s.session_id ORDER BY c.key LIMIT %d))`, maxChildren)

func scanItem(rows *sql.Rows) (i Item, err error) {
	var created, updated int64
	var usage, children []byte
	if err := rows.Scan(&i.SessionID, &i.Owner, &i.Title, &i.Status, &created, &updated, &i.MessageCount, &usage,
		&i.Size, &i.Pinned, &i.KeepDays, &i.Workspace, &i.Model, &i.Mode, &i.ParentID, &i.RootID, &i.ForkedFrom,
		&i.AwaitingChildID, &i.CompletedByChildID, &i.Summary, &children, &i.sorted); err != nil {
		return i, err
	}
	i.CreatedAt, i.UpdatedAt = protocol.At(time.UnixMilli(created)), protocol.At(time.UnixMilli(updated))
	if err := json.Unmarshal(usage, &i.Usage); err != nil {
		return i, &staleError{fmt.Sprintf("its usage of session %s cannot be read: %v", i.SessionID, err)}
	}
	if string(children) == "[]" {
		return i, nil
	}
	return i, json.Unmarshal(children, &i.ChildIDs)
}

package session

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/parley-dev/parley/internal/branch"
	"github.com/parley-dev/parley/protocol"
)

// Ledger is the part of a session that never goes back: it is folded from all
// records, hidden ones too.
type Ledger struct {
	Last     uint64    `json:"last"`      // sequence of the last record
	LastTime time.Time `json:"last_time"` // its time
	LastTs   int64     `json:"last_ts"`   // ts of the last message
	Created  time.Time `json:"created"`

	Owner     string            `json:"owner"`
	Title     string            `json:"title"`
	Titled    bool              `json:"titled"` // a person chose the title
	Workspace string            `json:"workspace,omitempty"`
	Model     string            `json:"model,omitempty"`
	Pipeline  protocol.Pipeline `json:"pipeline"`
	Mode      string            `json:"mode,omitempty"`
	// AutoApprove is nil if the session has no list of its own.
	AutoApprove []string `json:"auto_approve,omitzero"`
	// Settings are the session's own, but for those that have a field here.
	Settings   map[string]json.RawMessage `json:"settings,omitempty"`
	PlanReview string                     `json:"plan_review,omitempty"`
	Pinned     bool                       `json:"pinned,omitempty"`
	KeepDays   int                        `json:"keep_days,omitempty"`
	ParentID   string                     `json:"parent_id,omitempty"`
	RootID     string                     `json:"root_id,omitempty"`
	Depth      int                        `json:"depth,omitempty"`
	ForkedFrom string                     `json:"forked_from,omitempty"`

	Usage    protocol.Usage `json:"usage"`
	Messages int            `json:"messages"` // messages ever created
	// Checkpoint is the latest state of the workspace that was kept.
	Checkpoint string `json:"checkpoint,omitempty"`
	// Restoring is a rewind whose files have not gone back yet.
	Restoring *Restoring        `json:"restoring,omitempty"`
	Moves     branch.Tree       `json:"moves,omitempty"`
	Keys      map[string]Memory `json:"keys,omitempty"`
	// Remembered is what people said once for all further calls of a tool.
	Remembered map[string]protocol.Remember `json:"remembered,omitempty"`
}

func (l Ledger) clone() Ledger {
	l.Moves = slices.Clip(l.Moves)
	l.Remembered = maps.Clone(l.Remembered)
	return l
}

// Apply folds one record, visible or not.
func (l *Ledger) Apply(r protocol.Record) {
	l.Last = r.Seq
	l.LastTime = r.Time
	if r.Cause != nil {
		l.remember(r)
	}
	switch d := r.Data.(type) {
	case *protocol.SessionCreated:
		l.Created = r.Time
		l.Owner, l.Title, l.Titled = d.Owner, d.Title, d.Title != ""
		l.Workspace, l.Model, l.Pipeline, l.Mode = d.Workspace, d.Model, d.Pipeline, d.Mode
		l.AutoApprove, l.PlanReview, l.Settings = d.AutoApprove, d.PlanReview, d.Settings
		l.ParentID, l.RootID, l.Depth = d.ParentID, d.RootID, d.Depth
	case *protocol.SessionUpdated:
		l.update(d)
	case *protocol.Forked:
		if l.Owner != d.Owner {
			l.Remembered, l.AutoApprove, l.Settings = nil, nil, nil // one person's choices do not bind another
		}
		l.Owner, l.ForkedFrom, l.Usage = d.Owner, d.From, protocol.Usage{}
		l.ParentID, l.RootID, l.Depth, l.Keys, l.Pinned, l.KeepDays = "", "", 0, nil, false, 0
		l.Restoring = nil
		if d.Title != "" {
			l.Title, l.Titled = d.Title, true
		}
	case *protocol.Rewound:
		if head, err := protocol.ParseMessageID(d.Head); err == nil {
			from, err := protocol.ParseMessageID(d.From)
			if err != nil {
				from = r.Seq - 1
			}
			l.Moves = append(l.Moves, branch.Move{Seq: r.Seq, Head: head, From: from})
		}
		if d.Restoring {
			l.Restoring = &Restoring{RewindID: d.RewindID, Before: d.FilesBefore, After: d.FilesAfter}
		}
	case *protocol.CheckpointRestored:
		l.restored(d.RewindID)
	case *protocol.CheckpointFailed:
		l.restored(d.RewindID)
	case *protocol.HitlResolved:
		l.rememberChoice(d)
	case *protocol.CheckpointSaved:
		l.Checkpoint = d.ID
	case *protocol.MessageRecord:
		l.noteMessage(d)
	case *protocol.ModelCompleted:
		l.Usage = l.Usage.Add(d.Usage)
	}
}

func (l *Ledger) update(d *protocol.SessionUpdated) {
	if d.Title != nil {
		l.Title, l.Titled = *d.Title, true
	}
	if d.Model != nil {
		l.Model = *d.Model
	}
	if d.Pipeline != nil {
		l.Pipeline = *d.Pipeline
	}
	if d.Mode != nil {
		l.Mode = *d.Mode
	}
	if d.PlanReview != nil {
		l.PlanReview = *d.PlanReview
	}
	if d.Pinned != nil {
		l.Pinned = *d.Pinned
	}
	if d.KeepDays != nil {
		l.KeepDays = *d.KeepDays
	}
	if d.AutoApprove != nil {
		l.AutoApprove = append([]string{}, *d.AutoApprove...) // an empty list is one, too
	}
	l.own(d.Settings)
}

func (l *Ledger) noteMessage(d *protocol.MessageRecord) {
	l.LastTs = max(l.LastTs, d.Message.Ts)
	if d.Action != protocol.MessageCreated {
		return
	}
	l.Messages++
	if !l.Titled && l.Title == "" && d.Role == protocol.RoleUser {
		l.Title = titleOf(d.Message.Text)
	}
}

// titleOf makes a title of a person's first words.
func titleOf(text string) string {
	const most = 60
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(line)
	runes := []rune(line)
	if len(runes) <= most {
		return line
	}
	return strings.TrimSpace(string(runes[:most])) + "…"
}

// firstWords is how a text begins, for repeating it in a question.
func firstWords(text string) string {
	const most = 500
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

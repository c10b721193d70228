package index

import (
	"fmt"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// Retention says how much is kept. A zero field sets no limit.
type Retention struct {
	Age   time.Duration // since a session last changed
	Size  int64         // bytes of all sessions together
	Count int           // sessions
}

// None says that everything is kept.
func (r Retention) None() bool { return r == Retention{} }

// Removal is a session that is to go, and why.
type Removal struct {
	SessionID string        `json:"session_id"`
	Title     string        `json:"title"`
	UpdatedAt protocol.Time `json:"updated_at"`
	Size      int64         `json:"size"`
	Reason    string        `json:"reason"`
}

// Choose says which sessions go. A session's own limit on its age takes the place
// of the one for all. They come the last changed first, and those
// are kept first. One that is pinned, works, waits for a person or is paused is
// never removed; it counts, so that others go in its place.
func (r Retention) Choose(now time.Time, sessions []Item) []Removal {
	var gone []Removal
	var size int64
	count := 0
	for _, s := range sessions {
		reason := ""
		age := r.Age
		if s.KeepDays > 0 {
			age = time.Duration(s.KeepDays) * 24 * time.Hour
		}
		switch {
		case s.Kept():
		case age > 0 && now.Sub(s.UpdatedAt.Time) > age:
			reason = fmt.Sprintf("it has not changed for more than %s", age)
		case r.Count > 0 && count >= r.Count:
			reason = fmt.Sprintf("there are %d newer ones", count)
		case r.Size > 0 && size+s.Size > r.Size:
			reason = fmt.Sprintf("with the newer ones there would be more than %d bytes", r.Size)
		}
		if reason == "" {
			count++
			size += s.Size
			continue
		}
		gone = append(gone, Removal{s.SessionID, s.Title, s.UpdatedAt, s.Size, reason})
	}
	return gone
}

// Kept says that no limit removes the session.
func (i Item) Kept() bool {
	switch i.Status {
	case protocol.StatusExecuting, protocol.StatusWaiting, protocol.StatusPaused:
		return true
	}
	return i.Pinned || i.AwaitingChildID != ""
}

package parley

import (
	"context"
	"errors"
	"time"

	"github.com/parley-dev/parley/internal/index"
	"github.com/parley-dev/parley/protocol"
)

// Retention says how much a server keeps. A zero field sets no limit. Whole
// sessions go, the longest unchanged first; one that is pinned, works, waits
// for a person or is paused never does.
type Retention struct {
	Age   time.Duration // since a session last changed
	Size  int64         // bytes of all sessions together
	Count int           // sessions
}

const (
	retainFirst = 10 * time.Minute
	retainEvery = time.Hour
)

// retain removes the sessions beyond the limits.
func (s *Server) retain(ctx context.Context, now time.Time) {
	log := s.options.Logger
	gone, err := s.beyond(ctx, now)
	if err != nil {
		if ctx.Err() == nil {
			log.Warn("old sessions were not removed", "err", err)
		}
		return
	}
	for _, r := range gone {
		removed, err := s.remove(ctx, r.SessionID)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			log.Warn("an old session was not removed", "session_id", r.SessionID, "err", err)
		case removed:
			log.Info("removed an old session", "session_id", r.SessionID, "reason", r.Reason, "bytes", r.Size)
		}
	}
}

// beyond lists the sessions that the limits do not keep.
func (s *Server) beyond(ctx context.Context, now time.Time) ([]index.Removal, error) {
	var items []index.Item
	for q := (index.Query{Limit: 200}); ; {
		page, err := s.index.List(ctx, q)
		if err != nil {
			return nil, err
		}
		if page.Incomplete {
			return nil, errors.New("the list of sessions is being rebuilt")
		}
		items = append(items, page.Items...)
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			break
		}
	}
	return index.Retention(s.retention()).Choose(now, items), nil
}

// retention is what the server was started with; the settings say how old
// sessions may get where that does not.
func (s *Server) retention() Retention {
	r := s.options.Retention
	if days := s.settings.Effective("", nil).Values.RetentionDays; r.Age == 0 && days > 0 {
		r.Age = time.Duration(days) * 24 * time.Hour
	}
	return r
}

// remove deletes a session, unless something has begun in it meanwhile.
func (s *Server) remove(ctx context.Context, id string) (bool, error) {
	now, err := s.engine.State(ctx, id)
	if err == nil && (index.Item{Status: now.Status, Pinned: now.Pinned}).Kept() {
		return false, nil
	}
	if err == nil {
		err = s.engine.Delete(ctx, id)
	}
	var e *protocol.Error
	if errors.As(err, &e) && (e.Code == protocol.CodeSessionNotFound || e.Code == protocol.CodeSessionExpired) {
		return false, nil // it is gone already
	}
	return err == nil, err
}

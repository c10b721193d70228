package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Sessions knows the sessions whose checkpoints are kept.
type Sessions interface {
	// Deleted says that a session is gone for good.
	Deleted(ctx context.Context, session string) (bool, error)
	// Named gives the checkpoints that living sessions of a folder name in their
	// journals, each with one of those sessions. A fork names those of its
	// original without having saved them.
	Named(ctx context.Context, folder string) (map[string]string, error)
}

// Collection says how checkpoints of deleted sessions go.
type Collection struct {
	// Grace is how long they stay after the session was first seen to be gone.
	Grace time.Duration
	// Dry says what would go, and changes nothing.
	Dry bool
}

// Collected is what became of the checkpoints of deleted sessions in a folder.
type Collected struct {
	Folder        string
	Sessions      int // deleted ones whose checkpoints went
	Checkpoints   int // that went, those that were kept for others included
	Handed        int // that a living session names and has now for its own
	Waiting       int // whose grace is not over
	Before, After int64
}

// Collect lets the checkpoints of deleted sessions go, and what only they held.
//
// It looks twice. When a session is first seen to be gone, what living sessions
// name of its checkpoints becomes theirs; after the grace it is looked up again,
// and the rest goes. So whatever a session names is held by a ref of its own, or
// of one that it is a fork of and that is not gone for longer than the grace: a
// fork that is made at this moment loses nothing.
func (s *Store) Collect(ctx context.Context, who Sessions, o Collection) ([]Collected, error) {
	var list []Collected
	err := s.eachFolder(func(w *Workspace) error {
		c, err := w.collect(ctx, who, o)
		if c != (Collected{Folder: w.folder}) {
			list = append(list, c)
		}
		return err
	})
	return list, err
}

// goneFile remembers since when sessions are known to be gone, and that room must
// still be given back. Without it the grace begins anew.
const goneFile = "gone"

type gone struct {
	Since map[string]time.Time `json:"since"`
	// Reclaim says that refs went and what only they held is still there.
	Reclaim bool `json:"reclaim,omitempty"`
}

func (w *Workspace) readGone() gone {
	g := gone{}
	if b, err := os.ReadFile(filepath.Join(w.dir, goneFile)); err == nil {
		_ = json.Unmarshal(b, &g)
	}
	if g.Since == nil {
		g.Since = map[string]time.Time{}
	}
	return g
}

func (h *hold) writeGone(g gone) error {
	name := filepath.Join(h.dir, goneFile)
	if len(g.Since) == 0 && !g.Reclaim {
		if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	b, err := json.Marshal(g)
	if err != nil {
		return err
	}
	return writeFile(name, b)
}

// reclaiming notes that room is about to be given back, or was.
func (h *hold) reclaiming(begun bool) error {
	g := h.readGone()
	g.Reclaim = begun
	return h.writeGone(g)
}

// dead is a folder's deleted sessions.
type dead struct {
	gone
	news bool            // some are seen for the first time
	due  map[string]bool // their grace is over
}

// collect asks without the lock, which saves wait for, and then acts.
func (w *Workspace) collect(ctx context.Context, who Sessions, o Collection) (c Collected, err error) {
	c.Folder = w.folder
	if !w.begun() {
		return c, nil
	}
	items, err := w.list(ctx, nil, "", true)
	if err != nil {
		return c, err
	}
	d, err := w.bury(ctx, who, items, o)
	if err != nil {
		return c, err
	}
	for _, item := range items {
		if _, dead := d.Since[item.session]; dead && !d.due[item.session] {
			c.Waiting++
		} else if dead {
			c.Checkpoints++
		}
	}
	c.Sessions = len(d.due)
	if o.Dry || !d.news && len(d.due) == 0 && !d.Reclaim {
		return c, nil
	}
	named, err := who.Named(ctx, w.folder)
	if err == nil && o.Grace <= 0 { // the second look follows at once
		var again map[string]string
		again, err = who.Named(ctx, w.folder)
		maps.Copy(named, again)
	}
	if err != nil {
		return c, err
	}
	h, err := w.hold(ctx)
	if err != nil {
		return c, err
	}
	defer h.release()
	return c, h.collect(&c, d, named)
}

// bury finds out which sessions are gone, and since when that is known.
func (w *Workspace) bury(ctx context.Context, who Sessions, items []saved, o Collection) (dead, error) {
	before, now := w.readGone(), w.store.now()
	d := dead{gone: gone{Since: map[string]time.Time{}, Reclaim: before.Reclaim}, due: map[string]bool{}}
	asked := map[string]bool{}
	for _, item := range items {
		id := item.session
		if asked[id] {
			continue
		}
		asked[id] = true
		deleted, err := who.Deleted(ctx, id)
		if err != nil {
			return d, err
		}
		if !deleted {
			continue
		}
		since, known := before.Since[id]
		if !known || since.After(now) {
			since, d.news = now, true
		}
		d.Since[id] = since
		if now.Sub(since) >= o.Grace {
			d.due[id] = true
		}
	}
	return d, nil
}

// collect hands on what living sessions name and forgets the rest. It may be cut
// off anywhere: refs are made before others go, and what is left to do is noted
// before it is begun.
func (h *hold) collect(c *Collected, d dead, named map[string]string) error {
	items, err := h.list(h.ctx, h.lock, "", true)
	if err != nil {
		return err
	}
	c.Before = sizeOf(h.git.dir)
	hand, n := handed(items, d, named)
	if err := h.updateRefs(hand); err != nil {
		return err
	}
	c.Handed = n
	var forget strings.Builder
	left := n
	for _, item := range items {
		if d.due[item.session] {
			fmt.Fprintf(&forget, "delete %s\n", item.ref)
		} else {
			left++
		}
	}
	if left == 0 && h.manifest == nil { // nobody has anything here
		fmt.Fprintf(&forget, "delete %s\n", tipRef)
	}
	if err := h.writeGone(d.gone); err != nil {
		return err
	}
	if d.Reclaim || forget.Len() > 0 {
		if err := h.forget(forget.String()); err != nil {
			return err
		}
		d.Reclaim = false
	}
	maps.DeleteFunc(d.Since, func(id string, _ time.Time) bool { return d.due[id] })
	c.After = sizeOf(h.git.dir)
	return h.writeGone(d.gone)
}

// handed gives the commands that make refs for what living sessions name and only
// dead ones hold.
func handed(items []saved, d dead, named map[string]string) (commands string, n int) {
	held, taken := map[string]bool{}, map[string]bool{}
	for _, item := range items {
		taken[item.ref] = true
		if _, dead := d.Since[item.session]; !dead {
			held[item.hash] = true
		}
	}
	var out strings.Builder
	for _, item := range items {
		heir, ok := named[item.hash]
		if _, dead := d.Since[item.session]; !dead || !ok || held[item.hash] {
			continue
		}
		at, err := strconv.ParseInt(path.Base(item.ref), 10, 64)
		if err != nil {
			at = item.header.Created.UnixNano()
		}
		for ; taken[refOf(heir, time.Unix(0, at))]; at++ {
		}
		ref := refOf(heir, time.Unix(0, at))
		fmt.Fprintf(&out, "create %s %s\n", ref, item.hash)
		held[item.hash], taken[ref] = true, true
		n++
	}
	return out.String(), n
}

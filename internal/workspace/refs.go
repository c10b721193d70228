package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// refs are the checkpoints that sessions keep: session → hash → since when, the
// latest time. Of a session that is not in it nothing is known.
type refs map[string]map[string]time.Time

// refLasts is for how long a session that keeps a checkpoint need not say so
// again. What is old goes by how long a session has needed it, not by when it was
// made: the state before a change is often that of long ago.
const refLasts = time.Hour

// ensureRef keeps a checkpoint for a session that did not make it.
func (h *hold) ensureRef(session string, c Checkpoint) error {
	if changed := h.collected(); h.refs[session] == nil || changed {
		items, err := h.list(h.ctx, h.lock, session, false)
		if err != nil {
			return err
		}
		if h.refs == nil || changed {
			h.refs = refs{}
		}
		h.refs[session] = map[string]time.Time{}
		for _, item := range items {
			h.haveRef(session, item.hash, item.at)
		}
	}
	if since, ok := h.refs[session][c.Hash]; ok && c.Created.Sub(since) < refLasts {
		return nil
	}
	if err := h.point(refOf(session, c.Created), c.Hash); err != nil {
		return err
	}
	h.haveRef(session, c.Hash, c.Created)
	return nil
}

func (h *hold) haveRef(session, hash string, since time.Time) {
	if known := h.refs[session]; known != nil && known[hash].Before(since) {
		known[hash] = since
	}
}

// removedFile is touched whenever refs are removed, so that other processes look
// again which there are.
const removedFile = "removed"

func (h *hold) noteRemoved() error { return writeFile(filepath.Join(h.dir, removedFile), nil) }

// collected says that refs were removed since the last time it was asked.
func (h *hold) collected() bool {
	var at time.Time
	if info, err := os.Stat(filepath.Join(h.dir, removedFile)); err == nil {
		at = info.ModTime()
	}
	changed := !at.Equal(h.removed)
	h.removed = at
	return changed
}

// point has a ref name a checkpoint, also after a power cut.
func (h *hold) point(ref, hash string) error {
	if _, err := h.git.run(h.ctx, h.lock, "update-ref", ref, hash); err != nil {
		return err
	}
	return h.syncRefs(ref)
}

// syncRefs syncs refs that were just written, where git does not.
func (h *hold) syncRefs(refs ...string) error {
	if h.store.syncsRefs {
		return nil
	}
	for _, ref := range refs {
		path := filepath.Join(h.git.dir, ref)
		for _, name := range []string{path, filepath.Dir(path)} {
			f, err := os.Open(name)
			if err != nil {
				return err
			}
			if err := errors.Join(f.Sync(), f.Close()); err != nil {
				return err
			}
		}
	}
	return nil
}

package settings

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// maxStored is how long a file of stored settings may become.
const maxStored = 1 << 20

// Cleared is what a reset has removed.
type Cleared struct {
	// Keys are the names of what was stored, also of what could not be used.
	Keys []string
	// Moved is where a file was put that could not be read; empty if it could.
	Moved string
}

// Reset forgets everything that is stored for an owner, or, if that is empty, for
// the server: also what this version does not know or cannot use. A file that
// cannot be read is not lost but moved aside.
func (s *Store) Reset(owner string) (done Cleared, err error) {
	err = s.write(owner, func(d *document) (*document, error) {
		if d.broken != nil {
			done.Moved, err = moveAside(d.path, time.Now())
			return nil, err
		}
		done.Keys = slices.Sorted(maps.Keys(d.raw))
		done.Keys = append(done.Keys, d.unused...)
		done.Keys = slices.AppendSeq(done.Keys, maps.Keys(d.more))
		slices.Sort(done.Keys)
		if len(done.Keys) == 0 {
			return nil, nil
		}
		return &document{version: d.version, raw: map[string]json.RawMessage{}}, nil
	})
	return done, err
}

// write is the one way in which a stored document is changed. An edit that gives
// nil writes nothing.
func (s *Store) write(owner string, edit func(*document) (*document, error)) error {
	defer s.tell()
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := makeFolder(s.options.Dir); err != nil {
		return fmt.Errorf("store settings: %w", err)
	}
	unlock, err := lockFolder(s.options.Dir)
	if err != nil {
		return fmt.Errorf("store settings: %w", err)
	}
	defer unlock()
	path := s.path(owner)
	next, err := edit(readDocument(path))
	if err != nil {
		return err
	}
	if next != nil {
		next.owner = owner
		if err := save(path, next); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if next == nil {
		s.look(owner)
	} else {
		s.put(owner, readDocument(path), stampOf(path)) // nobody else writes: the lock is ours
	}
	return nil
}

func save(path string, d *document) error {
	data, err := d.encode()
	if err != nil {
		return fmt.Errorf("store settings: %w", err)
	}
	if len(data) > maxStored {
		return protocol.Errorf(protocol.CodeMessageTooLarge, "the settings would be %d bytes long; at most %d are kept", len(data), maxStored)
	}
	if err := writeFile(path, data); err != nil {
		return fmt.Errorf("store settings: %w", err)
	}
	return nil
}

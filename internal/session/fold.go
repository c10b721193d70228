package session

import (
	"encoding/json"
	"fmt"

	"github.com/parley-dev/parley/internal/branch"
	"github.com/parley-dev/parley/protocol"
)

// Folder folds records to a state along a path.
type Folder struct {
	State State
	path  branch.Path
	at    int // the span of the path that the fold is in
}

// NewFolder starts from nothing, along the path that the session has in the end.
func NewFolder(path branch.Path) *Folder { return &Folder{path: path} }

// Add folds the next record; each record of the journal comes once, in order.
// Hidden ones go to the ledger only.
func (f *Folder) Add(r protocol.Record) {
	f.State.Ledger.Apply(r)
	f.advance(r.Seq)
	if f.at < len(f.path) && r.Seq >= f.path[f.at].From && r.Seq <= f.path[f.at].To {
		f.State.Apply(r)
	}
}

// advance lets the session rest wherever the path joins before seq.
func (f *Folder) advance(seq uint64) {
	for f.at+1 < len(f.path) && seq >= f.path[f.at+1].From-1 {
		f.at++
		f.State.Rest()
	}
}

// Snapshot is a state in bytes.
type Snapshot struct {
	Seq   uint64
	Path  []byte
	State []byte
}

// Snapshot gives the state for keeping.
func (s *State) Snapshot() (Snapshot, error) {
	state, err := json.Marshal(s)
	if err != nil {
		return Snapshot{}, fmt.Errorf("encode state: %w", err)
	}
	path, err := json.Marshal(s.Path())
	if err != nil {
		return Snapshot{}, fmt.Errorf("encode path: %w", err)
	}
	return Snapshot{Seq: s.Ledger.Last, Path: path, State: state}, nil
}

// Path is what is visible now.
func (s *State) Path() branch.Path { return s.Ledger.Moves.Path(s.Ledger.Last) }

// Kept is a snapshot, read.
type Kept struct {
	State State
	path  branch.Path
}

// Restore reads a snapshot.
func Restore(snap Snapshot) (*Kept, error) {
	k := &Kept{}
	if err := json.Unmarshal(snap.State, &k.State); err != nil {
		return nil, fmt.Errorf("decode snapshot %d: %w", snap.Seq, err)
	}
	if err := json.Unmarshal(snap.Path, &k.path); err != nil {
		return nil, fmt.Errorf("decode path of snapshot %d: %w", snap.Seq, err)
	}
	return k, nil
}

// Resume goes on folding from a snapshot, if whoever follows the path comes by
// it. ok is false if the snapshot belongs to another branch.
func (k *Kept) Resume(path branch.Path) (f *Folder, ok bool) {
	if !k.path.PrefixOf(path) {
		return nil, false
	}
	return &Folder{State: k.State, path: path, at: len(k.path) - 1}, true
}

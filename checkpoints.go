package parley

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/parley-dev/parley/internal/gateway/rest"
	"github.com/parley-dev/parley/internal/index"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/workspace"
	"github.com/parley-dev/parley/protocol"
)

// checkpointGrace is how long the checkpoints of a deleted session stay.
const checkpointGrace = 24 * time.Hour

// collect lets the checkpoints of deleted sessions go.
func (s *Server) collect(ctx context.Context, o workspace.Collection) ([]workspace.Collected, error) {
	done, err := s.files.Collect(ctx, keepers{s}, o)
	for _, c := range done {
		if c.Before > c.After || c.Handed > 0 {
			s.options.Logger.Info("checkpoints of deleted sessions went", "folder", c.Folder,
				"sessions", c.Sessions, "checkpoints", c.Checkpoints, "kept_for_others", c.Handed, "bytes", c.Before-c.After)
		}
	}
	return done, err
}

// clean is collect for somebody who asks for it, with what else makes room, and
// tells how much there is.
func (s *Server) clean(ctx context.Context, how rest.Cleaning) ([]rest.FolderRoom, error) {
	before, err := s.files.Sizes(ctx)
	if err != nil {
		return nil, err
	}
	o := workspace.Collection{Grace: checkpointGrace, Dry: how.DryRun}
	if how.Now {
		o.Grace = 0
	}
	if !how.DryRun {
		err = s.files.Tend(ctx)
	}
	if err != nil {
		return nil, err
	}
	gone, err := s.collect(ctx, o)
	if err != nil {
		return nil, err
	}
	old, err := s.forgetOld(ctx, how)
	if err != nil {
		return nil, err
	}
	after, err := s.files.Sizes(ctx)
	return rooms(before, after, gone, old), err
}

// forgetOld lets old checkpoints go, and says how many of each folder.
func (s *Server) forgetOld(ctx context.Context, how rest.Cleaning) (map[string]int, error) {
	old := map[string]int{}
	if how.OlderThanDays == 0 {
		return old, nil
	}
	oldest := time.Now().Add(-time.Duration(how.OlderThanDays) * 24 * time.Hour)
	_, err := s.files.GC(ctx, func(r workspace.Ref) bool {
		keep := r.Created.After(oldest)
		if !keep {
			old[r.Folder]++
		}
		return keep || how.DryRun
	})
	return old, err
}

// rooms puts together what is known of each folder.
func rooms(before, after []workspace.Size, gone []workspace.Collected, old map[string]int) []rest.FolderRoom {
	byFolder := map[string]*rest.FolderRoom{}
	of := func(folder string) *rest.FolderRoom {
		if byFolder[folder] == nil {
			byFolder[folder] = &rest.FolderRoom{Folder: folder}
		}
		return byFolder[folder]
	}
	for _, z := range before {
		of(z.Folder).BytesBefore = z.Repository
	}
	for _, c := range gone { // also of folders that are not there any more
		r := of(c.Folder)
		r.Removed, r.Sessions, r.KeptForOthers, r.Waiting = c.Checkpoints, c.Sessions, c.Handed, c.Waiting
		if r.BytesBefore == 0 {
			r.BytesBefore, r.Bytes = c.Before, c.After
		}
	}
	for _, z := range after {
		r := of(z.Folder)
		r.Checkpoints, r.Bytes, r.TrashBytes = z.Checkpoints, z.Repository, z.Trash
	}
	var list []rest.FolderRoom
	for _, folder := range slices.Sorted(maps.Keys(byFolder)) {
		byFolder[folder].Removed += old[folder]
		list = append(list, *byFolder[folder])
	}
	return list
}

// keepers tells the checkpoints' store of sessions.
type keepers struct{ s *Server }

func (k keepers) Deleted(ctx context.Context, session string) (bool, error) {
	head, err := k.s.journal.Head(ctx, session)
	return head.Deleted, err
}

// Named reads the journals of the sessions that work in a folder.
func (k keepers) Named(ctx context.Context, folder string) (map[string]string, error) {
	named := map[string]string{}
	for q := (index.Query{Limit: 200, Sort: index.SortCreated, Order: index.Ascending}); ; {
		page, err := k.s.index.List(ctx, q)
		if err != nil {
			return nil, err
		}
		if page.Incomplete {
			return nil, errors.New("the list of sessions is being rebuilt")
		}
		for _, i := range page.Items {
			if !worksIn(i.Workspace, folder) {
				continue
			}
			if err := k.names(ctx, i.SessionID, named); err != nil {
				return nil, err
			}
		}
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			return named, nil
		}
	}
}

// worksIn says whether a session's workspace may be the folder: one that cannot
// be looked up may be.
func worksIn(workspace, folder string) bool {
	if workspace == "" {
		return false
	}
	real, err := filepath.EvalSymlinks(workspace)
	return err != nil || real == folder
}

// names adds the checkpoints that a session names, also in what is rewound.
func (k keepers) names(ctx context.Context, id string, named map[string]string) error {
	const page = 1000
	for after := uint64(0); ; {
		records, err := k.s.journal.Read(ctx, id, after, page)
		if err != nil {
			return err
		}
		for _, r := range records {
			after = r.Seq
			hashes, err := hashesIn(r)
			if err != nil {
				return err
			}
			for _, hash := range hashes {
				if hash != "" {
					named[hash] = id
				}
			}
		}
		if len(records) < page {
			return nil
		}
	}
}

// filed are how the frames of records begin that name checkpoints.
func filed() [][]byte {
	return [][]byte{
		[]byte(`{"type":"` + string(protocol.TypeCheckpointSaved) + `"`),
		[]byte(`{"type":"` + string(protocol.TypeRewound) + `"`),
	}
}

// hashesIn are the checkpoints that a record names.
func hashesIn(r journal.Record) ([]string, error) {
	names := false
	for _, begin := range filed() {
		names = names || bytes.HasPrefix(r.Frame, begin)
	}
	if !names {
		return nil, nil
	}
	record, err := protocol.DecodeRecord(r.Frame)
	if err != nil {
		return nil, err
	}
	switch d := record.Data.(type) {
	case *protocol.CheckpointSaved:
		return []string{d.Hash, d.FromHash}, nil
	case *protocol.Rewound:
		return []string{d.FilesBefore, d.FilesAfter}, nil
	}
	return nil, nil
}

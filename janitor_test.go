package parley

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/blob"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/journal/sqlite"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/internal/workspace"
	"github.com/parley-dev/parley/protocol"
)

func TestSweepKeepsWhatIsReferredTo(t *testing.T) {
	ctx := context.Background()
	j, err := sqlite.Open(sqlite.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	blobs, err := blob.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	used, err := blobs.Put(ctx, []byte("used"))
	if err != nil {
		t.Fatal(err)
	}
	unused, err := blobs.Put(ctx, []byte("unused"))
	if err != nil {
		t.Fatal(err)
	}
	err = j.Append(ctx, journal.Append{Session: "s", Records: []journal.Record{{Seq: 1, Frame: []byte("{}")}}, Blobs: []string{used}})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		older  time.Time
		unused bool
	}{
		{time.Now().Add(-time.Hour), true}, // too young to go
		{time.Now().Add(time.Hour), false},
	} {
		if _, err := sweep(ctx, j, blobs, step.older); err != nil {
			t.Fatal(err)
		}
		if has, err := blobs.Has(unused); err != nil || has != step.unused {
			t.Errorf("unused blob there: %v (%v), want %v", has, err, step.unused)
		}
		if has, err := blobs.Has(used); err != nil || !has {
			t.Errorf("used blob there: %v (%v)", has, err)
		}
	}
}

// The hourly look notices that a session is gone and lets its checkpoints wait;
// those of the living are not asked about.
func TestTendLetsCheckpointsWait(t *testing.T) {
	s, err := New(Options{Data: t.TempDir(), Model: "offline"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	folder := t.TempDir()
	w, err := s.files.Of(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "b"} {
		if _, err := s.engine.Create(t.Context(), id, protocol.SessionCreated{Owner: "local", Workspace: folder}, session.Actor{User: "local"}, nil); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "f"), []byte(id), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Save(t.Context(), workspace.Save{Session: id}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.engine.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	left := func(id string, want int) {
		t.Helper()
		list, err := w.Checkpoints(t.Context(), id)
		if err != nil || len(list) != want {
			t.Errorf("%s has %d checkpoints, want %d (%v)", id, len(list), want, err)
		}
	}
	s.tend(t.Context())
	left("a", 1)
	done, err := s.collect(t.Context(), workspace.Collection{Grace: checkpointGrace})
	if err != nil || len(done) != 1 || done[0].Waiting != 1 || done[0].Checkpoints != 0 {
		t.Errorf("after a moment %+v, %v", done, err)
	}
	if _, err := s.collect(t.Context(), workspace.Collection{}); err != nil {
		t.Error(err)
	}
	left("a", 0)
	left("b", 1)
}

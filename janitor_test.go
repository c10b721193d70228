package parley

import (
	"context"
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/blob"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/journal/sqlite"
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

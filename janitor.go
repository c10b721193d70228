package parley

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/parley-dev/parley/internal/blob"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/workspace"
)

const (
	sweepFirst = 10 * time.Minute // after the start, when nobody waits for it
	sweepEvery = 6 * time.Hour
	// sweepGrace protects a blob whose record is not appended yet.
	sweepGrace = time.Hour
	// lookEvery is how often the files of settings are looked at, for clients to
	// be told what somebody edited.
	lookEvery = 2 * time.Second
)

// janitor tidies up, now and then, until ctx is done: blobs that no record
// refers to any more, and sessions beyond the limits. It also notices settings
// that somebody has edited.
func (s *Server) janitor(ctx context.Context, blobs *blob.Store) {
	var work sync.WaitGroup
	work.Go(func() {
		every(ctx, sweepFirst, sweepEvery, func() { s.sweepBlobs(ctx, blobs) })
	})
	work.Go(func() {
		every(ctx, sweepFirst, time.Hour, func() { s.tend(ctx) })
	})
	work.Go(func() {
		every(ctx, retainFirst, retainEvery, func() { s.retain(ctx, time.Now()) })
	})
	work.Go(func() {
		every(ctx, lookEvery, lookEvery, s.settings.Look)
	})
	work.Wait()
}

// every does something after a while, and again and again, until ctx is done.
func every(ctx context.Context, first, then time.Duration, do func()) {
	timer := time.NewTimer(first)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		do()
		timer.Reset(then)
	}
}

func (s *Server) sweepBlobs(ctx context.Context, blobs *blob.Store) {
	swept, err := sweep(ctx, s.journal, blobs, time.Now().Add(-sweepGrace))
	if err != nil && ctx.Err() == nil {
		s.options.Logger.Warn("old blobs were not removed", "err", err)
	} else if swept.Removed > 0 {
		s.options.Logger.Info("removed blobs that nothing refers to", "blobs", swept.Removed, "bytes", swept.Freed)
	}
}

// sweep removes what is older and not referred to. References are read first:
// one that is added meanwhile belongs to a blob that is too young to go.
func sweep(ctx context.Context, refs journal.BlobRefs, blobs *blob.Store, olderThan time.Time) (blob.Swept, error) {
	const page = 1000
	used := map[string]struct{}{}
	for after := ""; ; {
		hashes, err := refs.Blobs(ctx, after, page)
		if err != nil {
			return blob.Swept{}, err
		}
		for _, hash := range hashes {
			used[hash] = struct{}{}
			after = hash
		}
		if len(hashes) < page {
			break
		}
	}
	return blobs.Sweep(ctx, func(hash string) bool { _, ok := used[hash]; return ok }, olderThan)
}

// tend looks after checkpoints and secrets: packs are joined, old trash and the
// checkpoints of deleted sessions go, and what another process has stored is
// noticed.
func (s *Server) tend(ctx context.Context) {
	s.secrets.Refresh()
	err := s.files.Tend(ctx)
	if ctx.Err() == nil {
		_, gone := s.collect(ctx, workspace.Collection{Grace: checkpointGrace})
		err = errors.Join(err, gone)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, workspace.ErrUnavailable) {
		s.options.Logger.Warn("checkpoints were not looked after", "err", err)
	}
}

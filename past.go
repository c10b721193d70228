package parley

import (
	"context"
	"log/slog"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/index"
	"github.com/parley-dev/parley/internal/journal/sqlite"
	"github.com/parley-dev/parley/internal/session"
)

// pastOf folds sessions as they were, for whoever keeps a list of them.
func pastOf(j *sqlite.Journal, log *slog.Logger) func(context.Context, string, uint64) (*session.State, error) {
	reader := engine.New(engine.Options{Store: j, Logger: log}) // it is never started: it only reads
	return reader.At
}

// locate finds a visible message by its ts or index.
func (s *Server) locate(ctx context.Context, id string, ts *int64, n *int) (uint64, error) {
	if ts != nil {
		return s.index.Message(ctx, id, index.ByTs(*ts))
	}
	return s.index.Message(ctx, id, index.ByIndex(*n))
}

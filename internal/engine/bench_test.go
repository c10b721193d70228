package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// BenchmarkDo is the engine's own cost of a record: the journal is in memory.
func BenchmarkDo(b *testing.B) {
	const sessions = 100
	e := engine.New(engine.Options{Store: newMemory(), Blobs: &blobs{}, Runner: runner{say()}})
	e.Start()
	defer e.Close()
	ctx := context.Background()
	title := strings.Repeat("t", 250)
	for i := range sessions {
		if _, err := e.Create(ctx, fmt.Sprint("s", i), protocol.SessionCreated{Owner: "ann"}, session.Actor{}, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		_, err := e.Do(ctx, fmt.Sprint("s", i%sessions), session.Command{Type: protocol.TypeUpdateSession, Data: &protocol.UpdateSession{Title: &title}})
		if err != nil {
			b.Fatal(err)
		}
	}
}

package offline

import (
	"context"
	"time"
	"unicode/utf8"
)

// Pacer waits for as long as writing the next piece of text should take. It
// returns ctx's error when ctx is done before.
type Pacer func(ctx context.Context, piece string) error

// Natural is a pace at which one can read along: 15 to 25 ms for a word, longer
// words taking longer.
func Natural() Pacer { return natural }

// Unpaced does not wait.
func Unpaced() Pacer {
	return func(ctx context.Context, _ string) error { return ctx.Err() }
}

func natural(ctx context.Context, piece string) error {
	letters := min(utf8.RuneCountInString(piece), 10)
	timer := time.NewTimer(time.Duration(15+letters) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

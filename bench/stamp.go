package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/parley-dev/parley/model"
)

// A stamp is a chunk of text that says when it was made: nanoseconds in
// nineteen digits, filled up with dots. The wall clock is the same in all
// processes of a machine.
const stampSize = 40

func stamp(now time.Time) string { return fmt.Sprintf("%019d.....................", now.UnixNano()) }

// age is how long ago a stamp was made, in seconds.
func age(stamp []byte, now time.Time) (float64, error) {
	made, err := strconv.ParseInt(string(stamp[:19]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("a stamp that says %q: %w", stamp, err)
	}
	return float64(now.UnixNano()-made) / 1e9, nil
}

// stamps calls yield n times, at a steady pace, each time with a new stamp.
func stamps(ctx context.Context, n int, every time.Duration, yield func(text string) error) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for range n {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := yield(stamp(time.Now())); err != nil {
			return err
		}
	}
	return nil
}

// stampProvider opens models that answer in stamps: "stamp:500/5ms".
func stampProvider() model.Provider {
	return model.Provider{Prefix: "stamp:", Open: func(_ context.Context, rest string) (model.Model, error) {
		n, every, err := stampPace(rest)
		return play(func(ctx context.Context, yield func(string) error) error { return stamps(ctx, n, every, yield) }), err
	}}
}

// stampPace reads a number of stamps and the time between two: "500/5ms".
func stampPace(s string) (n int, every time.Duration, err error) {
	var pace string
	if _, err := fmt.Sscanf(s, "%d/%s", &n, &pace); err != nil {
		return 0, 0, fmt.Errorf("a pace is written as 500/5ms: %w", err)
	}
	every, err = time.ParseDuration(pace)
	return n, every, err
}

// play is a model whose text a function yields, piece by piece.
type play func(ctx context.Context, yield func(text string) error) error

// Info says what the model is.
func (play) Info() model.Info { return model.Info{Name: "bench", ContextWindow: 200_000} }

// Stream answers every request alike.
func (p play) Stream(ctx context.Context, _ model.Request, yield func(model.Event) error) error {
	err := p(ctx, func(text string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return yield(model.Event{Kind: model.EventTextDelta, Text: text})
	})
	if err != nil {
		return err
	}
	return yield(model.Event{Kind: model.EventDone, StopReason: model.StopEndTurn})
}

package modeltest

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/parley-dev/parley/model"
)

var errStop = errors.New("modeltest: stop")

func checkInfo(t *testing.T, tr trial) {
	info := tr.model.Info()
	if info.Name == "" {
		t.Error("Info().Name is empty")
	}
	if info.ContextWindow < 0 || info.MaxOutput < 0 {
		t.Errorf("Info() has a negative size: %+v", info)
	}
	if again := tr.model.Info(); again != info {
		t.Errorf("Info() changed from %+v to %+v", info, again)
	}
}

func checkOrder(t *testing.T, tr trial) {
	events, err := tr.collect()
	if err != nil {
		t.Fatalf("Stream: %v", err)
	}
	for _, fault := range Faults(events) {
		t.Error(fault)
	}
	if len(events) < 3 {
		t.Errorf("%d events; a plain answer needs two before Done, or the other checks prove nothing", len(events))
	}
	done := events[len(events)-1]
	if done.Usage.InputTokens+done.Usage.CacheReadTokens+done.Usage.CacheWriteTokens <= 0 || done.Usage.OutputTokens <= 0 {
		t.Errorf("Done has no usage: %+v", done.Usage)
	}
}

// An empty text is answered or refused, but never breaks the contract.
func checkEmptyText(t *testing.T, tr trial) {
	events, err := tr.collect()
	if err == nil {
		for _, fault := range Faults(events) {
			t.Error(fault)
		}
		return
	}
	if kind := model.KindOf(err); kind != model.Invalid {
		t.Errorf("an empty text failed with %q (%v), want an answer or an *model.Error of kind %q", kind, err, model.Invalid)
	}
}

func checkUnchanged(t *testing.T, tr trial) {
	before, _ := json.Marshal(tr.req)
	if _, err := tr.collect(); err != nil {
		t.Fatalf("Stream: %v", err)
	}
	if after, _ := json.Marshal(tr.req); string(after) != string(before) {
		t.Errorf("the request changed:\n%s\n%s", before, after)
	}
}

func checkYieldError(t *testing.T, tr trial) {
	calls := 0
	err := tr.model.Stream(tr.ctx, tr.req, func(model.Event) error {
		calls++
		return errStop
	})
	if !errors.Is(err, errStop) {
		t.Errorf("Stream returned %v, want the error that yield returned", err)
	}
	if calls != 1 {
		t.Errorf("yield was called %d times, want 1: its error stops the answer", calls)
	}
}

func checkYieldErrorAtDone(t *testing.T, tr trial) {
	err := tr.model.Stream(tr.ctx, tr.req, func(e model.Event) error {
		if e.Kind == model.EventDone {
			return errStop
		}
		return nil
	})
	if !errors.Is(err, errStop) {
		t.Errorf("Stream returned %v, want the error that yield returned at Done", err)
	}
}

func checkCancelledBefore(t *testing.T, tr trial) {
	tr.cancel()
	events, err := tr.collect()
	wantContext(t, err, context.Canceled)
	if len(events) > 0 {
		t.Errorf("%d events came though the context was done from the start", len(events))
	}
}

func checkCancelledBetween(t *testing.T, tr trial) { tr.cancelAt(t, 1) }

func checkCancelledBeforeDone(t *testing.T, tr trial) {
	events, err := tr.collect()
	if err != nil || len(events) < 2 {
		t.Fatalf("Stream: %d events, %v", len(events), err)
	}
	tr.cancelAt(t, len(events)-1)
}

func checkCancelledWaiting(t *testing.T, tr trial) { tr.cancelAt(t, 1) }

// cancelAt cancels inside the nth yield: nothing may follow. If the model waits
// without looking at its context, the test never ends.
func (tr trial) cancelAt(t *testing.T, n int) {
	calls := 0
	err := tr.model.Stream(tr.ctx, tr.req, func(model.Event) error {
		if calls++; calls == n {
			tr.cancel()
		}
		return nil
	})
	wantContext(t, err, context.Canceled)
	if calls != n {
		t.Errorf("yield was called %d times, want %d: the context was done by then", calls, n)
	}
}

func checkDeadline(t *testing.T, tr trial) {
	ctx, cancel := context.WithTimeout(tr.ctx, 20*time.Millisecond)
	defer cancel()
	tr.ctx = ctx
	_, err := tr.collect()
	wantContext(t, err, context.DeadlineExceeded)
}

// wantContext holds an error to the context's own: as an *model.Error it would be
// taken for a failure of the model.
func wantContext(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) || model.KindOf(err) != "" {
		t.Errorf("Stream returned %v (%T), want %v", err, err, want)
	}
}

func checkConcurrent(t *testing.T, tr trial) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			events, err := tr.collect()
			if err != nil {
				t.Errorf("Stream: %v", err)
				return
			}
			for _, fault := range Faults(events) {
				t.Error(fault)
			}
		})
	}
	wg.Wait()
}

func checkTool(t *testing.T, tr trial) {
	events, err := tr.collect()
	if err != nil {
		t.Fatalf("Stream: %v", err)
	}
	for _, fault := range Faults(events) {
		t.Error(fault)
	}
	offered := map[string]bool{}
	for _, offer := range tr.req.Tools {
		offered[offer.Name] = true
	}
	calls := 0
	for _, e := range events {
		if e.Kind != model.EventToolUse {
			continue
		}
		calls++
		if !offered[e.ToolUse.Name] {
			t.Errorf("the model called %q, which was not offered", e.ToolUse.Name)
		}
	}
	if calls == 0 {
		t.Error("no tool was called")
	}
	if stop := events[len(events)-1].StopReason; stop != model.StopToolUse {
		t.Errorf("the answer stopped with %q, want %q", stop, model.StopToolUse)
	}
}

func checkFail(t *testing.T, tr trial) {
	events, err := tr.collect()
	if model.KindOf(err) == "" {
		t.Fatalf("Stream returned %v (%T), want an *model.Error with a kind", err, err)
	}
	if err.Error() == "" {
		t.Error("the error says nothing")
	}
	for _, e := range events {
		if e.Kind == model.EventDone {
			t.Error("an answer that failed has a Done")
		}
	}
}

func (tr trial) collect() ([]model.Event, error) {
	var events []model.Event
	err := tr.model.Stream(tr.ctx, tr.req, func(e model.Event) error {
		events = append(events, e)
		return nil
	})
	return events, err
}

package agent

import (
	"cmp"
	"context"
	"slices"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

const (
	// defaultWindow is assumed of a model that does not say how much it can take.
	defaultWindow = 32_000
	// truncateAt is the share of the window, in percent, at which the oldest part
	// is left out if the past could not be summed up.
	truncateAt = 95
)

// recall gives what an agent is told of the past.
func (a *Agent) recall(ctx context.Context, w *engine.Work, most int64) ([]history.Told, error) {
	window, err := w.Window(ctx)
	if err != nil {
		return nil, err
	}
	all, err := a.reread(ctx, w, max(window.From, 1), most)
	if err != nil {
		return nil, err
	}
	var heads []protocol.Record
	for _, seq := range window.Heads {
		records, err := a.read(ctx, w, seq-1, seq)
		if err != nil {
			return nil, err
		}
		heads = append(heads, records...)
	}
	return history.Visible(history.Tell(append(heads, all...), w.Step.AgentID)), nil
}

// recalled is what an agent has read of its window in a turn: all up to a record.
type recalled struct {
	records []protocol.Record
	last    uint64
}

// reread gives the records from first on. What was read for an earlier call of the
// same turn is not read again. Otherwise it begins at the end, and stops at twice
// what the model can take: the cost depends on the model, not on how long the
// session is.
func (a *Agent) reread(ctx context.Context, w *engine.Work, first uint64, most int64) ([]protocol.Record, error) {
	last, err := w.Last(ctx)
	if err != nil {
		return nil, err
	}
	memo, err := w.Memo(ctx)
	if err != nil {
		return nil, err
	}
	known, ok := memo.(recalled)
	if ok {
		further, err := a.read(ctx, w, known.last, last)
		if err != nil {
			return nil, err
		}
		from, _ := slices.BinarySearchFunc(known.records, first, func(r protocol.Record, seq uint64) int { return cmp.Compare(r.Seq, seq) })
		known.records = append(slices.Clip(known.records[from:]), further...)
	} else if known.records, err = a.readBack(ctx, w, first, last, most); err != nil {
		return nil, err
	}
	known.last = last
	return known.records, w.Keep(ctx, known)
}

// recallPage is how many records are read at a time.
const recallPage = 256

// readBack reads from the end.
func (a *Agent) readBack(ctx context.Context, w *engine.Work, first, last uint64, most int64) ([]protocol.Record, error) {
	var all []protocol.Record
	read := int64(0)
	for end := last; end >= first && read < 2*most; {
		after := max(end, first-1+recallPage) - recallPage
		records, err := a.read(ctx, w, after, end)
		if err != nil {
			return nil, err
		}
		all = slices.Concat(records, all)
		read += history.Tokens(history.Tell(records, w.Step.AgentID))
		end = after
	}
	return all, nil
}

// read gives the visible records after one and up to another, whole.
func (a *Agent) read(ctx context.Context, w *engine.Work, after, last uint64) (all []protocol.Record, err error) {
	for after < last {
		n := min(last-after, recallPage)
		records, err := w.Read(ctx, after, int(n))
		if err == nil {
			err = a.fill(records)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, records...)
		after += n
	}
	return all, nil
}

// fit gives the history for a call once it fits the model. If it does not, it is
// summed up first, and then the call has to wait (wait is true); where that
// cannot be, its oldest part is left out.
func (a *Agent) fit(ctx context.Context, w *engine.Work, p policy, window, besides int64) (messages []model.Message, wait bool, err error) {
	if window <= 0 {
		window = defaultWindow
	}
	for {
		told, err := a.recall(ctx, w, window)
		if err != nil {
			return nil, false, err
		}
		tokens := history.Tokens(told) + besides
		at := boundary(told, kept)
		if tokens*100 > window*int64(p.CondensePercent) && p.CondenseAuto && !w.Step.NoCondense && at > 0 {
			_, err := w.Do(ctx, session.Command{Type: session.CondenseWant, Data: &session.CondenseWanted{TurnID: w.Step.TurnID}})
			return nil, true, err
		}
		if at = fitting(told, window/2); tokens*100 <= window*truncateAt || at == 0 {
			return history.Messages(told), false, nil
		}
		_, err = w.Do(ctx, session.Command{Type: session.Truncate, Data: &session.Truncated{
			TurnID: w.Step.TurnID, KeepsFrom: told[at].Seq, Removed: at, PrevTokens: tokens, NewTokens: history.Tokens(told[at:]) + besides,
		}})
		if err != nil {
			return nil, false, err
		}
	}
}

// kept is how many messages a summary leaves as they are.
const kept = 3

// boundary is where a history can be cut so that the last n messages stay whole,
// calls with their results; 0 if there is nothing before them to cut off.
func boundary(told []history.Told, n int) int {
	at := len(told) - n
	for at > 0 && isResult(told[at]) {
		at--
	}
	if at <= 0 || isMarker(told[at]) || !slices.ContainsFunc(told[:at], func(m history.Told) bool { return !isMarker(m) }) {
		return 0
	}
	return at
}

// fitting is where a history has to be cut so that the rest is no longer than a
// number of tokens; 0 if no cut makes it shorter.
func fitting(told []history.Told, tokens int64) int {
	at := 0
	for i := len(told) - 1; i > 0 && !isMarker(told[i]); i-- {
		if tokens -= model.EstimateMessage(told[i].Message); tokens < 0 && at > 0 {
			break
		}
		if !isResult(told[i]) {
			at = i
		}
	}
	for i := range at { // what would stay in any case is no gain
		if !isMarker(told[i]) && (i > 0 || told[i].Role != model.RoleUser) {
			return at
		}
	}
	return 0
}

func isResult(m history.Told) bool {
	return len(m.Blocks) > 0 && m.Blocks[0].Kind == model.BlockToolResult
}

func isMarker(m history.Told) bool { return m.CondenseID != "" || m.TruncationID != "" }

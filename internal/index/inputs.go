package index

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/protocol"
)

// putInputs keeps what a record tells of the inputs of calls.
func (b *batch) putInputs(r *row, rec protocol.Record) error {
	for key, input := range history.InputsOf(rec) {
		told, err := json.Marshal(input)
		if err != nil {
			return err
		}
		err = b.exec("INSERT OR REPLACE INTO inputs (session, key, seq, input) VALUES (?, ?, ?, ?)", r.key, key, int64(rec.Seq), string(told))
		if err != nil {
			return err
		}
	}
	return nil
}

const newestInput = "SELECT seq, input FROM inputs WHERE session = ? AND key = ? AND seq < ? ORDER BY seq DESC LIMIT 1"

// input is what the visible records tell of the input of a call; nil if nothing.
func (b *batch) input(r *row, call, todo string) (map[string]any, error) {
	l := &r.summary.Ledger
	path := l.Moves.Path(l.Last)
	for _, key := range history.InputKeys(call, todo) {
		for before := int64(math.MaxInt64); ; {
			var told []byte
			known, err := found(b.queryRow(newestInput, r.key, key, before).Scan(&before, &told))
			if err != nil {
				return nil, err
			}
			if !known {
				break
			}
			if path.Contains(uint64(before)) {
				return toldInput(told)
			}
		}
	}
	return nil, nil
}

// toldInput reads an input back, with its values as they were, numbers too.
func toldInput(told []byte) (map[string]any, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(told, &values); err != nil {
		return nil, &staleError{fmt.Sprintf("the input of a call cannot be read: %v", err)}
	}
	input := make(map[string]any, len(values))
	for key, value := range values {
		input[key] = value
	}
	return input, nil
}

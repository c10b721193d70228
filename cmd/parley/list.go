package main

import (
	"fmt"
	"iter"
)

// list prints items up to a limit: as JSON, or with show, which is told how many
// it is. It says how many there were, and that there are more.
func list[T any](p *program, limit int, items iter.Seq2[T, error], show func(n int, item T)) (shown int, err error) {
	for item, err := range items {
		if err != nil {
			return shown, err
		}
		if shown == limit {
			fmt.Fprintf(p.err, "there are more; --limit shows them\n")
			break
		}
		if shown++; !p.json {
			show(shown, item)
		} else if err := p.printJSON(item); err != nil {
			return shown, err
		}
	}
	return shown, nil
}

// checkLimit refuses a --limit that shows nothing.
func checkLimit(limit int) error {
	if limit < 1 {
		return fmt.Errorf("--limit must be at least 1, not %d", limit)
	}
	return nil
}

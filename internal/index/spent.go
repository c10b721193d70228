package index

import (
	"context"
	"fmt"

	"github.com/parley-dev/parley/protocol"
)

// Spent is what all sessions of an owner have cost together.
func (ix *Index) Spent(ctx context.Context, owner string) (u protocol.Usage, err error) {
	_, err = ix.ask(ctx, func(st *store) error {
		return st.readers.QueryRowContext(ctx, `
			SELECT coalesce(sum(json_extract(usage, '$.input_tokens')), 0), coalesce(sum(json_extract(usage, '$.output_tokens')), 0),
				coalesce(sum(json_extract(usage, '$.cache_read_tokens')), 0), coalesce(sum(json_extract(usage, '$.cache_write_tokens')), 0),
				coalesce(sum(json_extract(usage, '$.cost_usd')), 0.0)
			FROM sessions WHERE owner = ?`, owner).
			Scan(&u.InputTokens, &u.OutputTokens, &u.CacheReadTokens, &u.CacheWriteTokens, &u.CostUSD)
	})
	if err != nil {
		return u, fmt.Errorf("add up what %s has spent: %w", owner, err)
	}
	return u, nil
}

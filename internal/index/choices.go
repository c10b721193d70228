package index

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/parley-dev/parley/protocol"
)

// putChoice keeps what the owner of a session said about a tool for all their
// sessions: always, or never again. What others say holds for the session only.
func (b *batch) putChoice(position int64, r *row, d *protocol.HitlResolved) error {
	lasting := d.Remember == protocol.RememberAlways || d.Remember == protocol.RememberNever
	if !lasting || d.Tool == "" || d.By != r.summary.Ledger.Owner {
		return nil
	}
	return b.exec("INSERT OR REPLACE INTO choices (position, session, owner, tool, choice) VALUES (?, ?, ?, ?, ?)",
		position, r.key, d.By, d.Tool, string(d.Remember))
}

type choice struct{ tool, choice string }

func scanChoice(rows *sql.Rows) (c choice, err error) {
	err = rows.Scan(&c.tool, &c.choice)
	return c, err
}

// Always gives the tools that an owner has allowed for all their sessions, in
// order. The last word about a tool counts; what was said in a session that is
// deleted is forgotten with it.
func (ix *Index) Always(ctx context.Context, owner string) ([]string, error) {
	var said []choice
	_, err := ix.ask(ctx, func(st *store) (err error) {
		said, err = collect(ctx, st.readers, scanChoice, "SELECT tool, choice FROM choices WHERE owner = ? ORDER BY position", owner)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read remembered choices: %w", err)
	}
	var allowed []string
	for _, c := range said {
		allowed = slices.DeleteFunc(allowed, func(tool string) bool { return tool == c.tool })
		if c.choice == string(protocol.RememberAlways) {
			allowed = append(allowed, c.tool)
		}
	}
	slices.Sort(allowed)
	return allowed, nil
}

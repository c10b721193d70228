package rest

import (
	"context"

	"github.com/parley-dev/parley/internal/branch"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/protocol"
)

// foldPage is how many records are in memory at a time.
const foldPage = 256

type view interface{ Add(protocol.Record) }

// fold gives a view of a session's visible records, read page by page. A
// session whose head was never moved is read once; the others once more, when
// it is known which records are visible.
func fold[V view](ctx context.Context, e *engine.Engine, id string, begin func() V) (V, error) {
	v := begin()
	var moves branch.Tree
	last, err := each(ctx, e, id, func(r protocol.Record) {
		if d, ok := r.Data.(*protocol.Rewound); ok {
			if head, err := protocol.ParseMessageID(d.Head); err == nil {
				moves = append(moves, branch.Move{Seq: r.Seq, Head: head})
			}
		}
		v.Add(r)
	})
	if err != nil || len(moves) == 0 {
		return v, err
	}
	path := moves.Path(last)
	v = begin()
	_, err = each(ctx, e, id, func(r protocol.Record) {
		if r.Seq <= last && path.Contains(r.Seq) {
			v.Add(r)
		}
	})
	return v, err
}

func each(ctx context.Context, e *engine.Engine, id string, visit func(protocol.Record)) (last uint64, err error) {
	for {
		page, err := e.Read(ctx, id, last, foldPage)
		if err != nil {
			return last, err
		}
		for _, r := range page {
			visit(r)
			last = r.Seq
		}
		if len(page) < foldPage {
			return last, nil
		}
	}
}

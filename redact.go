package parley

import (
	"context"
	"log/slog"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/settings"
)

// redactor takes the server's secrets out of what is stored and sent.
type redactor struct{ settings.Redactor }

func (r redactor) Stream() engine.TextFilter { return r.Redactor.Stream() }

// quiet is a log handler that lets no secret through.
type quiet struct {
	slog.Handler
	r settings.Redactor
}

func (q quiet) Handle(ctx context.Context, in slog.Record) error {
	out := slog.NewRecord(in.Time, in.Level, q.r.Redact(in.Message), in.PC)
	in.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(q.clean(a))
		return true
	})
	return q.Handler.Handle(ctx, out)
}

func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = q.clean(a)
	}
	return quiet{q.Handler.WithAttrs(clean), q.r}
}

func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name), q.r} }

// clean takes secrets out of an attribute, whatever it holds.
func (q quiet) clean(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindGroup:
		group := v.Group()
		clean := make([]any, len(group))
		for i, g := range group {
			clean[i] = q.clean(g)
		}
		return slog.Group(a.Key, clean...)
	case slog.KindString, slog.KindAny:
		text := v.String()
		if redacted := q.r.Redact(text); redacted != text {
			return slog.String(a.Key, redacted)
		}
	}
	return slog.Attr{Key: a.Key, Value: v}
}

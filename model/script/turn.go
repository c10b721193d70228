package script

import (
	"iter"
	"math"
	"time"

	"github.com/parley-dev/parley/model"
)

// turn is one answer of the script.
type turn struct {
	when   *when
	repeat int // how many places it takes in the sequence

	wait     time.Duration // before anything
	deltas   []delta
	generate generate
	hang     bool // after the deltas
	fail     *failure
	calls    []call
	stop     string
	usage    *model.Usage
}

const forever = math.MaxInt

type delta struct {
	kind  model.EventKind
	text  string
	delay time.Duration // before it
}

// generate makes many deltas from few bytes of script.
type generate struct {
	deltas   int
	text     string
	interval time.Duration
}

type call struct {
	id    string
	name  string
	input map[string]any
}

type failure struct {
	model.Error
	after int // deltas given before it
	times int // attempts that fail; zero: all
}

// count of the deltas, generated ones included.
func (t *turn) count() int { return len(t.deltas) + t.generate.deltas }

// all the deltas in order.
func (t *turn) all() iter.Seq[delta] {
	return func(yield func(delta) bool) {
		for _, d := range t.deltas {
			if !yield(d) {
				return
			}
		}
		g := t.generate
		for range g.deltas {
			if !yield(delta{model.EventTextDelta, g.text, g.interval}) {
				return
			}
		}
	}
}

// failing says whether the turn fails in this attempt.
func (t *turn) failing(attempt int) bool {
	return t.fail != nil && (t.fail.times == 0 || max(attempt, 1) <= t.fail.times)
}

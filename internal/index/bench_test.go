package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// crowd is a journal of many sessions with some messages each.
func crowd(sessions, messages int) *memory {
	m := newMemory()
	r := rand.New(rand.NewPCG(1, 2))
	vocabulary := make([]string, 2000)
	for i := range vocabulary {
		vocabulary[i] = fmt.Sprintf("%c%c%x", 'a'+i%26, 'a'+i/26%26, i)
		if i%4 == 0 {
			vocabulary[i] = string([]rune{rune(0xac00 + r.IntN(2000)), rune(0xac00 + r.IntN(2000)), rune(0xac00 + r.IntN(2000))})
		}
	}
	for n := range messages + 1 {
		for i := range sessions {
			id := fmt.Sprintf("sess_%06d", i)
			if n == 0 {
				m.create(id, fmt.Sprint("owner", i%100), fmt.Sprintf("Session number %d about %s", i, vocabulary[i%2000]))
				continue
			}
			var text []string
			for range 40 {
				text = append(text, vocabulary[int(float64(2000)*r.Float64()*r.Float64())])
			}
			m.say(id, strings.Join(text, " "))
		}
	}
	return m
}

// measure prints the 95th percentile beside the mean.
func measure(b *testing.B, do func(i int) error) {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		if err := do(len(took)); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

// BenchmarkList reads a page of 10,000 sessions.
func BenchmarkList(b *testing.B) {
	m := crowd(10_000, 1)
	ix := open(b, path(b), m)
	if err := ix.CatchUp(b.Context()); err != nil {
		b.Fatal(err)
	}
	var shared []string
	for i := range 500 {
		shared = append(shared, fmt.Sprintf("sess_%06d", i*7))
	}
	for name, q := range map[string]Query{
		"first_page": {}, "owner": {Owners: []string{"owner7"}}, "status": {Status: protocol.StatusIdle},
		"owner_and_shared": {Owners: []string{"owner7"}, OrSessions: shared},
		"title":            {Q: "number 77"}, "title_not_there": {Q: "nowhere"},
		"middle": {Cursor: (&listCursor{order{by: SortUpdated}, "x", epoch.Add(15_000 * time.Second).UnixMilli()}).String()},
	} {
		b.Run(name, func(b *testing.B) {
			measure(b, func(int) error {
				_, err := ix.List(b.Context(), q)
				return err
			})
		})
	}
}

// BenchmarkSearch looks through 100,000 messages.
func BenchmarkSearch(b *testing.B) {
	m := crowd(1000, 100)
	ix := open(b, path(b), m)
	if err := ix.CatchUp(b.Context()); err != nil {
		b.Fatal(err)
	}
	for name, q := range map[string]SearchQuery{
		"one_letter": {Q: "b"}, "two_letters": {Q: "ba"}, "word": {Q: "ba1"}, "one_syllable": {Q: "가"}, "words": {Q: "ba1 bb"},
		"not_there": {Q: "zzzz"}, "session": {Q: "b", Session: "sess_000007"}, "owner": {Q: "b", Owners: []string{"owner7"}}, "owner_without": {Q: "b", Owners: []string{"nobody"}},
	} {
		b.Run(name, func(b *testing.B) {
			measure(b, func(int) error {
				_, err := ix.Search(b.Context(), q)
				return err
			})
		})
	}
}

// BenchmarkCatchUp is what a list costs above its query: nothing new, and one
// record.
func BenchmarkCatchUp(b *testing.B) {
	m := crowd(100, 10)
	ix := open(b, path(b), m)
	if err := ix.CatchUp(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Run("nothing", func(b *testing.B) {
		measure(b, func(int) error { return ix.CatchUp(b.Context()) })
	})
	b.Run("one", func(b *testing.B) {
		measure(b, func(i int) error {
			m.say(fmt.Sprintf("sess_%06d", i%100), "some words to index")
			return ix.CatchUp(b.Context())
		})
	})
}

// BenchmarkRebuild folds 100,000 messages.
func BenchmarkRebuild(b *testing.B) {
	m := crowd(1000, 100)
	for b.Loop() {
		ix := open(b, path(b), m)
		if err := ix.CatchUp(b.Context()); err != nil {
			b.Fatal(err)
		}
		if err := ix.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*float64(len(m.entries))/b.Elapsed().Seconds(), "records/s")
}

package index

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// wordList is what random people say.
var wordList = []string{"alpha", "alphabet", "Beta", "béta", "가나", "나다라", "東京", "京都", "x1"}

// sought is what others look for.
var sought = []string{"alpha", "alphab", "BETA", "가", "나", "나다", "京", "東京", "x"}

// act lets something happen in a random session.
func act(t *rapid.T, m *memory) {
	id := rapid.SampledFrom([]string{"s1", "s2", "s3", "s4", "s5"}).Draw(t, "session")
	text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(wordList), 0, 4).Draw(t, "text"), " ")
	for _, s := range m.stones {
		if s.Session == id {
			return
		}
	}
	last := m.last[id]
	if last == 0 {
		m.create(id, rapid.SampledFrom([]string{"ann", "bob"}).Draw(t, "owner"), text)
		return
	}
	turn := protocol.ID(protocol.TurnPrefix, uint64(rapid.IntRange(1, 3).Draw(t, "turn")))
	switch rapid.IntRange(0, 11).Draw(t, "act") {
	case 0, 1, 2, 3:
		m.say(id, text)
	case 4:
		m.message(id, rapid.Int64Range(1, int64(last)).Draw(t, "ts"), protocol.MessageUpdated, text)
	case 5:
		m.put(id, protocol.TypeSessionUpdated, &protocol.SessionUpdated{Title: &text})
	case 6:
		m.put(id, protocol.TypeTurnStarted, &protocol.TurnStarted{TurnID: turn, AgentID: "main-monitor-0"})
	case 7:
		m.put(id, protocol.TypeModelCompleted, &protocol.ModelCompleted{TurnID: turn, Usage: protocol.Usage{InputTokens: 3, CostUSD: 0.25}})
	case 8:
		m.put(id, protocol.TypeComplete, &protocol.Complete{TurnID: turn})
	case 9:
		head := rapid.Uint64Range(0, last).Draw(t, "head")
		m.put(id, protocol.TypeRewound, &protocol.Rewound{RewindID: "r", Head: protocol.MessageID(head)})
	case 10:
		if to := "fork-of-" + id; m.last[to] == 0 {
			m.fork(id, rapid.Uint64Range(1, last).Draw(t, "upto"), to, "ann")
		}
	case 11:
		if rapid.IntRange(0, 3).Draw(t, "really") == 0 {
			m.delete(id)
		}
	}
}

// said is a message as a reader without an index would remember it.
type said struct {
	session string
	ts      int64
	seq     uint64
	text    string
}

// reference folds the feed in the simplest way.
func reference(m *memory) (items []Item, messages []said) {
	sums := make(map[string]*session.Summary)
	for _, e := range m.entries {
		rec, err := protocol.DecodeRecord(e.Frame)
		if err != nil {
			panic(err)
		}
		if sums[e.Session] == nil {
			sums[e.Session] = new(session.Summary)
		}
		sums[e.Session].Apply(rec)
		d, ok := rec.Data.(*protocol.MessageRecord)
		if !ok {
			continue
		}
		i := slices.IndexFunc(messages, func(s said) bool { return s.session == e.Session && s.ts == d.Message.Ts })
		if i < 0 {
			messages = append(messages, said{e.Session, d.Message.Ts, e.Seq, d.Message.Text})
		} else {
			messages[i].text = d.Message.Text
		}
	}
	for id, s := range sums {
		l := s.Ledger
		items = append(items, Item{
			SessionID: id, Owner: l.Owner, Title: l.Title, Status: s.Status(), CreatedAt: protocol.At(l.Created), UpdatedAt: protocol.At(l.LastTime),
			MessageCount: l.Messages, Usage: l.Usage, Size: m.size(id), ParentID: l.ParentID, RootID: l.RootID, ForkedFrom: l.ForkedFrom,
		})
	}
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt.Time), strings.Compare(b.SessionID, a.SessionID))
	})
	slices.Reverse(messages)
	return items, messages
}

// has says whether a text has a word of the list, read without cutting it up.
func has(text, q string) bool {
	text, q = strings.ReplaceAll(strings.ToLower(text), "é", "e"), strings.ReplaceAll(strings.ToLower(q), "é", "e")
	if q[0] < 0x80 {
		return slices.ContainsFunc(strings.Fields(text), func(w string) bool { return strings.HasPrefix(w, q) })
	}
	return strings.Contains(strings.ReplaceAll(text, " ", ""), q)
}

func compare(t *rapid.T, ix *Index, m *memory, queries ...string) {
	items, messages := reference(m)
	p, err := ix.List(t.Context(), Query{Limit: maxLimit})
	if err != nil || p.Incomplete {
		t.Fatalf("list: %v, %v", err, p.Incomplete)
	}
	if diff := gocmp.Diff(items, p.Items, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(Item{})); diff != "" {
		t.Fatalf("the list is not the fold of the records (- fold, + list):\n%s", diff)
	}
	for _, q := range queries {
		var want []string
		for _, s := range messages {
			if has(s.text, q) {
				want = append(want, fmt.Sprint(s.session, "/", s.seq))
			}
		}
		h, err := ix.Search(t.Context(), SearchQuery{Q: q, Limit: maxLimit})
		if err != nil {
			t.Fatal(err)
		}
		if got := hits(h.Items); got != strings.Join(want, " ") {
			t.Fatalf("%s is in %v, the index finds %v", q, want, got)
		}
	}
}

// dump gives all that an index holds but its place in the feed.
func dump(t testing.TB, ix *Index) map[string][]string {
	t.Helper()
	if err := ix.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer ix.end()
	if _, err := ix.writer.ExecContext(t.Context(), "CREATE VIRTUAL TABLE IF NOT EXISTS temp.instances USING fts5vocab(main, words, instance)"); err != nil {
		t.Fatal(err)
	}
	tables := make(map[string][]string)
	for _, table := range []string{"dead", "sessions", "facts", "holes", "temp.instances"} {
		rows, err := ix.writer.QueryContext(t.Context(), "SELECT * FROM "+table)
		if err != nil {
			t.Fatal(err)
		}
		columns, _ := rows.Columns()
		for rows.Next() {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new(any)
			}
			if err := rows.Scan(values...); err != nil {
				t.Fatal(err)
			}
			var line []string
			for i, v := range values {
				line = append(line, fmt.Sprintf("%s=%v", columns[i], *v.(*any)))
			}
			tables[table] = append(tables[table], strings.Join(line, " "))
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		slices.Sort(tables[table])
	}
	return tables
}

func openRapid(t *rapid.T, path string, m *memory) *Index {
	ix, err := Open(Options{Path: path, Feed: m})
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// Whatever happens and whenever it is looked at, the index is the fold of the
// journal; closing, crashing and rebuilding make no difference.
func TestIndexIsTheFold(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		file := filepath.Join(dir, "index.db")
		m := newMemory()
		ix := openRapid(rt, file, m)
		defer func() { ix.Close() }()
		for range rapid.IntRange(1, 4).Draw(rt, "rounds") {
			for range rapid.IntRange(1, 12).Draw(rt, "acts") {
				act(rt, m)
			}
			switch rapid.IntRange(0, 3).Draw(rt, "then") {
			case 0:
				if err := ix.Close(); err != nil {
					rt.Fatal(err)
				}
				ix = openRapid(rt, file, m)
			case 1:
				copied := crash(t, ix, dir)
				if err := ix.Close(); err != nil {
					rt.Fatal(err)
				}
				file = copied
				ix = openRapid(rt, file, m)
			case 2:
				if err := ix.CatchUp(rt.Context()); err != nil {
					rt.Fatal(err)
				}
				ix.mu.RLock()
				clear(ix.cache)
				ix.mu.RUnlock()
			}
			compare(rt, ix, m, rapid.SampledFrom(sought).Draw(rt, "q"))
		}
		again := openRapid(rt, filepath.Join(dir, "again.db"), m)
		defer again.Close()
		compare(rt, again, m)
		if diff := gocmp.Diff(dump(t, again), dump(t, ix)); diff != "" {
			rt.Fatalf("the index is not what a new one is (- new, + old):\n%s", diff)
		}
	})
}

// crash copies the files of an index as a killed process leaves them: open,
// with what was committed last in the log beside the file.
func crash(t testing.TB, ix *Index, dir string) string {
	t.Helper()
	if err := ix.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer ix.end()
	to, err := os.MkdirTemp(dir, "crash")
	if err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(ix.path + suffix)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, "index.db"+suffix), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(to, "index.db")
}

// A process that is killed between two batches goes on from there.
func TestKilledWhileCatchingUp(t *testing.T) {
	m := newMemory()
	m.create("s", "ann", "")
	for i := range 3 * batchSize {
		text := "" // most have none: the test is about batches
		if i%50 == 0 {
			text = fmt.Sprint("needle ", i)
		}
		m.say("s", text)
	}
	m.create("t", "ann", "")
	dir := t.TempDir()
	var ix *Index
	ready := make(chan struct{})
	var left []string
	var starts []int64
	m.before = func(after int64) error {
		<-ready
		if to, err := os.MkdirTemp(dir, "killed"); err != nil {
			return err
		} else {
			left = append(left, to)
		}
		for _, suffix := range []string{"", "-wal"} {
			b, err := os.ReadFile(ix.path + suffix)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(left[len(left)-1], "index.db"+suffix), b, 0o600); err != nil {
				return err
			}
		}
		return nil
	}
	ix = open(t, path(t), m)
	close(ready)
	if err := ix.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := dump(t, ix)
	if err := ix.Close(); err != nil { // nobody reads the feed any more
		t.Fatal(err)
	}
	if len(left) < 4 {
		t.Fatalf("there were only %d reads", len(left))
	}
	for _, dir := range left {
		starts = starts[:0]
		m.before = func(after int64) error {
			starts = append(starts, after)
			return nil
		}
		again := open(t, filepath.Join(dir, "index.db"), m)
		if err := again.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, dump(t, again)); diff != "" {
			t.Fatalf("after %v (- whole, + interrupted):\n%s", starts, diff)
		}
		again.Close()
	}
	if len(starts) == 0 || starts[0] == 0 {
		t.Errorf("the last one began again from %v", starts)
	}
}

package index

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/protocol"
)

// Property tests make files, which takes time: a few checks a day, and many
// with PARLEY_SOAK or -rapid.checks.
func TestMain(m *testing.M) {
	flag.Parse()
	asked := os.Getenv("PARLEY_SOAK") != ""
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked {
		_ = flag.Set("rapid.checks", "30") // it exists: rapid is imported
	}
	goleak.VerifyTestMain(m)
}

// logTo shows the log where a test fails.
func logTo(t testing.TB) *slog.Logger { return slog.New(slog.NewTextHandler(t.Output(), nil)) }

// notes is a log that a test reads.
type notes struct {
	mu   sync.Mutex
	text strings.Builder
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(p)
}

func (n *notes) count(what string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Count(n.text.String(), what)
}

func path(t testing.TB) string { return filepath.Join(t.TempDir(), "data", "index.db") }

func list(t testing.TB, ix *Index, q Query) []Item {
	t.Helper()
	p, err := ix.List(t.Context(), q)
	if err != nil || p.Incomplete {
		t.Fatalf("list: %v, incomplete %v", err, p.Incomplete)
	}
	return p.Items
}

func ids(items []Item) string {
	var list []string
	for _, i := range items {
		list = append(list, i.SessionID)
	}
	return strings.Join(list, " ")
}

func search(t testing.TB, ix *Index, q SearchQuery) []Hit {
	t.Helper()
	p, err := ix.Search(t.Context(), q)
	if err != nil || p.Incomplete {
		t.Fatalf("search %q: %v, incomplete %v", q.Q, err, p.Incomplete)
	}
	return p.Items
}

func hits(list []Hit) string {
	var s []string
	for _, h := range list {
		s = append(s, h.SessionID+"/"+strings.TrimLeft(strings.TrimPrefix(h.MessageID, "msg_"), "0"))
	}
	return strings.Join(s, " ")
}

func check(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestReadYourWrites(t *testing.T) {
	feed := newMemory()
	ix := open(t, path(t), feed)
	check(t, "empty", ids(list(t, ix, Query{})), "")
	feed.create("a", "ann", "first")
	check(t, "one", ids(list(t, ix, Query{})), "a")
	feed.create("b", "bob", "second")
	check(t, "newest first", ids(list(t, ix, Query{})), "b a")
	feed.say("a", "hello there")
	check(t, "the last changed first", ids(list(t, ix, Query{})), "a b")
	check(t, "search", hits(search(t, ix, SearchQuery{Q: "hello"})), "a/2")
	feed.delete("a")
	check(t, "after deletion", ids(list(t, ix, Query{})), "b")
	check(t, "search after deletion", hits(search(t, ix, SearchQuery{Q: "hello"})), "")
}

// What is written is indexed behind, without anyone asking.
func TestPoke(t *testing.T) {
	feed := newMemory()
	seen := make(chan int64, 100)
	feed.before = func(after int64) error {
		select {
		case seen <- after:
		default:
		}
		return nil
	}
	ix := open(t, path(t), feed)
	<-seen
	feed.create("a", "ann", "")
	for range 100 {
		ix.Poke()
	}
	for folded := false; !folded; {
		<-seen // of the catch-up that the poke caused
		ix.Poke()
		_, err := ix.consult(func(st *store) error {
			return st.readers.QueryRow("SELECT count(*) > 0 FROM sessions").Scan(&folded)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// While it is being rebuilt the index answers with what it has.
func TestIncomplete(t *testing.T) {
	feed := newMemory()
	feed.create("early", "ann", "")
	feed.say("early", "words")
	for range batchSize {
		feed.say("early", "more words")
	}
	feed.create("late", "ann", "")
	let := make(chan struct{})
	stuck := make(chan struct{}, 10)
	feed.before = func(after int64) error {
		if after > 0 {
			stuck <- struct{}{}
			<-let
		}
		return nil
	}
	ix, err := Open(Options{Path: path(t), Feed: feed, Wait: time.Millisecond, Logger: logTo(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	<-stuck // after the first batch
	p, err := ix.List(t.Context(), Query{})
	if err != nil || !p.Incomplete || ids(p.Items) != "early" {
		t.Errorf("list while it is rebuilt: %v, %+v", err, p)
	}
	s, err := ix.Search(t.Context(), SearchQuery{Q: "word", Limit: 1})
	if err != nil || !s.Incomplete || len(s.Items) != 1 {
		t.Errorf("search while it is rebuilt: %v, %+v", err, s)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ix.List(gone, Query{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who left got %v", err)
	}
	close(let)
	if err := ix.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	ix.wait = time.Minute
	check(t, "afterwards", ids(list(t, ix, Query{})), "late early")
}

// A feed that fails stops nobody from reading what there is.
func TestFeedFails(t *testing.T) {
	feed := newMemory()
	feed.create("a", "ann", "")
	var log notes
	ix, err := Open(Options{Path: path(t), Feed: feed, Wait: time.Minute, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	list(t, ix, Query{})
	feed.mu.Lock()
	feed.before = func(int64) error { return errors.New("out of order") }
	feed.mu.Unlock()
	p, err := ix.List(t.Context(), Query{})
	if err != nil || !p.Incomplete || ids(p.Items) != "a" {
		t.Errorf("list: %v, %+v", err, p)
	}
	if log.count("out of order") == 0 {
		t.Errorf("the log does not say why the list is incomplete")
	}
}

func TestClosed(t *testing.T) {
	feed := newMemory()
	ix := open(t, path(t), feed)
	for range 2 {
		if err := ix.Close(); err != nil {
			t.Fatal(err)
		}
	}
	ix.Poke()
	_, err := ix.List(t.Context(), Query{})
	if !errors.Is(err, ErrClosed) {
		t.Errorf("list gives %v", err)
	}
	if err := ix.CatchUp(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("catching up gives %v", err)
	}
}

func TestOpenSaysWhereItFailed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	where := filepath.Join(file, "index.db")
	_, err := Open(Options{Path: where, Feed: newMemory()})
	if err == nil || !strings.Contains(err.Error(), where) {
		t.Errorf("got %v", err)
	}
}

// A record of a newer version is left out, and said once.
func TestUnknownRecord(t *testing.T) {
	feed := newMemory()
	var log notes
	ix, err := Open(Options{Path: path(t), Feed: feed, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	feed.create("a", "ann", "before")
	feed.mu.Lock()
	for range 10 {
		feed.putFrame("a", []byte(`{"type":"telepathy","message_id":"msg_0000000002","timestamp":"2030-01-01T00:00:00Z","data":{}}`))
		feed.putFrame("a", []byte(`not even JSON`))
	}
	feed.mu.Unlock()
	title := "after"
	feed.put("a", protocol.TypeSessionUpdated, &protocol.SessionUpdated{Title: &title})
	items := list(t, ix, Query{})
	if len(items) != 1 || items[0].Title != "after" {
		t.Errorf("got %+v", items)
	}
	if n := log.count("cannot read"); n != 1 {
		t.Errorf("the log says it %d times", n)
	}
}

// A damaged record costs itself only, wherever it lies.
func TestDamagedRecords(t *testing.T) {
	feed := newMemory()
	feed.create("gap", "ann", "")
	for range 1000 {
		feed.say("gap", "x")
	}
	feed.create("a", "ann", "one")
	damaged := []journal.Entry{feed.say("a", "lost")}
	feed.say("a", "found")
	feed.create("gap2", "ann", "")
	for range 777 {
		feed.say("gap2", "x")
	}
	damaged = append(damaged, feed.say("a", "lost too"), feed.say("a", "and this"))
	feed.create("b", "ann", "two")
	damaged = append(damaged, feed.say("b", "lost at the end"))
	feed.delete("gap")
	feed.delete("gap2")
	for _, e := range damaged {
		feed.damaged[e.Position] = true
	}
	ix := open(t, path(t), feed)
	check(t, "list", ids(list(t, ix, Query{})), "b a")
	check(t, "search", hits(search(t, ix, SearchQuery{Q: "found"})), "a/3")
	if got, want := ix.place.position, damaged[len(damaged)-1].Position; got != want {
		t.Errorf("the index is at %d, the last damaged record at %d", got, want)
	}
	feed.say("b", "later")
	check(t, "search later", hits(search(t, ix, SearchQuery{Q: "later"})), "b/3")
}

// A feed that shows a record of a deleted session does not bring it back.
func TestLateRecordOfDeleted(t *testing.T) {
	feed := newMemory()
	feed.create("a", "ann", "")
	ix := open(t, path(t), feed)
	list(t, ix, Query{})
	feed.delete("a")
	list(t, ix, Query{})
	feed.create("a", "ann", "a ghost")
	feed.say("a", "boo")
	check(t, "list", ids(list(t, ix, Query{})), "")
	check(t, "search", hits(search(t, ix, SearchQuery{Q: "boo"})), "")
}

func TestConcurrentUse(t *testing.T) {
	feed := newMemory()
	ix := open(t, path(t), feed)
	var wg sync.WaitGroup
	for i := range 4 {
		id := string(rune('a' + i))
		wg.Go(func() {
			feed.create(id, id, "")
			for n := range 15 {
				feed.say(id, "word")
				ix.Poke()
				p, err := ix.Search(t.Context(), SearchQuery{Q: "word", Owners: []string{id}, Limit: 200})
				if err != nil || p.Incomplete || len(p.Items) != n+1 {
					t.Errorf("%d hits of %d: %v", len(p.Items), n+1, err)
				}
				l, err := ix.List(t.Context(), Query{Owners: []string{id}})
				if err != nil || len(l.Items) != 1 || l.Items[0].MessageCount != n+1 {
					t.Errorf("list: %v, %+v", err, l.Items)
				}
			}
		})
	}
	wg.Wait()
}

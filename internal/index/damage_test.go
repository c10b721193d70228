package index

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// talk makes a journal with enough in it to fill some pages.
func talk() *memory {
	m := newMemory()
	for i := range 20 {
		id := fmt.Sprint("s", i)
		m.create(id, "ann", "session "+id)
		for range 5 {
			m.say(id, "needle in 한국어")
		}
	}
	m.create("last", "ann", "the last")
	return m
}

// made gives the path of a finished index, and what is in it.
func made(t *testing.T, m *memory) (string, map[string][]string) {
	t.Helper()
	file := path(t)
	ix := open(t, file, m)
	list(t, ix, Query{})
	want := dump(t, ix)
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	return file, want
}

// A file that is of no use is thrown away, with a word in the log.
func TestUselessFile(t *testing.T) {
	pragma := func(p string) func(*testing.T, string) {
		return func(t *testing.T, file string) {
			st, err := openStore(file)
			if err != nil {
				t.Fatal(err)
			}
			defer st.close()
			if _, err := st.writer.ExecContext(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		}
	}
	edit := func(change func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, file string) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, change(b), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, spoil := range map[string]func(*testing.T, string){
		"another version":     pragma("PRAGMA user_version = 99"),
		"another application": pragma("PRAGMA application_id = 99"),
		"no place":            pragma("DELETE FROM place"),
		"not a database":      edit(func([]byte) []byte { return []byte(strings.Repeat("what is this? ", 1000)) }),
		"half of it":          edit(func(b []byte) []byte { return b[:len(b)/2] }),
		"an odd piece of it":  edit(func(b []byte) []byte { return b[:5000] }),
		"a header only":       edit(func(b []byte) []byte { return b[:100] }),
		"empty pages":         edit(func(b []byte) []byte { clear(b[2*4096:]); return b }),
		"noise": edit(func(b []byte) []byte {
			for i := 4096; i < len(b); i++ {
				b[i] = byte(i * i >> 3)
			}
			return b
		}),
	} {
		t.Run(name, func(t *testing.T) {
			m := talk()
			file, want := made(t, m)
			spoil(t, file)
			var log notes
			ix, err := Open(Options{Path: file, Feed: m, Wait: time.Minute, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			defer ix.Close()
			if n := len(list(t, ix, Query{Limit: maxLimit})); n != 21 {
				t.Errorf("%d sessions", n)
			}
			if n := len(search(t, ix, SearchQuery{Q: "needle 국어", Limit: maxLimit})); n != 100 {
				t.Errorf("%d hits", n)
			}
			if diff := gocmp.Diff(want, dump(t, ix)); diff != "" {
				t.Errorf("it is not what it was:\n%s", diff)
			}
			if log.count("rebuilt") == 0 {
				t.Errorf("the log does not say so: %s", log.text.String())
			}
		})
	}
}

// A deleted file is made again; one that can be used is not thrown away.
func TestFileIsGone(t *testing.T) {
	m := talk()
	file, want := made(t, m)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	ix := open(t, file, m)
	list(t, ix, Query{})
	if diff := gocmp.Diff(want, dump(t, ix)); diff != "" {
		t.Errorf("it is not what it was:\n%s", diff)
	}
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	var reads []int64
	m.before = func(after int64) error {
		reads = append(reads, after)
		return nil
	}
	again := open(t, file, m)
	list(t, again, Query{})
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	for _, after := range reads {
		if after < m.at-1 {
			t.Errorf("a good index was read again from %d", after)
		}
	}
}

// An index does not go on with another journal than its own.
func TestAnotherJournal(t *testing.T) {
	for name, change := range map[string]struct {
		change func(*memory)
		renew  bool
	}{
		"the same":             {func(*memory) {}, false},
		"the same, longer":     {func(m *memory) { m.create("new", "ann", "") }, false},
		"its last one deleted": {func(m *memory) { m.delete("last") }, false},
		"an empty one":         {func(m *memory) { *m = *newMemory() }, true},
		"an older copy": {func(m *memory) {
			m.entries = m.entries[:len(m.entries)-1]
			delete(m.last, "last")
		}, true},
		"an older copy that went on": {func(m *memory) {
			m.entries, m.at = m.entries[:len(m.entries)-1], m.at-1
			delete(m.last, "last")
			m.create("else", "bob", "")
		}, true},
		"a copy from before a deletion": {func(m *memory) {
			*m = *talk()
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			m := talk()
			if strings.Contains(name, "before a deletion") {
				m.delete("s7")
			}
			file, _ := made(t, m)
			change.change(m)
			var log notes
			ix, err := Open(Options{Path: file, Feed: m, Wait: time.Minute, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			defer ix.Close()
			want, _ := reference(m)
			if diff := gocmp.Diff(ids(want), ids(list(t, ix, Query{Limit: maxLimit}))); diff != "" {
				t.Error(diff)
			}
			if renewed := log.count("rebuilt") > 0; renewed != change.renew {
				t.Errorf("rebuilt: %v", renewed)
			}
		})
	}
}

// A disk without room loses nothing: what was folded can be read, and the
// index goes on when there is room.
func TestDiskFull(t *testing.T) {
	m := newMemory()
	m.create("s", "ann", "")
	ix := open(t, path(t), m)
	list(t, ix, Query{})
	limit := func(pages string) {
		t.Helper()
		if err := ix.begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer ix.end()
		if err := ix.queryRow("PRAGMA max_page_count = " + pages).Scan(new(int64)); err != nil {
			t.Fatal(err)
		}
	}
	limit("1") // of what it has no less can be set
	for range 100 {
		m.say("s", strings.Repeat("needle ", 100))
	}
	p, err := ix.List(t.Context(), Query{})
	if err != nil || !p.Incomplete || len(p.Items) != 1 || p.Items[0].MessageCount != 0 {
		t.Errorf("list on a full disk: %v, %+v", err, p)
	}
	limit("1000000")
	if items := list(t, ix, Query{}); items[0].MessageCount != 100 {
		t.Errorf("afterwards: %+v", items)
	}
}

// If no new file can be made, the index tries again until it can.
func TestRenewFails(t *testing.T) {
	m := talk()
	file, want := made(t, m)
	ix := open(t, file, m)
	list(t, ix, Query{})
	inTheWay := filepath.Join(file, "in", "the", "way")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := ix.replace(t.Context(), ix.store, errors.New("the test wants it")); err == nil {
		t.Fatal("a folder was thrown away")
	}
	if _, err := ix.List(t.Context(), Query{}); err == nil {
		t.Error("there is a list of nothing")
	}
	if err := os.RemoveAll(file); err != nil {
		t.Fatal(err)
	}
	list(t, ix, Query{})
	if diff := gocmp.Diff(want, dump(t, ix)); diff != "" {
		t.Errorf("it is not what it was:\n%s", diff)
	}
}

func TestRelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	m := talk()
	ix := open(t, "data dir?/index.db", m)
	list(t, ix, Query{})
	if _, err := os.Stat("data dir?/index.db"); err != nil {
		t.Error(err)
	}
}

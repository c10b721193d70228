package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/journal"
)

// change edits the closed database file.
func change(t testing.TB, dir string, edit func([]byte)) {
	t.Helper()
	path := filepath.Join(dir, fileName)
	b, err := os.ReadFile(path)
	must(t, err)
	edit(b)
	must(t, os.WriteFile(path, b, 0o600))
}

// filled makes a closed journal with two sessions of n records each.
func filled(t testing.TB, n int) string {
	t.Helper()
	dir := t.TempDir()
	j := mustOpen(t, dir)
	for seq := 0; seq < n; seq += 10 {
		must(t, j.Append(context.Background(), testAppend("a", uint64(seq), 10)))
		must(t, j.Append(context.Background(), testAppend("b", uint64(seq), 10)))
	}
	must(t, j.Close())
	return dir
}

// damaged demands that reading a session ends in damage at a record.
func damagedAt(t *testing.T, dir, session string, seq uint64) *journal.DamageError {
	t.Helper()
	j := mustOpen(t, dir)
	defer j.Close()
	n, err := verify(t, j, session)
	var damage *journal.DamageError
	if !errors.As(err, &damage) {
		t.Fatalf("reading gave %d records and %v", n, err)
	}
	if seq > 0 && (damage.Seq != seq || damage.Session != session || n != seq-1) {
		t.Fatalf("after %d records came %v; the damage is at %d", n, damage, seq)
	}
	if !strings.Contains(damage.Where, fileName) || !strings.Contains(err.Error(), "parley fsck") {
		t.Errorf("the error says %q", err)
	}
	return damage
}

func TestDamagedFrame(t *testing.T) {
	dir := filled(t, 100)
	change(t, dir, func(b []byte) {
		at := bytes.Index(b, []byte("record 57 of a "))
		b[at+4] ^= 0x20
	})
	damagedAt(t, dir, "a", 57)
	report, err := Check(t.Context(), dir, CheckOptions{})
	must(t, err)
	if len(report.Problems) != 1 || report.Problems[0].Kind != KindRecord || report.Problems[0].Session != "a" || report.Problems[0].Seq != 57 || report.Problems[0].Repairable {
		t.Errorf("the check says:\n%s", report)
	}

	// The session before and the other one can be read, and written.
	j := mustOpen(t, dir)
	defer j.Close()
	holds(t, j, "b", 100)
	got, err := j.Read(t.Context(), "a", 57, 100)
	if err != nil || len(got) != 43 {
		t.Errorf("behind the damage there are %d records, %v", len(got), err)
	}
	must(t, j.Append(t.Context(), testAppend("a", 100, 1)))
	entries, err := j.Entries(t.Context(), 0, 1000)
	var damage *journal.DamageError
	if !errors.As(err, &damage) || damage.Session != "a" || damage.Seq != 57 {
		t.Errorf("the feed gave %v", err)
	}
	if last := entries[len(entries)-1]; last.Session != "a" || last.Seq != 56 {
		t.Errorf("before the damage the feed ends with %d of %s", last.Seq, last.Session)
	}
}

func TestMissingRecord(t *testing.T) {
	dir := filled(t, 100)
	tamper(t, dir, "DELETE FROM records WHERE seq = 30 AND session = (SELECT key FROM sessions WHERE id = 'b')")
	damagedAt(t, dir, "b", 30)
	report, err := Check(t.Context(), dir, CheckOptions{})
	must(t, err)
	if len(report.Problems) != 1 || report.Problems[0].Seq != 30 || report.Problems[0].Session != "b" {
		t.Errorf("the check says:\n%s", report)
	}
	j := mustOpen(t, dir)
	defer j.Close()
	var damage *journal.DamageError
	if err := j.Fork(t.Context(), "b", 50, testAppend("fork", 50, 1)); !errors.As(err, &damage) {
		t.Errorf("a fork of a session with a gap gave %v", err)
	}
	must(t, j.Fork(t.Context(), "b", 29, testAppend("fork", 29, 1)))
}

// The table that says where a session's records are is not trusted either.
func TestMissingSpans(t *testing.T) {
	dir := t.TempDir()
	for i := range uint64(4) { // each Open begins an era
		j := mustOpen(t, dir)
		must(t, j.Append(t.Context(), testAppend("a", 10*i, 10)))
		must(t, j.Close())
	}
	for first, seq := range map[int]uint64{1: 1, 11: 11, 31: 31} {
		tamper(t, dir, "CREATE TABLE saved AS SELECT * FROM spans", fmt.Sprintf("DELETE FROM spans WHERE first = %d", first))
		damagedAt(t, dir, "a", seq)
		tamper(t, dir, "DELETE FROM spans", "INSERT INTO spans SELECT * FROM saved", "DROP TABLE saved")
	}
	j := mustOpen(t, dir)
	defer j.Close()
	holds(t, j, "a", 40)
}

// A session's row under another name, and an index that leads to another row.
func TestSwappedSessions(t *testing.T) {
	dir := filled(t, 20)
	tamper(t, dir, "UPDATE sessions SET id = 'c' WHERE id = 'a'")
	damagedAt(t, dir, "c", 0)
	j := mustOpen(t, dir)
	_, err := j.Entries(t.Context(), 0, 100)
	var damage *journal.DamageError
	if !errors.As(err, &damage) {
		t.Errorf("the feed gave %v", err)
	}
	if err := j.Append(t.Context(), testAppend("c", 20, 1)); !errors.As(err, &damage) {
		t.Errorf("an append gave %v", err)
	}
	must(t, j.Append(t.Context(), testAppend("b", 20, 1)))
	must(t, j.Close())
}

func TestIndexOfIDsLeadsAstray(t *testing.T) {
	dir := filled(t, 20)
	c, err := dial(filepath.Join(dir, fileName))
	must(t, err)
	root, _, err := c.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_sessions_1'")
	must(t, err)
	must(t, c.close())
	change(t, dir, func(b []byte) {
		at := root*pageSize - 1 // the first entry is at the end of the page
		if b[at] != 'a' {
			t.Fatalf("there is %q", b[at])
		}
		b[at] = 'A'
	})
	if damage := damagedAt(t, dir, "A", 0); !strings.Contains(damage.What, "from session A to session a") {
		t.Errorf("the error says %q", damage)
	}
	report, err := Repair(t.Context(), dir, CheckOptions{})
	must(t, err)
	if !report.OK() || len(report.Repaired) == 0 {
		t.Errorf("after the repair:\n%s", report)
	}
	j := mustOpen(t, dir)
	defer j.Close()
	holds(t, j, "a", 20)
	holds(t, j, "A", 0)
}

// Records that stand in for each other, with checksums of their own, are
// noticed: by session and by sequence.
func TestSwappedRecords(t *testing.T) {
	dir := filled(t, 20)
	tamper(t, dir, `UPDATE records SET
		crc = (SELECT crc FROM records r WHERE r.seq = 7 AND r.session = 2),
		frame = (SELECT frame FROM records r WHERE r.seq = 7 AND r.session = 2)
		WHERE seq = 7 AND session = 1`)
	damagedAt(t, dir, "a", 7)
}

// A page of the tree itself: SQLite notices, and nothing wrong is read.
func TestDamagedPages(t *testing.T) {
	dir := filled(t, 200)
	path := filepath.Join(dir, fileName)
	whole, err := os.ReadFile(path)
	must(t, err)
	noticed := 0
	for page := 1; page < len(whole)/4096; page++ {
		change(t, dir, func(b []byte) {
			copy(b, whole)
			for i := range 16 { // the head of the page, where its cells are counted
				b[page*4096+i] ^= 0xa5
			}
		})
		j, err := Open(Options{Dir: dir})
		var damage *journal.DamageError
		if err != nil {
			if !errors.As(err, &damage) {
				t.Errorf("page %d: Open gave %v", page, err)
			}
			noticed++
			continue
		}
		clean := true
		for _, id := range []string{"a", "b"} {
			if _, err := verify(t, j, id); err != nil {
				clean = false
				if !errors.As(err, &damage) {
					t.Errorf("page %d: reading gave %v", page, err)
				}
			}
		}
		must(t, j.Close())
		report, err := Check(t.Context(), dir, CheckOptions{})
		if err == nil && report.OK() {
			t.Errorf("page %d: the check found nothing", page)
		}
		if !clean {
			noticed++
		}
	}
	if noticed == 0 {
		t.Error("no damage was ever noticed")
	}
	t.Logf("reading noticed %d of %d damaged pages, the check all", noticed, len(whole)/4096-1)
}

// The check steps over a page that cannot be read and says what it held.
func TestCheckBehindADamagedPage(t *testing.T) {
	dir := filled(t, 200)
	change(t, dir, func(b []byte) {
		page := bytes.Index(b, []byte("record 101 of a ")) / pageSize * pageSize
		copy(b[page:], bytes.Repeat([]byte{0xff}, 16))
	})
	report, err := Repair(t.Context(), dir, CheckOptions{})
	must(t, err)
	missing, unread := 0, false
	for _, p := range report.Problems {
		unread = unread || strings.Contains(p.What, "cannot be read")
		if p.Kind == KindRecord {
			missing++
			if !strings.Contains(p.What, "are missing") || p.Seq > 101 || p.Seq < 80 {
				t.Errorf("the check says: %s", p)
			}
		}
		if p.Repairable {
			t.Errorf("this cannot be repaired: %s", p)
		}
	}
	if !unread || missing == 0 || missing > 2 || report.Records < 350 || report.Records > 399 {
		t.Errorf("the check says:\n%s", report)
	}
}

// FuzzDamage overwrites some bytes of the file. Whatever comes back without an
// error is what was written, and nothing crashes.
func FuzzDamage(f *testing.F) {
	dir := filled(f, 50)
	whole, err := os.ReadFile(filepath.Join(dir, fileName))
	must(f, err)
	f.Add(uint32(0), []byte("SQLite"))
	f.Add(uint32(100), []byte{13, 0, 0})
	f.Add(uint32(4096), []byte{0xff, 0xff, 0xff, 0xff})
	f.Add(uint32(3*4096+8), []byte{1, 2})
	f.Add(uint32(bytes.Index(whole, []byte("record 20 of b"))), []byte("Record"))
	f.Fuzz(func(t *testing.T, at uint32, noise []byte) {
		b := append([]byte(nil), whole...)
		copy(b[int(at)%len(b):], noise)
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, fileName), b, 0o600))
		j, err := Open(Options{Dir: dir})
		if err != nil {
			return
		}
		defer j.Close()
		for _, id := range []string{"a", "b"} {
			_, _ = verify(t, j, id)
		}
		entries, _ := j.Entries(t.Context(), 0, 1000)
		for _, e := range entries {
			if (e.Session == "a" || e.Session == "b") && !bytes.Equal(e.Frame, testFrame(e.Session, e.Seq)) {
				t.Fatalf("the feed shows %q as record %d of %s", e.Frame, e.Seq, e.Session)
			}
		}
	})
}

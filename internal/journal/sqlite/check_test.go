package sqlite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/journal"
)

type noBlob map[string]bool

func (b noBlob) Has(hash string) (bool, error) { return !b[hash], nil }

// rich makes a closed journal with something of everything.
func rich(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	j := mustOpen(t, dir)
	ctx := t.Context()
	for i := range 5 {
		id := fmt.Sprint("s", i)
		a := testAppend(id, 0, 30)
		a.Blobs = []string{"aa", fmt.Sprint("b", i)}
		must(t, j.Append(ctx, a))
		must(t, j.PutSnapshot(ctx, id, journal.Snapshot{Seq: 20, Version: 1, Path: []byte("1-20"), State: []byte("state of " + id)}))
		j.PutParts(id, []journal.Part{{Open: "o", Text: "part of " + id}}, func(err error) { t.Error(err) })
	}
	must(t, j.Fork(ctx, "s1", 10, testAppend("fork", 10, 1)))
	must(t, j.Append(ctx, testAppend("gone", 0, 1100)))
	must(t, j.Delete(ctx, "gone"))
	must(t, j.Close())
	return dir
}

func TestCheckOfAHealthyJournal(t *testing.T) {
	dir := rich(t)
	steps := make(map[string]bool)
	report, err := Check(t.Context(), dir, CheckOptions{Blobs: noBlob{}, Progress: func(step string, done, total int64) { steps[step] = true }})
	must(t, err)
	if !report.OK() || report.Sessions != 6 || report.Parts != 5 || report.Snapshots != 5 || report.Blobs != 6 || report.Records < 161 {
		t.Errorf("the check says %+v", report)
	}
	if !strings.Contains(report.String(), "all is well") {
		t.Errorf("the report reads %q", report)
	}
	if b, err := json.Marshal(report); err != nil || !bytes.Contains(b, []byte(`"problems":[]`)) {
		t.Errorf("as JSON it is %s, %v", b, err)
	}
	if len(steps) != 6 {
		t.Errorf("progress was %v", steps)
	}
	if _, err := Check(t.Context(), t.TempDir(), CheckOptions{}); err == nil {
		t.Error("a folder without a journal was checked")
	}
}

func TestCheckAndRepair(t *testing.T) {
	for name, c := range map[string]struct {
		tamper string
		kind   Kind
		left   int // problems that Repair must leave
	}{
		"orphaned part":           {"UPDATE parts SET session = 99 WHERE session = 1", KindPart, 0},
		"orphaned snapshot":       {"UPDATE snapshots SET session = 99 WHERE session = 1", KindSnapshot, 0},
		"orphaned reference":      {"INSERT INTO blob_refs VALUES (99, 'aa', 1)", KindBlob, 0},
		"damaged snapshot":        {"UPDATE snapshots SET state = 'another' WHERE session = 2", KindSnapshot, 0},
		"snapshot past the end":   {"UPDATE snapshots SET seq = 40 WHERE session = 2", KindSnapshot, 0},
		"damaged part":            {"UPDATE parts SET text = 'another' WHERE session = 2", KindPart, 1},
		"damaged record":          {"UPDATE records SET frame = 'another' WHERE session = 2 AND seq = 5", KindRecord, 1},
		"missing record":          {"DELETE FROM records WHERE session = 2 AND seq = 5", KindRecord, 1},
		"session without records": {"DELETE FROM records WHERE session = 2", KindRecord, 1},
		"missing session":         {"DELETE FROM sessions WHERE key = 6", KindSession, 1},
		"missing span":            {"DELETE FROM spans WHERE session = 2", KindSession, 0},
		"span of nothing":         {"INSERT INTO spans VALUES (2, 7, 1)", KindSession, 0},
		"another id":              {"UPDATE sessions SET id = 'other' WHERE key = 2", KindSession, 1},
		"wrong era":               {"UPDATE sessions SET era = 0 WHERE key = 2", KindSession, 0},
		"missing end":             {"UPDATE sessions SET era = 9 WHERE key = 2", KindRecord, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := rich(t)
			tamper(t, dir, c.tamper)
			report, err := Check(t.Context(), dir, CheckOptions{})
			must(t, err)
			if report.OK() || report.Problems[0].Kind != c.kind {
				t.Fatalf("the check says:\n%s", report)
			}
			records := report.Records
			report, err = Repair(t.Context(), dir, CheckOptions{})
			must(t, err)
			if len(report.Problems) != c.left || report.Records != records {
				t.Errorf("after the repair:\n%s", report)
			}
			if c.left == 0 && len(report.Repaired) == 0 {
				t.Errorf("the repair does not say what it did")
			}
			must(t, mustOpen(t, dir).Close())
		})
	}
}

func TestCheckFindsMissingBlobs(t *testing.T) {
	report, err := Check(t.Context(), rich(t), CheckOptions{Blobs: noBlob{"b3": true}})
	must(t, err)
	if len(report.Problems) != 1 || report.Problems[0].Kind != KindBlob || !strings.Contains(report.Problems[0].What, "s3") {
		t.Errorf("the check says:\n%s", report)
	}
}

// An index that lost an entry hides a record; building it anew brings the
// record back.
func TestRepairBuildsIndexesAnew(t *testing.T) {
	dir := filled(t, 100)
	// The index says that its own name covers only part of the table: rows
	// written meanwhile are missing from it.
	tamper(t, dir, "PRAGMA writable_schema = 1",
		"UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX records_seq ON records (era, session, seq) WHERE seq <> 50' WHERE name = 'records_seq'")
	tamper(t, dir, "REINDEX")
	tamper(t, dir, "PRAGMA writable_schema = 1",
		"UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX records_seq ON records (era, session, seq)' WHERE name = 'records_seq'")
	damagedAt(t, dir, "a", 50)
	report, err := Check(t.Context(), dir, CheckOptions{})
	must(t, err)
	if report.OK() || !report.repairable() {
		t.Fatalf("the check says:\n%s", report)
	}
	report, err = Repair(t.Context(), dir, CheckOptions{})
	must(t, err)
	if !report.OK() || len(report.Repaired) != 1 {
		t.Fatalf("after the repair:\n%s", report)
	}
	j := mustOpen(t, dir)
	defer j.Close()
	holds(t, j, "a", 100)
	holds(t, j, "b", 100)
}

// A purge that was interrupted is continued.
func TestPurgeContinues(t *testing.T) {
	dir := filled(t, 50)
	tamper(t, dir, "INSERT INTO purges SELECT key FROM sessions WHERE id = 'a'",
		"INSERT INTO tombstones (id) VALUES ('a')", "DELETE FROM sessions WHERE id = 'a'")
	j := mustOpen(t, dir)
	must(t, j.Append(t.Context(), testAppend("c", 0, 1))) // a group, and a piece of the purge before the next
	must(t, j.Append(t.Context(), testAppend("c", 1, 1)))
	must(t, j.Close())
	report, err := Check(t.Context(), dir, CheckOptions{})
	must(t, err)
	if !report.OK() || report.Records != 52 {
		t.Errorf("after the purge:\n%s", report)
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const storedHow = "Stored: the size of `journal.db` after its log was joined, with snapshots, indexes and all, against the sum of the record frames in it; that journal was filled many records at a time, mostly one session after the other. " +
	"Written: what the server's process has the system write to storage (`write_bytes`, whole pages, all files, from the first chunk to the end of the process) " +
	"against the bytes of the finished text, while sessions stream answers of 200 KB at 20 KB/s. " +
	"The baseline writes the same text to a plain file and syncs it every 4 KiB."

func runStored(ctx context.Context, h *house) ([]row, error) {
	f, err := h.fixture(ctx)
	if err != nil {
		return nil, err
	}
	size, err := journalSize(f.dir)
	if err != nil {
		return nil, err
	}
	ratio := size / float64(f.frames)
	rows := []row{{
		What: "stored bytes for each byte of record frames", Budget: "≤ 1.3x", Measured: bytesOf(size),
		Baseline: bytesOf(float64(f.frames)) + " of frames", Ratio: fmt.Sprintf("%.2fx", ratio), Verdict: within(ratio <= 1.3),
	}}
	base, err := plainWrite(h)
	if err != nil {
		return rows, err
	}
	for _, load := range []struct {
		what         string
		deltas, size int
		every        time.Duration
		sessions     int
		budget       float64
		asWritten    string // the budget
	}{
		{"bytes ever written for each byte of final text, one answer", h.pick(400, 120), 500, 25 * time.Millisecond, 1, 4, "≤ 4x"},
		{"the same, 20 such answers at once", h.pick(400, 120), 500, 25 * time.Millisecond, 20, 0, ""},
		{"the same, one answer that comes at 1 KB/s", h.pick(400, 120), 25, 25 * time.Millisecond, 1, 0, ""},
	} {
		written, text, err := streamAndStop(ctx, h, load.deltas, load.size, load.every, load.sessions)
		if err != nil {
			return rows, err
		}
		r := row{
			What: load.what, Budget: load.asWritten, Measured: fmt.Sprintf("%s for %s", bytesOf(written), bytesOf(text)),
			Baseline: fmt.Sprintf("%.1fx plain file", base), Ratio: fmt.Sprintf("%.1fx", written/text), Verdict: info,
		}
		if load.budget > 0 {
			r.Verdict = within(written/text <= load.budget)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// journalSize is what the journal takes on disk, its log included.
func journalSize(dir string) (float64, error) {
	files, err := filepath.Glob(filepath.Join(dir, "journal.db*"))
	if err != nil {
		return 0, err
	}
	total := 0.0
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			return 0, err
		}
		total += float64(info.Size())
	}
	return total, nil
}

// streamAndStop lets sessions write an answer each, stops the server, and gives
// what it has written and how long the texts are.
func streamAndStop(ctx context.Context, h *house, deltas, size int, every time.Duration, sessions int) (written, text float64, err error) {
	words := strings.Repeat("words and more words ", size/21+1)[:size]
	model, err := h.script(fmt.Sprintf("turns:\n  - generate: {deltas: %d, text: %q, interval: %s}\n    repeat: forever\n", deltas, words, every))
	if err != nil {
		return 0, 0, err
	}
	data, err := h.dir("stored")
	if err != nil {
		return 0, 0, err
	}
	s, err := h.serveHere(serving{Data: data, Model: model})
	if err != nil {
		return 0, 0, err
	}
	before, err := s.written()
	if err == nil {
		_, err = hearAll(s, sessions, func(i int) string { return fmt.Sprintf("stored_%02d", i) }, func(int) []byte { return message("go") })
	}
	if err := errors.Join(err, s.stop()); err != nil {
		return 0, 0, err
	}
	after, err := strconv.ParseFloat(strings.TrimSpace(string(s.rest)), 64)
	if err != nil {
		return 0, 0, fmt.Errorf("the server said %q at its end: %w", s.rest, err)
	}
	return after - before, float64(deltas * size * sessions), nil
}

// plainWrite is how many bytes are written for each byte of a text that is
// appended to a file and synced every 4 KiB.
func plainWrite(h *house) (float64, error) {
	dir, err := h.dir("plain")
	if err != nil {
		return 0, err
	}
	f, err := os.Create(filepath.Join(dir, "text"))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	before, err := procField(os.Getpid(), "io", "write_bytes")
	if err != nil {
		return 0, err
	}
	const piece, pieces = 4500, 50
	for range pieces {
		if _, err := f.Write(make([]byte, piece)); err != nil {
			return 0, err
		}
		if err := datasync(f); err != nil {
			return 0, err
		}
	}
	after, err := procField(os.Getpid(), "io", "write_bytes")
	return (after - before) / (piece * pieces), err
}

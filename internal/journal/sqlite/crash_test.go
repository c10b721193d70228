package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/parley-dev/parley/internal/journal"
)

const crashSessions = 24

// A child appends with many goroutines and says what was acknowledged, until
// it is killed at a moment of chance. PARLEY_SOAK is how many times.
func TestCrash(t *testing.T) {
	rounds := 10
	if n, err := strconv.Atoi(os.Getenv("PARLEY_SOAK")); err == nil {
		rounds = n
	}
	dir := t.TempDir()
	acknowledged := make(map[string]uint64)
	for round := range rounds {
		runAndKill(t, dir, 1+rand.IntN(300), acknowledged)
		j := mustOpen(t, dir)
		for id, last := range acknowledged {
			n, err := verify(t, j, id)
			must(t, err)
			if n < last {
				t.Fatalf("round %d: %d records of %s were acknowledged and %d are there", round, last, id, n)
			}
			acknowledged[id] = n
			parts, err := j.Parts(t.Context(), id)
			must(t, err)
			for _, p := range parts {
				// Part k of message n is put before the append that closes it.
				if open, _ := strconv.ParseUint(p.Open, 10, 64); open <= n {
					t.Fatalf("round %d: record %d of %s is there and so is a part of message %s", round, n, id, p.Open)
				}
			}
		}
		must(t, j.Close())
		report, err := Check(t.Context(), dir, CheckOptions{})
		must(t, err)
		if !report.OK() {
			t.Fatalf("round %d:\n%s", round, report)
		}
	}
	total := uint64(0)
	for _, n := range acknowledged {
		total += n
	}
	t.Logf("%d records survived %d kills", total, rounds)
}

// runAndKill lets a child append until it has said so many lines.
func runAndKill(t *testing.T, dir string, lines int, acknowledged map[string]uint64) {
	t.Helper()
	cmd := child(t, "append", dir)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	scanner := bufio.NewScanner(out)
	for n := 0; scanner.Scan(); n++ {
		var id string
		var seq uint64
		if _, err := fmt.Sscan(scanner.Text(), &id, &seq); err != nil {
			continue // the last line may be half
		}
		if seq > acknowledged[id] {
			acknowledged[id] = seq
		}
		if n == lines {
			must(t, cmd.Process.Kill())
		}
	}
	_ = cmd.Wait() // it was killed
}

// childAppend appends to many sessions and prints each acknowledged record.
func childAppend(args []string) int {
	j, err := Open(Options{Dir: args[0]})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx := context.Background()
	var wg sync.WaitGroup
	for i := range crashSessions {
		wg.Go(func() {
			id := fmt.Sprint("s", i)
			h, err := j.Head(ctx, id)
			last := h.Last
			for err == nil {
				n := 1 + int(last+uint64(i))%4
				a := testAppend(id, last, n)
				closes := strconv.FormatUint(last+uint64(n), 10)
				if last > 0 {
					j.PutParts(id, []journal.Part{{Open: closes, Text: "unfinished"}}, nil)
				}
				a.Closes = []string{closes}
				if err = j.Append(ctx, a); err == nil {
					last += uint64(n)
					_, err = os.Stdout.WriteString(id + " " + strconv.FormatUint(last, 10) + "\n")
				}
			}
			fmt.Fprintln(os.Stderr, err)
		})
	}
	wg.Wait()
	return 1
}

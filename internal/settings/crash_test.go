package settings

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/secret"
)

func rounds() int {
	if n, err := strconv.Atoi(os.Getenv("PARLEY_SOAK")); err == nil {
		return n
	}
	return 6
}

// killed runs a child until it has said so many lines and then, a moment of
// chance later, kills it. It gives the last whole line.
func killed(t *testing.T, cmd *exec.Cmd, lines int) (last int) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	last = -1
	scanner := bufio.NewScanner(out)
	for n := 0; scanner.Scan(); n++ {
		if v, err := strconv.Atoi(scanner.Text()); err == nil {
			last = v
		}
		if n == lines {
			go func() {
				time.Sleep(rand.N(10 * time.Millisecond)) // where it is hit is left to chance
				_ = cmd.Process.Kill()
			}()
		}
	}
	_ = cmd.Wait() // it was killed
	return last
}

// Killed at any moment, a write has happened or not: the file is the one that
// was acknowledged last or the one after, always whole.
func TestCrashDuringUpdate(t *testing.T) {
	dir := t.TempDir()
	write(t, open(t, dir, Options{}).path("ann"), `{"version":1,"settings":{"mistake_limit":0,"unknown":[1,2]}}`)
	for round := range rounds() {
		last := killed(t, child("update", dir), rand.IntN(15))
		s := open(t, dir, Options{})
		e := s.Effective("ann", nil)
		if p := s.Problems("ann", true); len(p) != 1 || p[0].Key != "unknown" {
			t.Fatalf("round %d: %v", round, p)
		}
		got := e.Values.CustomInstructions
		n, err := strconv.Atoi(strings.Split(got, " ")[0])
		if err != nil || len(got) != len(instructions(n)) || e.Values.MistakeLimit != n%100 || n < last || n > last+1 {
			t.Fatalf("round %d: %d was acknowledged; %d (of %d bytes) and %d are there", round, last, n, len(got), e.Values.MistakeLimit)
		}
		must(t, s.Update("ann", change(t, "language", []string{"ko", "en"}[round%2]), false)) // leftovers are no hindrance
		for _, f := range must2(os.ReadDir(s.options.Dir)) {
			if strings.Contains(f.Name(), ".new-") {
				t.Errorf("round %d: %s was left", round, f.Name())
			}
		}
	}
}

func must2[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func instructions(n int) string { return fmt.Sprint(n, " ", strings.Repeat("x", 20_000+n%7)) }

func childUpdate(args []string) int {
	s := Open(Options{Dir: filepath.Join(args[0], "settings"), Env: env(nil)})
	n, _ := strconv.Atoi(strings.Split(s.Effective("ann", nil).Values.CustomInstructions, " ")[0])
	for ; ; n++ {
		text, _ := json.Marshal(instructions(n))
		limit, _ := json.Marshal(n % 100)
		if err := s.Update("ann", map[string]json.RawMessage{"custom_instructions": text, "mistake_limit": limit}, false); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(n)
	}
}

// Killed at any moment of a rotation or of storing a secret, all secrets can be
// read, and the next rotation leaves one key.
func TestCrashDuringRotation(t *testing.T) {
	dir := t.TempDir()
	must(t, secretsIn(dir, nil).Set("STAYS", secret.New(plain)))
	for round := range rounds() {
		last := killed(t, child("rotate", dir), rand.IntN(10))
		s := secretsIn(dir, nil)
		stays, ok := s.Lookup("STAYS")
		counted, ok2 := s.Lookup("COUNT")
		n, err := strconv.Atoi(counted.Reveal())
		if !ok || !ok2 || err != nil || stays.Reveal() != plain || n < last || n > last+1 {
			t.Fatalf("round %d: %d was acknowledged, %q is there (%v %v)", round, last, counted.Reveal(), ok, ok2)
		}
		must(t, s.Rotate())
		if n := strings.Count(read(t, s.keyPath()), "AGE-SECRET-KEY"); n != 1 {
			t.Fatalf("round %d: %d keys are left", round, n)
		}
	}
}

func childRotate(args []string) int {
	s := secretsIn(args[0], nil)
	v, _ := s.Lookup("COUNT")
	n, _ := strconv.Atoi(v.Reveal())
	for ; ; n++ {
		err := s.Set("COUNT", secret.New(strconv.Itoa(n)))
		if err == nil {
			fmt.Println(n)
			err = s.Rotate()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
}

// Two processes, or two stores, that write at once lose nothing.
func TestTwoWriters(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 3 {
		s, v := open(t, dir, Options{}), secretsIn(dir, nil)
		wg.Go(func() {
			for n := range 10 {
				name := fmt.Sprintf("exp%d.%d", i, n)
				if err := s.write("ann", func(d *document) (*document, error) {
					return d.with(map[string]json.RawMessage{name: []byte("1")}), nil
				}); err != nil {
					t.Error(err)
				}
				if err := v.Set(fmt.Sprintf("S%d_%d", i, n), secret.New(plain)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	names, err := secretsIn(dir, nil).Names()
	if stored := readDocument(open(t, dir, Options{}).path("ann")); err != nil || len(stored.raw) != 30 || len(names) != 30 {
		t.Errorf("%d settings and %d secrets of 30 (%v)", len(stored.raw), len(names), err)
	}
}

// witness is a keyring that looks at the folder whenever it is written to: what
// it sees is what a crash would leave.
type witness struct {
	memory
	look func()
}

func (w *witness) Set(entry, text string) error {
	w.look()
	err := w.memory.Set(entry, text)
	w.look()
	return err
}

// Between any two steps of a rotation the secrets can be read.
func TestRotationCanStopAnywhere(t *testing.T) {
	dir := t.TempDir()
	k := &witness{memory: memory{entries: map[string]string{}}, look: func() {}}
	s := secretsIn(dir, k)
	must(t, s.Set("STAYS", secret.New(plain)))
	seen := 0
	k.look = func() {
		seen++
		sealed, err := os.ReadFile(s.filePath())
		must(t, err)
		p, err := readPlace(s.keyPath())
		must(t, err)
		keys, err := p.load(&k.memory)
		must(t, err)
		if values, err := unseal(sealed, keys); err != nil || values["STAYS"] != plain {
			t.Errorf("step %d: %v", seen, err)
		}
	}
	must(t, s.Rotate())
	if seen != 4 { // both keys, then the new one alone
		t.Errorf("%d steps were seen", seen)
	}
}

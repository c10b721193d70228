//go:build unix

package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var background = context.Background()

// editor is a person who writes into files while checkpoints, restores and undos
// run, in place or by renaming a new file over the old one.
type editor struct {
	folder string
	pause  sync.Mutex // held while the agent works: what it overwrites is its own fault
	last   map[string]edited
	n      int
}

// edited is what was written last into a file: the line that tells it, and whether
// that was in place, into a file that may come out of its place meanwhile.
type edited struct {
	line    string
	inPlace bool
}

const editedFiles = 60

func editedName() string { return victimName(rand.IntN(editedFiles)) }

func (e *editor) write() {
	e.pause.Lock()
	defer e.pause.Unlock()
	e.n++
	name := editedName()
	line := fmt.Sprintf("person %d\n", e.n)
	content := poem + line
	p := filepath.Join(e.folder, name)
	_ = os.MkdirAll(filepath.Dir(p), 0o755)
	var err error
	how := rand.IntN(4)
	switch how {
	case 0: // in place
		var f *os.File
		if f, err = os.OpenFile(p, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644); err == nil {
			_, err = f.WriteString(content)
			_ = f.Close()
		}
	case 1, 2:
		tmp := filepath.Join(e.folder, ".tmp.swp")
		if err = os.WriteFile(tmp, []byte(content), 0o644); err == nil {
			err = os.Rename(tmp, p)
		}
	case 3:
		if err := os.Remove(p); err == nil {
			delete(e.last, name)
		}
		return
	}
	if err == nil {
		e.last[name] = edited{line, how == 0}
	}
}

func TestConcurrentEditor(t *testing.T) {
	x := newWorld(t)
	for i := range editedFiles {
		x.write(victimName(i), poem)
	}
	e := &editor{folder: x.folder, last: map[string]edited{}}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		pace := time.NewTicker(2 * time.Millisecond)
		defer pace.Stop()
		for {
			select {
			case <-stop:
				return
			case <-pace.C:
				e.write()
			}
		}
	})
	defer wg.Wait()
	defer close(stop)
	end := time.Now().Add(2 * time.Second)
	if os.Getenv("PARLEY_SOAK") != "" {
		end = time.Now().Add(time.Minute)
	}
	var restored, undone, kept int
	offered := map[string]string{}
	// check looks, while the editor rests, whether what it wrote last is in its place,
	// or was offered by a restore.
	check := func(r Result) {
		e.pause.Lock()
		defer e.pause.Unlock()
		kept += len(r.Kept)
		for _, k := range r.Kept {
			if b, err := os.ReadFile(k.Copy); err == nil {
				offered[k.Path] += string(b)
			}
		}
		for name, last := range e.last {
			switch {
			case strings.Contains(x.content(name), last.line), strings.Contains(offered[name], last.line):
			case last.inPlace && x.everything()[poem+last.line]: // whoever has a file open goes on writing into it
			default:
				t.Fatalf("what the editor wrote last into %s, %q, is neither there nor offered", name, last.line)
			}
		}
	}
	for round := 0; time.Now().Before(end); round++ {
		e.pause.Lock()
		s := x.step(func() {
			for range 15 {
				name := editedName()
				switch rand.IntN(5) {
				case 0:
					_ = os.Remove(x.path(name))
					delete(e.last, name)
				default:
					x.write(name, fmt.Sprintf("agent %d\n%s", round, x.content(name)))
				}
			}
		})
		e.pause.Unlock()
		r := x.restore(s)
		restored += len(r.Changed)
		check(r)
		if round%2 == 0 {
			u, err := x.w.Restore(t.Context(), r.Undo())
			x.ok(err)
			undone += len(u.Changed)
			check(u)
		}
	}
	e.pause.Lock()
	defer e.pause.Unlock()
	t.Logf("%d edits; %d files restored, %d undone, %d kept", e.n, restored, undone, kept)
	if restored == 0 || undone == 0 || kept == 0 {
		t.Error("nothing happened that could have gone wrong")
	}
}

// everything is every content that can still be had: in the folder, in the trash,
// in a checkpoint.
func (x *world) everything() map[string]bool {
	x.t.Helper()
	all := map[string]bool{}
	for _, dir := range []string{x.folder, x.w.trash} {
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			b, err := os.ReadFile(p)
			all[string(b)] = true
			return err
		})
		x.ok(err)
	}
	list, err := x.w.Checkpoints(x.t.Context(), "s")
	x.ok(err)
	for _, c := range list {
		for _, content := range x.files(c.Hash) {
			all[content] = true
		}
	}
	return all
}

package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/parley-dev/parley/internal/journal"
)

func inUse(t *testing.T, dir, holder string) {
	t.Helper()
	j, err := Open(Options{Dir: dir})
	if err == nil {
		j.Close()
	}
	var used *journal.InUseError
	if !errors.As(err, &used) {
		t.Fatalf("a second Open gave %v", err)
	}
	if used.Holder != holder || used.Path != dir || !strings.Contains(err.Error(), holder) {
		t.Errorf("a second Open says %q, the holder is %q", err, holder)
	}
	if said, ok := ReadHolder(dir); !ok || said != holder {
		t.Errorf("ReadHolder says %q, %v", said, ok)
	}
}

func TestOneFolderOneUser(t *testing.T) {
	dir := t.TempDir()
	if said, ok := ReadHolder(dir); ok {
		t.Errorf("an empty folder is held by %q", said)
	}
	j, err := Open(Options{Dir: dir, Holder: "process 123, starting"})
	must(t, err)
	inUse(t, dir, "process 123, starting")
	must(t, j.SetHolder(`{"pid":123,"address":"127.0.0.1:7717"}`))
	inUse(t, dir, `{"pid":123,"address":"127.0.0.1:7717"}`)
	must(t, j.SetHolder("x"))
	inUse(t, dir, "x")
	must(t, j.SetHolder(""))
	inUse(t, dir, unnamed)
	if _, err := Check(t.Context(), dir, CheckOptions{}); err == nil {
		t.Errorf("a check of a folder in use was done")
	}
	must(t, j.Close())
	if said, ok := ReadHolder(dir); ok {
		t.Errorf("after Close the folder is held by %q", said)
	}
	must(t, mustOpen(t, dir).Close())
}

func TestAnotherProcessHoldsTheFolder(t *testing.T) {
	dir := t.TempDir()
	cmd := child(t, "hold", dir)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	inUse(t, dir, strings.TrimSpace(line))
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed

	// The kernel has freed the folder, and the record is there.
	j := mustOpen(t, dir)
	defer j.Close()
	holds(t, j, "a", 1)
}

// childHold opens a folder, says so and waits to be killed.
func childHold(args []string) int {
	holder := fmt.Sprintf("process %d", os.Getpid())
	j, err := Open(Options{Dir: args[0], Holder: holder})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := j.Append(context.Background(), testAppend("a", 0, 1)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(holder)
	_, _ = io.Copy(io.Discard, os.Stdin)
	select {}
}

// Looking at who holds a folder never keeps somebody from opening it.
func TestReadHolderKeepsNobodyOut(t *testing.T) {
	dir := t.TempDir()
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				ReadHolder(dir)
			}
		}
	})
	for range 20 {
		l, err := lockFolder(dir, "me")
		if err != nil {
			t.Error(err)
			break
		}
		must(t, l.release())
	}
	close(stop)
	wg.Wait()
}

// Whoever reads while the holder changes what it says finds one or the other.
func TestHolderIsNeverHalf(t *testing.T) {
	dir := t.TempDir()
	l, err := lockFolder(dir, "short")
	must(t, err)
	defer l.release()
	long := strings.Repeat("long", 50)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				must(t, l.say([]string{"short", long}[i%2]))
			}
		}
	})
	for range 2000 {
		if said, ok := ReadHolder(dir); !ok || said != "short" && said != long {
			t.Errorf("the holder said %q, %v", said, ok)
			break
		}
	}
	close(stop)
	wg.Wait()
}

func TestFilesThatAreNotOurs(t *testing.T) {
	for name, c := range map[string]struct {
		make func(t *testing.T, dir string)
		want string
	}{
		"text": {func(t *testing.T, dir string) {
			must(t, os.WriteFile(filepath.Join(dir, fileName), []byte(strings.Repeat("this is no database. ", 500)), 0o600))
		}, "not a database"},
		"another program's database": {func(t *testing.T, dir string) {
			tamper(t, dir, "CREATE TABLE bookmarks (url TEXT)")
		}, "not a Parley journal"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.make(t, dir)
			before, err := os.ReadFile(filepath.Join(dir, fileName))
			must(t, err)
			_, err = Open(Options{Dir: dir})
			var damage *journal.DamageError
			if !errors.As(err, &damage) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), fileName) {
				t.Errorf("Open gave %v", err)
			}
			if _, err := Check(t.Context(), dir, CheckOptions{}); !errors.As(err, &damage) {
				t.Errorf("Check gave %v", err)
			}
			after, err := os.ReadFile(filepath.Join(dir, fileName))
			must(t, err)
			if string(before) != string(after) {
				t.Errorf("the file was changed")
			}
			if said, ok := ReadHolder(dir); ok {
				t.Errorf("the folder is still held by %q", said)
			}
		})
	}
}

func TestNobodyElseMayRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	j := mustOpen(t, dir)
	defer j.Close()
	must(t, j.Append(t.Context(), testAppend("a", 0, 1)))
	files, err := os.ReadDir(dir)
	must(t, err)
	for _, f := range files {
		info, err := f.Info()
		must(t, err)
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", f.Name(), info.Mode())
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the folder has mode %v, %v", info.Mode(), err)
	}
}

func TestNewerVersion(t *testing.T) {
	dir := t.TempDir()
	must(t, mustOpen(t, dir).Close())
	tamper(t, dir, "PRAGMA user_version = 7")
	if _, err := Open(Options{Dir: dir}); !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), "format 7") {
		t.Errorf("Open gave %v", err)
	}
	if _, err := Check(t.Context(), dir, CheckOptions{}); !errors.Is(err, ErrNewer) {
		t.Errorf("Check gave %v", err)
	}
}

//go:build unix

package workspace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// largeSave writes files that are more than fits into pipes and buffers: when a scan
// tells of them, git has begun a pack.
func largeSave(folder string) error {
	for i := range 1000 {
		content := fmt.Sprint(i) + strings.Repeat("x", 2000)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("large%d", i)), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// remains lists what is in the repository and should not be.
func (x *world) remains() (list []string) {
	x.t.Helper()
	x.ok(filepath.WalkDir(x.w.git.dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			for _, part := range []string{"tmp", "crash", ".lock", ".keep", ".new"} {
				if strings.Contains(d.Name(), part) {
					list = append(list, p)
				}
			}
		}
		return err
	}))
	return list
}

func TestCancelledSaveLeavesNothing(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.write("a", "1")
	x.save()
	x.ok(largeSave(x.folder))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun := 0
	_, err := x.w.Save(ctx, Save{Session: "s", Progress: func(int) {
		begun = len(x.remains())
		cancel()
	}})
	if !errors.Is(err, context.Canceled) || begun == 0 {
		t.Fatalf("a cancelled save gives %v, when %d files were unfinished", err, begun)
	}
	if left := x.remains(); len(left) > 0 {
		t.Errorf("a cancelled save left %v", left)
	}
	if c := x.save(); c.FilesChanged != 1000 {
		t.Errorf("after it a save gives %+v", c)
	}
}

// A call may be killed at moments that are hard to meet.
func TestCancelledCallLeavesNothing(t *testing.T) {
	x := newWorld(t)
	x.write("a", "1")
	x.save()
	ctx, cancel := context.WithCancel(t.Context())
	h, err := x.w.hold(ctx)
	x.ok(err)
	for _, name := range []string{
		"objects/ab/tmp_obj_x", "objects/pack/tmp_pack_x", "objects/pack/tmp_idx_x", "objects/pack/.tmp-1-pack-x.pack", "objects/pack/pack-x.keep",
		"refs/parley/tip.lock", "packed-refs.lock", "packed-refs.new", "fast_import_crash_1",
	} {
		p := filepath.Join(x.w.git.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o700), os.WriteFile(p, nil, 0o400)); err != nil {
			t.Error(err)
		}
	}
	cancel()
	h.release()
	if left := x.remains(); len(left) > 0 {
		t.Errorf("a cancelled call left %v", left)
	}
	x.write("a", "2")
	if got := x.files(x.save().Hash)["a"]; got != "2" {
		t.Errorf("after it a checkpoint holds %q", got)
	}
	x.ok(x.store.Check(t.Context()))
}

// victimLarge is killed in the middle of a large save.
func victimLarge(_ *Store, w *Workspace, folder string, _ int) error {
	if err := largeSave(folder); err != nil {
		return err
	}
	_, err := w.Save(background, Save{Session: "s", Progress: func(int) {
		fmt.Println("looking")
		select {}
	}})
	return err
}

func TestKilledSaveLeavesNothing(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.ok(x.store.Close())
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), victimVariable+"=large", "VICTIM_FOLDER="+x.folder, "VICTIM_DATA="+x.data)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	x.ok(err)
	x.ok(cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "looking\n" {
		t.Errorf("the victim says %q, %v", line, err)
	}
	x.ok(cmd.Process.Kill())
	_ = cmd.Wait()

	var log bytes.Buffer
	s, err := Open(Options{Dir: filepath.Join(x.data, "checkpoints"), Home: x.home, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	x.ok(err)
	defer s.Close()
	x.store = s
	x.w, err = s.Of(t.Context(), x.folder)
	x.ok(err)
	c := x.save()
	if !strings.Contains(log.String(), "removed what a killed git left") {
		t.Errorf("the kill left nothing; the log says %s", log.String())
	}
	if left := x.remains(); len(left) > 0 {
		t.Errorf("after a kill there is %v", left)
	}
	if c.FilesChanged != 1000 {
		t.Errorf("after it a save gives %+v", c)
	}
}

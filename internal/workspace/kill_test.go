//go:build unix

package workspace

import (
	"bufio"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// victimVariable makes the test program one that works on checkpoints until it is
// killed.
const victimVariable = "PARLEY_WORKSPACE_VICTIM"

// rounds is how often something is killed: PARLEY_SOAK says, or a few times.
func rounds(few int) int {
	if n, err := strconv.Atoi(os.Getenv("PARLEY_SOAK")); err == nil && n > 0 {
		return n
	}
	return few
}

const victimFiles = 12

func victimName(i int) string { return fmt.Sprintf("d%d/f%d", i%3, i) }

// victim works for ever and prints a line for each thing that it was told is done.
func victim(job string) int {
	folder, data := os.Getenv("VICTIM_FOLDER"), os.Getenv("VICTIM_DATA")
	s, err := Open(Options{Dir: filepath.Join(data, "checkpoints"), Home: "/nowhere", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	w, err := s.Of(background, folder)
	for n := 0; err == nil; n++ {
		err = map[string]func(*Store, *Workspace, string, int) error{
			"save": victimSaves, "restore": victimRestores, "begin": victimBegins, "tend": victimTends, "collect": victimCollects, "large": victimLarge,
		}[job](s, w, folder, n)
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func writeAll(folder, content string) error {
	for i := range victimFiles {
		p := filepath.Join(folder, victimName(i))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func saveAll(w *Workspace, folder, content string) (string, error) {
	if err := writeAll(folder, content); err != nil {
		return "", err
	}
	c, err := w.Save(background, Save{Session: "s"})
	if err == nil {
		fmt.Printf("%s %s\n", c.Hash, content)
	}
	return c.Hash, err
}

func victimSaves(_ *Store, w *Workspace, folder string, n int) error {
	_, err := saveAll(w, folder, fmt.Sprintf("%d-%d", os.Getpid(), n))
	return err
}

func victimTends(s *Store, w *Workspace, folder string, n int) error {
	for i := range 3 {
		if _, err := saveAll(w, folder, fmt.Sprintf("%d-%d-%d", os.Getpid(), n, i)); err != nil {
			return err
		}
	}
	h, err := w.hold(background)
	if err != nil {
		return err
	}
	err = h.repack(true)
	h.release()
	if err != nil {
		return err
	}
	_, err = s.GC(background, func(r Ref) bool { return r.Session != "passing" })
	return err
}

func victimRestores(_ *Store, w *Workspace, folder string, n int) error {
	before, err := saveAll(w, folder, "before")
	if err != nil {
		return err
	}
	after, err := saveAll(w, folder, "agent")
	if err != nil {
		return err
	}
	r, err := w.Restore(background, Restore{Session: "s", Steps: []Step{{Before: before, After: after}}})
	if err == nil {
		_, err = w.Restore(background, r.Undo())
	}
	return err
}

// begunFile says what a restore was to do, beside the data of the victim.
const begunFile = ".begun"

// victimBegins restores, and says so before it does.
func victimBegins(_ *Store, w *Workspace, folder string, n int) error {
	if err := os.RemoveAll(folder + begunFile); err != nil {
		return err
	}
	before, err := saveAll(w, folder, "before")
	if err != nil {
		return err
	}
	after, err := saveAll(w, folder, "agent")
	if err != nil {
		return err
	}
	_, err = w.Restore(background, Restore{Session: "s", Steps: []Step{{Before: before, After: after}}, Begin: func(r Result) error {
		fmt.Printf("%s agent\n%s before\n", r.Before.Hash, r.After.Hash)
		return writeFile(folder+begunFile, []byte(r.Before.Hash+" "+r.After.Hash))
	}})
	return err
}

func TestKill(t *testing.T) {
	for _, job := range []string{"save", "restore", "begin", "tend", "collect"} {
		t.Run(job, func(t *testing.T) {
			t.Parallel()
			x := newWorld(t)
			x.write("person", "person")
			promised := map[string]string{} // hash → content of every file
			for range rounds(4) {
				x.ok(x.store.Close())
				x.store = nil
				x.kill(job, promised)
				x.open(Limits{})
				x.afterKill(job, promised)
			}
		})
	}
}

// kill runs a victim and kills it at a moment of chance.
func (x *world) kill(job string, promised map[string]string) {
	x.t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), victimVariable+"="+job, "VICTIM_FOLDER="+x.folder, "VICTIM_DATA="+x.data)
	out, err := cmd.StdoutPipe()
	x.ok(err)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	x.ok(cmd.Start())
	lines := bufio.NewScanner(out)
	first := true
	for lines.Scan() {
		hash, content, ok := strings.Cut(lines.Text(), " ")
		if !ok {
			x.t.Fatalf("the victim says %q", lines.Text())
		}
		promised[hash] = content
		if first {
			first = false
			time.AfterFunc(rand.N(80*time.Millisecond), func() { _ = cmd.Process.Kill() })
		}
	}
	_ = cmd.Wait()
	if complaint.Len() > 0 || first {
		x.t.Fatalf("the victim died by itself: %s", complaint.String())
	}
}

func (x *world) afterKill(job string, promised map[string]string) {
	x.t.Helper()
	x.reads("person", "person")
	c := x.save()
	if c.Incomplete {
		x.t.Errorf("a save afterwards is %+v", c)
	}
	now := x.files(c.Hash)
	for i := range victimFiles {
		got := x.content(victimName(i))
		if now[victimName(i)] != got && got != "-" {
			x.t.Errorf("%s is kept as %q and holds %q", victimName(i), now[victimName(i)], got)
		}
		// A write of the victim's own may have been cut off: then it is empty.
		if job == "restore" && got != "before" && got != "agent" && got != "" {
			x.t.Errorf("%s holds %q", victimName(i), got)
		}
	}
	if told, err := os.ReadFile(x.folder + begunFile); job == "begin" && err == nil {
		x.finish(string(told))
	}
	x.ok(x.store.Check(x.t.Context()))
	n := 0
	for hash, content := range promised {
		if n++; n > 5 && os.Getenv("PARLEY_SOAK") == "" {
			break
		}
		files := x.files(hash)
		for i := range victimFiles {
			if got := files[victimName(i)]; got != content {
				x.t.Fatalf("checkpoint %s was promised with %q in %s and holds %q", hash, content, victimName(i), got)
			}
		}
	}
}

// finish carries on a restore that was cut off, wherever that was, and takes it
// back. What a person did meanwhile stays.
func (x *world) finish(told string) {
	x.t.Helper()
	before, after, _ := strings.Cut(told, " ")
	r := Result{Before: Checkpoint{Hash: before, Session: "s"}, After: Checkpoint{Hash: after}}
	x.write(victimName(0), "edited")
	for i, restore := range []Restore{r.Again(), r.Undo()} {
		_, err := x.w.Restore(x.t.Context(), restore)
		x.ok(err)
		x.reads(victimName(0), "edited")
		for n := 1; n < victimFiles; n++ {
			x.reads(victimName(n), []string{"before", "agent"}[i])
		}
	}
}

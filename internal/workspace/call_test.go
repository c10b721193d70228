//go:build unix

package workspace

import (
	"os"
	"testing"
)

// begin begins a call, and gives how it ends: with the step that it took.
func (x *world) begin(session string, paths ...string) func() (Step, Checkpoint) {
	x.t.Helper()
	save := Save{Session: session, Paths: paths}
	_, err := x.w.Begin(x.t.Context(), "call", save)
	x.ok(err)
	return func() (Step, Checkpoint) {
		x.t.Helper()
		from, after, err := x.w.End(x.t.Context(), "call", save)
		x.ok(err)
		x.w.Recorded(session, "call")
		return Step{Before: from, After: after.Hash, Paths: paths}, after
	}
}

// What several do at the same time is told apart: each takes back its own.
func TestCallsAtTheSameTime(t *testing.T) {
	x := newWorld(t)
	x.write("shared", "1\n")
	x.write("there", "1\n")
	endLong := x.begin("long")
	x.write("early", "long")
	endShort := x.begin("short")
	x.write("short", "short")
	x.write("shared", "2\n")
	x.ok(os.Chmod(x.path("there"), 0o600))
	short, c := endShort()
	if c.FilesChanged != 3 {
		t.Errorf("the short one changed %d files", c.FilesChanged)
	}
	endNamed := x.begin("named", "named")
	x.write("named", "named")
	x.write("late", "long")
	named, _ := endNamed()
	x.write("shared", "3\n")
	long, c := endLong()
	if c.FilesChanged != 3 {
		t.Errorf("the long one changed %d files", c.FilesChanged)
	}

	r := x.restore(long)
	x.reads("early", "-")
	x.reads("late", "-")
	x.reads("short", "short")
	x.reads("named", "named")
	x.reads("shared", "2\n")
	if info, err := os.Stat(x.path("there")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: another's permissions went back", info.Mode(), err)
	}
	_, err := x.w.Restore(t.Context(), r.Undo())
	x.ok(err)
	x.restore(named)
	x.reads("named", "-")
	x.restore(short, long)
	x.reads("shared", "1\n")
	x.reads("short", "-")
	if len(x.w.calls.log) > 0 || len(x.w.calls.open) > 0 {
		t.Errorf("%+v is remembered", x.w.calls.log)
	}
}

// What a person takes back while a call runs is not the call's.
func TestRestoreDuringACall(t *testing.T) {
	x := newWorld(t)
	x.write("a", "1")
	first := x.step(func() { x.write("a", "2") })
	end := x.begin("s")
	x.restore(first)
	x.write("b", "agent")
	s, c := end()
	if c.FilesChanged != 1 {
		t.Errorf("it changed %d files", c.FilesChanged)
	}
	x.restore(s)
	x.reads("a", "1")
	x.reads("b", "-")
}

// A call that changes only permissions, or only makes a folder, has done something;
// one that does nothing has not, whoever else did.
func TestCallsThatDoLittle(t *testing.T) {
	x := newWorld(t)
	x.write("a", "1")
	x.write("-b", "1")
	for name, do := range map[string]func(){
		"permissions": func() { x.ok(os.Chmod(x.path("a"), 0o600)); x.ok(os.Chmod(x.path("-b"), 0o700)) },
		"a folder":    func() { x.ok(os.Mkdir(x.path("empty"), 0o755)) },
	} {
		end := x.begin("s")
		do()
		s, _ := end()
		if s.Before == "" {
			t.Errorf("%s: nothing was done", name)
			continue
		}
		x.restore(s)
	}
	for _, name := range []string{"a", "-b"} {
		if info, err := os.Stat(x.path(name)); err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%s has %v, %v", name, info.Mode(), err)
		}
	}
	x.reads("empty", "-")
	end := x.begin("s")
	other := x.begin("other", "c")
	x.write("c", "1")
	other()
	if s, _ := end(); s.Before != "" {
		t.Errorf("what another did is in %+v", s)
	}
}

// What a look of nobody found belongs to the call that ends next, and to no other.
func TestOneOwner(t *testing.T) {
	x := newWorld(t)
	endA, endB := x.begin("a"), x.begin("b")
	x.write("f", "a")
	x.begin("c")() // it looks, and finds f
	a, _ := endA()
	b, c := endB()
	if a.Before == "" || b.Before != "" {
		t.Errorf("f belongs to %+v and %+v (%d files)", a, b, c.FilesChanged)
	}
}

// What another process has saved meanwhile is not lost for the call that did it.
func TestCallBesideAnotherProcess(t *testing.T) {
	x := newWorld(t)
	x.write("f", "1")
	end := x.begin("s")
	x.write("f", "2")
	other, w := x.second(Limits{})
	_, err := w.Save(t.Context(), Save{Session: "other"})
	x.ok(err)
	x.ok(other.Close())
	s, c := end()
	if s.Before == "" || c.FilesChanged != 1 {
		t.Fatalf("the call changed %d files: %+v", c.FilesChanged, s)
	}
	x.restore(s)
	x.reads("f", "1")
}

// Calls that overlap for ever, and those that cannot end, leave nothing behind.
func TestCallsAreForgotten(t *testing.T) {
	x := newWorld(t)
	last := x.begin("0")
	for i := range 10 {
		next := x.begin(string(rune('1' + i)))
		x.write("f", string(rune('a'+i)))
		last()
		last = next
	}
	if n := len(x.w.calls.log); n > 2 {
		t.Errorf("%d looks are remembered for one call", n)
	}
	last()
	x.begin("s")
	ctx, cancel := contextThatEnds(t)
	cancel()
	if _, _, err := x.w.End(ctx, "call", Save{Session: "s"}); err == nil {
		t.Error("it ended although there was no time")
	}
	if len(x.w.calls.open) > 0 || len(x.w.calls.log) > 0 {
		t.Errorf("%v is remembered", x.w.calls.log)
	}
}

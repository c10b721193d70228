//go:build unix

package workspace

import (
	"net"
	"os"
	"slices"
	"strings"
	"testing"
)

// long is a text of rules that is longer than what is read, with lines that say nothing.
func long(first string) string {
	return first + strings.Repeat("# nothing\n", maxIgnoreFile/10+1)
}

// An agent takes rules away that are in no checkpoint as files: that what they left out
// comes up does not mean that the agent made it.
func TestRulesAreKeptWithEachCheckpoint(t *testing.T) {
	for name, c := range map[string]struct{ rules, text, file string }{
		"that ignore themselves":     {"out/.gitignore", "*\n", "out/results.csv"},
		"that other rules ignore":    {".gitignore", ".gitignore\n*.csv\n", "in/results.csv"},
		"that are too long":          {".gitignore", long("*.csv\n"), "in/results.csv"},
		"of a repository":            {".git/info/exclude", "*.csv\n", "in/results.csv"},
		"of a repository inside":     {"sub/.git/info/exclude", "/results.csv\n", "sub/results.csv"},
		"in a folder of an odd name": {"new\nline/.gitignore", "*.csv\n", "new\nline/results.csv"},
		"that are captured":          {"in/.gitignore", "*.csv\n", "in/results.csv"},
	} {
		for _, started := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				x := newWorld(t)
				x.write(c.rules, c.text)
				x.write(c.file, "mine")
				x.write("a", "1")
				before := x.save()
				if started { // what another process knows, and adds to without a scan
					x.open(Limits{})
					x.write("a", "2")
					before = x.save("a")
				}
				if got := x.files(before.Hash); got[c.file] != "" {
					t.Fatalf("the checkpoint holds %v", got)
				}
				x.remove(c.rules)
				x.write("new", "agent")
				r := x.restore(Step{Before: before.Hash, After: x.save().Hash})
				x.reads(c.file, "mine")
				x.keeps(r, c.file, KeptIgnored)
				x.reads("new", "-")
			})
		}
	}
}

// The list is the same as long as the rules are, and a scan after a start agrees.
func TestRulesAreStoredOnce(t *testing.T) {
	x := newWorld(t)
	x.write("out/.gitignore", "*\n")
	x.write("empty/.gitignore", "")
	x.write("captured/.gitignore", "*.log\n")
	x.write("sub/.git/info/exclude", "x\n")
	x.write("ignored/.gitignore", ".gitignore\n")
	x.ok(os.Symlink("captured/.gitignore", x.path(".gitignore")))
	c := x.save()
	for range 2 {
		if again := x.save(); !again.Unchanged {
			t.Errorf("nothing changed, and a save gives %+v", again)
		}
		x.open(Limits{})
	}
	b, err := x.w.batch(t.Context(), nil)
	x.ok(err)
	defer b.close()
	s, err := b.state(c.Hash)
	x.ok(err)
	var got []string
	for _, r := range decodeRules(s.rules) {
		got = append(got, strings.TrimSpace(r.kind+" "+r.at))
	}
	if want := "made, under, own, own ignored, own out, exclude sub"; strings.Join(got, ", ") != want {
		t.Errorf("the list has %q, not %q", strings.Join(got, ", "), want)
	}
	if list := decodeRules(s.rules[:len(s.rules)-1]); list != nil {
		t.Errorf("half a list is read as %+v", list)
	}
}

// A checkpoint that says nothing about rules says nothing about what is not in it.
func TestCheckpointWithoutRules(t *testing.T) {
	x := newWorld(t)
	x.write("out/.gitignore", "*\n")
	x.write("out/results.csv", "mine")
	x.write("a", "1")
	full := x.save()
	h, err := x.w.hold(t.Context())
	x.ok(err)
	bare, _, err := h.importer().commit(commit{
		branch: tipRef, message: full.header(h.manifest).String(), at: 1, tree: full.Tree, refs: []string{refOf("s", full.Created.Add(1))},
	})
	x.ok(err)
	h.release()
	x.open(Limits{})
	x.write("a", "2")
	next := x.save("a") // it knows no more than that one
	x.remove("out/.gitignore")
	after := x.save()
	for _, before := range []string{bare, next.Hash} {
		r := x.restore(Step{Before: before, After: after.Hash})
		x.keeps(r, "out/results.csv", KeptNotCaptured)
		x.reads("out/results.csv", "mine")
	}
	x.reads("a", "1")
	x.restore(x.step(func() { x.write("new", "agent") }))
	x.reads("new", "-")
}

// A folder that is named is looked at by the rules of that moment, which are not those
// that the rest was looked at by.
func TestNamedFolderUnderOtherRules(t *testing.T) {
	for _, rules := range []string{".gitignore", ".git/info/exclude"} {
		for folder, why := range map[string]KeptReason{"d": KeptNotCaptured, ".": KeptIgnored} {
			x := newWorld(t)
			x.write("d/a", "1")
			x.save()
			x.write(rules, "*.log\n")
			x.write("d/x.log", "mine")
			before := x.save(folder)
			if got := x.files(before.Hash)["d/x.log"]; got != "" {
				t.Fatal("an ignored file was captured")
			}
			x.remove(rules)
			r := x.restore(Step{Before: before.Hash, After: x.save().Hash})
			x.keeps(r, "d/x.log", why)
			x.reads("d/x.log", "mine")
			x.restore(x.step(func() { x.write("d/new", "agent") })) // a scan has put that right
			x.reads("d/new", "-")
		}
	}
}

// A folder that nothing lies in can be left out too.
func TestIgnoredEmptyFolderStays(t *testing.T) {
	x := newWorld(t)
	x.write(".gitignore", "empty/\n")
	x.ok(os.Mkdir(x.path("empty"), 0o755))
	s := x.step(func() { x.remove(".gitignore"); x.ok(os.Mkdir(x.path("made"), 0o755)) })
	x.restore(s)
	if _, err := os.Stat(x.path("empty")); err != nil {
		t.Error(err)
	}
	x.reads("made", "-")
	x.write(".gitignore", "empty/\n")
	b, err := x.w.batch(t.Context(), nil)
	x.ok(err)
	defer b.close()
	if state, err := b.state(x.save().Hash); err != nil || len(state.folders) != 0 {
		t.Errorf("the checkpoint has the empty folders %q, %v", state.folders, err)
	}
}

// What is in a folder that cannot be read is looked at by other rules once it can be.
func TestRulesOfUnreadableFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser reads everything")
	}
	x := newWorld(t)
	x.write(".gitignore", "*.log\n")
	x.write("shut/deep/x.log", "1")
	x.write("shut/deep/y", "1")
	x.save()
	x.rest()
	x.ok(os.Chmod(x.path("shut"), 0))
	t.Cleanup(func() { _ = os.Chmod(x.path("shut"), 0o755) })
	x.remove(".gitignore")
	if c := x.save("shut/deep/y"); missing(c, "shut/deep/y") != Unreadable || x.files(c.Hash)["shut/deep/y"] != "1" {
		t.Errorf("a named file that cannot be looked at: %+v", c)
	}
	x.save()
	x.ok(os.Chmod(x.path("shut"), 0o755))
	if got := x.files(x.save().Hash)["shut/deep/x.log"]; got != "1" {
		t.Error("it is still left out")
	}
}

// A tool that names a file has it kept, whatever the rules say.
func TestNamedFilesAreKept(t *testing.T) {
	x := newWorld(t)
	x.write(".gitignore", "*.txt\ndist/\n")
	x.write("w.txt", "mine")
	x.write("dist/w", "mine")
	x.write("dist/other", "mine")
	x.save()
	for _, name := range []string{"w.txt", "dist/w", "node_modules/m/w", "dist/new", "new.txt"} {
		before := x.content(name)
		end := x.begin("s", name)
		x.write(name, "agent")
		s, c := end()
		if s.Before == "" || c.FilesChanged != 1 || len(c.NotCaptured) != 0 {
			t.Fatalf("a call that wrote %s gives %+v, %+v", name, s, c)
		}
		r := x.restore(s)
		x.reads(name, before)
		if len(r.Kept) != 0 {
			t.Errorf("kept: %+v", r.Kept)
		}
	}
	// It stays known, and what is beside it does not become so.
	s := x.step(func() {
		x.write("w.txt", "2")
		x.write("dist/w", "2")
		x.write("dist/other", "2")
		x.write("new.txt", "2")
	})
	x.restore(s)
	x.reads("w.txt", "mine")
	x.reads("dist/w", "mine")
	x.reads("dist/other", "2")
	x.reads("new.txt", "2")
	for name, why := range map[string]Reason{".git/config": GitName, ".parley/x": Ignored} {
		x.write(name, "1")
		if c := x.save(name); missing(c, name) != why || x.files(c.Hash)[name] != "" {
			t.Errorf("%s was captured: %+v", name, c)
		}
	}
}

// A file that is named while another call runs came up by that, and the call did not
// make it.
func TestNamedDuringACall(t *testing.T) {
	x := newWorld(t)
	x.write(".gitignore", "*.txt\n")
	x.write("w.txt", "mine")
	x.write("seen.txt", "mine")
	endLong := x.begin("long")
	x.write("made", "long")
	endNamed := x.begin("named", "w.txt")
	x.write("w.txt", "agent")
	named, _ := endNamed()
	x.save("seen.txt")
	long, _ := endLong()
	r := x.restore(long, named)
	x.reads("w.txt", "mine")
	x.reads("seen.txt", "mine")
	x.reads("made", "-")
	x.keeps(r, "seen.txt", KeptIgnored)
}

// A step that brings a file up says nothing about it, but later ones do.
func TestChangedAfterItsRuleWent(t *testing.T) {
	x := newWorld(t)
	x.write(".gitignore", "*.txt\n")
	x.write("w.txt", "mine")
	up := x.step(func() { x.remove(".gitignore") })
	changed := x.step(func() { x.write("w.txt", "agent") })
	r := x.restore(up, changed)
	x.reads("w.txt", "mine")
	x.reads(".gitignore", "*.txt\n")
	x.keeps(r, "w.txt", KeptIgnored)
}

// An ignored folder is not listed because something in it is known.
func TestIgnoredFoldersAreNotListed(t *testing.T) {
	x := newWorldWith(t, Limits{Files: 100})
	x.write(".gitignore", "dist/\n")
	for i := range 200 {
		x.write("dist/f"+strings.Repeat("x", i), "")
	}
	x.save("dist/f")
	if c := x.save(); c.Incomplete || len(x.files(c.Hash)) != 2 {
		t.Errorf("a scan gives %+v of %v", c, x.files(c.Hash))
	}
}

func TestLongRules(t *testing.T) {
	x := newWorld(t)
	text := strings.Repeat("#", maxIgnoreFile-2-len("early\n")) + "\n*.log\n" // cut after the star
	x.write(".gitignore", "early\n"+text)
	x.write("sub/.gitignore", strings.Repeat("x", 100<<10)+"\n*.csv\n") // nothing is that long
	x.write("bom/.gitignore", "\ufeffb\n")
	for _, name := range []string{"a", "early", "a.log", "sub/a", "sub/a.csv", "bom/b"} {
		x.write(name, "1")
	}
	c := x.save()
	got := x.files(c.Hash)
	for name, want := range map[string]string{"a": "1", "early": "", "a.log": "1", "sub/a": "1", "sub/a.csv": "", "bom/b": ""} {
		if got[name] != want {
			t.Errorf("%s was kept as %q, not %q", name, got[name], want)
		}
	}
	for range 2 {
		if missing(c, ".gitignore") != "rules_cut" || len(c.NotCaptured) != 1 {
			t.Errorf("the checkpoint says %+v", c.NotCaptured)
		}
		x.save(".gitignore")
		if c = x.save(); !c.Unchanged {
			t.Errorf("nothing changed, and a save gives %+v", c)
		}
		x.open(Limits{})
	}
}

// Rules that cannot be read are not gone.
func TestUnreadableRules(t *testing.T) {
	x := newWorld(t)
	x.write(".gitignore", "*.log\n")
	x.write("a.log", "1")
	x.save()
	x.remove(".gitignore")
	l, err := net.Listen("unix", x.path(".gitignore")) // nobody can open a socket
	x.ok(err)
	defer l.Close()
	c := x.save()
	if got := x.files(c.Hash); len(got) != 0 || missing(c, ".gitignore") != Special {
		t.Errorf("the checkpoint holds %v and not %+v", got, c.NotCaptured)
	}
}

// A scan that is cut off has read rules and not followed them.
func TestCutOffAfterRulesWereRead(t *testing.T) {
	x := newWorld(t)
	x.write(".git/info/exclude", "*.log\n")
	x.write("in/a.log", "1")
	x.write("in/b", "1")
	x.save()
	x.rest()
	x.remove(".git/info/exclude")
	_, err := x.w.Save(t.Context(), Save{Session: "s", Within: 1})
	x.ok(err)
	if got := x.files(x.save().Hash)["in/a.log"]; got != "1" {
		t.Error("it is still left out")
	}
}

func FuzzDecodeRules(f *testing.F) {
	f.Add(encodeRules([]rule{{ruleMade, "", []byte(machineMade)}, {ruleOwn, "a b\nc", []byte("*\x00\n")}, {kind: ruleMixed}}))
	f.Add([]byte("own -1 \x00"))
	f.Add([]byte("own 9 a\x00short"))
	f.Fuzz(func(t *testing.T, b []byte) {
		list := decodeRules(b)
		again := decodeRules(encodeRules(list))
		same := func(a, b rule) bool { return a.kind == b.kind && a.at == b.at && string(a.text) == string(b.text) }
		if !slices.EqualFunc(list, again, same) {
			t.Errorf("%q is read as %q, and then as %q", b, list, again)
		}
	})
}

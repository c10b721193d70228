//go:build unix

package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// world of sessions: those that are gone, and what the living name.
type people struct {
	gone  map[string]bool
	named map[string]string
	err   error
	asked int
}

func (p *people) Deleted(_ context.Context, session string) (bool, error) {
	return p.gone[session], p.err
}

func (p *people) Named(context.Context, string) (map[string]string, error) {
	p.asked++
	named := map[string]string{}
	for hash, id := range p.named {
		named[hash] = id
	}
	return named, p.err
}

func (x *world) collect(p *people, o Collection) Collected {
	x.t.Helper()
	list, err := x.store.Collect(x.t.Context(), p, o)
	x.ok(err)
	if len(list) == 0 {
		return Collected{}
	}
	return list[0]
}

// saveFor saves one file that cannot be made smaller, for a session.
func (x *world) saveFor(session string) string {
	x.t.Helper()
	big := make([]byte, 1<<20)
	_, _ = rand.Read(big)
	x.write("big", string(big))
	c, err := x.w.Save(x.t.Context(), Save{Session: session})
	x.ok(err)
	return c.Hash
}

func (x *world) idle() {
	x.t.Helper()
	h, err := x.w.hold(x.t.Context())
	x.ok(err)
	h.manifest = nil // as Tend does with a folder that nobody uses
	h.release()
}

// What a fork needs of a deleted session stays, and goes with the fork.
func TestCollect(t *testing.T) {
	x := newWorld(t)
	p := &people{gone: map[string]bool{}, named: map[string]string{}}
	first, second, lost := x.saveFor("original"), x.saveFor("original"), x.saveFor("original")
	last := x.saveFor("other")
	p.named[first], p.named[second], p.named[last] = "fork", "fork", "other"
	if c := x.collect(p, Collection{}); c != (Collected{}) || p.asked > 0 {
		t.Fatalf("nobody is gone: %+v, and %d journals were read", c, p.asked)
	}
	p.gone["original"] = true
	if c := x.collect(p, Collection{Dry: true}); c.Checkpoints != 3 || c.Handed != 0 || p.asked > 0 {
		t.Errorf("it would collect %+v", c)
	}
	if c := x.collect(p, Collection{Grace: time.Hour}); c.Waiting != 3 || c.Handed != 2 || c.Checkpoints != 0 {
		t.Errorf("at first sight it collects %+v", c)
	}
	asked := p.asked
	if c := x.collect(p, Collection{Grace: time.Hour}); c.Waiting != 3 || c.Handed != 0 || p.asked != asked {
		t.Errorf("while the grace lasts it collects %+v", c)
	}
	x.files(lost)
	// A fork of the fork that is made meanwhile lives by the fork's refs.
	if c := x.collect(p, Collection{}); c.Checkpoints != 3 || c.Sessions != 1 || c.Waiting != 0 || c.Before-c.After < 1<<20 {
		t.Errorf("after it, it collects %+v", c)
	}
	for _, hash := range []string{first, second, last} {
		x.files(hash)
	}
	if _, _, err := x.w.Diff(t.Context(), lost, last, 0); err == nil {
		t.Error("what nobody needs is still there")
	}
	if list, err := x.w.Checkpoints(t.Context(), "fork"); err != nil || len(list) != 2 {
		t.Errorf("the fork has %+v, %v", list, err)
	}
	x.ok(x.store.Check(t.Context()))
	// With the last of them everything goes, the latest state too once nobody
	// works on it.
	p.gone["fork"], p.gone["other"], p.named = true, true, nil
	x.idle()
	if c := x.collect(p, Collection{}); c.Checkpoints != 3 || c.After > 64<<10 {
		t.Errorf("at last it collects %+v", c)
	}
	if _, err := os.Stat(filepath.Join(x.w.dir, goneFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it still remembers the dead: %v", err)
	}
	if again := x.saveFor("new"); x.files(again)["big"] == "" {
		t.Error("nothing can be saved any more")
	}
}

// The folder itself may be gone, too.
func TestCollectWithoutFolder(t *testing.T) {
	x := newWorld(t)
	x.saveFor("a")
	x.saveFor("b")
	x.ok(x.store.Close())
	x.store = nil
	x.open(Limits{})
	x.ok(os.RemoveAll(x.folder))
	p := &people{gone: map[string]bool{"a": true}}
	if c := x.collect(p, Collection{}); c.Checkpoints != 1 || c.Before-c.After < 1<<20 || c.After < 1<<20 {
		t.Errorf("it collects %+v", c)
	}
	p.gone["b"] = true
	if c := x.collect(p, Collection{}); c.Checkpoints != 1 || c.After > 64<<10 {
		t.Errorf("it collects %+v", c)
	}
}

// Whoever cannot say which sessions live makes nothing go.
func TestCollectIsSure(t *testing.T) {
	x := newWorld(t)
	hash := x.saveFor("a")
	x.saveFor("b")
	p := &people{gone: map[string]bool{"a": true}, err: errors.New("the list is being rebuilt")}
	if _, err := x.store.Collect(t.Context(), p, Collection{}); !errors.Is(err, p.err) {
		t.Errorf("it says %v", err)
	}
	x.files(hash)
}

// A collection that is cut off after the refs went gives the room back later.
func TestCollectGoesOn(t *testing.T) {
	x := newWorld(t)
	x.saveFor("a")
	x.saveFor("b")
	h, err := x.w.hold(t.Context())
	x.ok(err)
	items, err := h.list(t.Context(), h.lock, "a", false)
	x.ok(err)
	x.ok(h.reclaiming(true))
	x.ok(h.updateRefs("delete " + items[0].ref + "\n"))
	h.release()
	if c := x.collect(&people{}, Collection{Grace: time.Hour}); c.Before-c.After < 1<<20 {
		t.Errorf("it collects %+v", c)
	}
	if c := x.collect(&people{}, Collection{Grace: time.Hour}); c != (Collected{}) {
		t.Errorf("then it collects %+v", c)
	}
}

// shortLived is what a victim knows of sessions: those that pass are gone, and one
// lives, whose journal is a file with the hashes that it names.
type shortLived struct{ journal string }

func (shortLived) Deleted(_ context.Context, id string) (bool, error) {
	return strings.HasPrefix(id, "passing"), nil
}

func (s shortLived) Named(context.Context, string) (map[string]string, error) {
	text, err := os.ReadFile(s.journal)
	named := map[string]string{}
	for hash := range strings.FieldsSeq(string(text)) {
		named[hash] = "s"
	}
	return named, err
}

// victimCollects makes sessions that are gone, of whose checkpoints one that
// lives names some, and collects.
func victimCollects(s *Store, w *Workspace, folder string, n int) error {
	journal, name := folder+".journal", fmt.Sprintf("%d-%d", os.Getpid(), n)
	f, err := os.OpenFile(journal, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	for i := range 3 {
		content := fmt.Sprint(name, "-", i)
		if err := writeAll(folder, content); err != nil {
			return err
		}
		c, err := w.Save(background, Save{Session: "passing" + name})
		if err != nil {
			return err
		}
		if i != 1 {
			continue
		}
		if _, err := fmt.Fprintln(f, c.Hash); err != nil {
			return err
		}
		fmt.Println(c.Hash, content)
		if _, err := s.Collect(background, shortLived{journal}, Collection{Grace: time.Hour}); err != nil {
			return err
		}
	}
	_, err = s.Collect(background, shortLived{journal}, Collection{})
	return err
}

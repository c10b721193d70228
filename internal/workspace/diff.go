package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// Change is what happened to a path.
type Change string

const (
	Added    Change = "added"
	Modified Change = "modified"
	Deleted  Change = "deleted"
	Renamed  Change = "renamed"
	Retyped  Change = "type" // a file became a symbolic link, or the other way round
)

// FileDiff is one file that differs between two checkpoints.
type FileDiff struct {
	Path    string
	OldPath string // of a renamed one
	Change  Change
	// Before and After are the content, nil where there is none, it is binary, or
	// it is larger than Limits.Text.
	Before, After *string
	Patch         string // unified; empty where there is no text
	Binary        bool
	TooLarge      bool
	// Sizes are in bytes, modes as git has them, "" where there is no file.
	BeforeSize, AfterSize int64
	BeforeMode, AfterMode string
}

// Diff lists what changed from one checkpoint to another, at most limit files
// (0: all); more says that there are others. An empty `to` is the folder as it is now.
func (w *Workspace) Diff(ctx context.Context, from, to string, limit int) (list []FileDiff, more bool, err error) {
	err = w.EachDiff(ctx, from, to, func(d FileDiff) error {
		if limit > 0 && len(list) == limit {
			more = true
			return errEnough
		}
		list = append(list, d)
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return list, more, err
}

var errEnough = errors.New("enough")

// EachDiff gives the files that changed one after the other, as they are read, and
// ends with the error of yield.
func (w *Workspace) EachDiff(ctx context.Context, from, to string, yield func(FileDiff) error) error {
	if to == "" {
		c, err := w.now(ctx)
		if err != nil {
			return err
		}
		to = c.Hash
	}
	if !w.begun() {
		return ErrUnknown
	}
	b, err := w.batch(ctx, nil)
	if err != nil {
		return err
	}
	defer b.close()
	old, err := b.state(from)
	if err != nil {
		return err
	}
	now, err := b.state(to)
	if err != nil {
		return err
	}
	changes, err := w.compare(ctx, old, now, "-M", "-l1000")
	if err != nil {
		return fmt.Errorf("compare checkpoints of %s: %w", w.folder, err)
	}
	for _, c := range changes {
		d, err := c.diff(b, w.store.limits.Text)
		if err != nil {
			return err
		}
		if err := yield(d); err != nil {
			return err
		}
	}
	return nil
}

// now is the folder as it is, in no session's list.
func (w *Workspace) now(ctx context.Context) (Checkpoint, error) {
	h, err := w.hold(ctx)
	if err != nil {
		return Checkpoint{}, err
	}
	defer h.release()
	c, err := h.save(Save{Reason: "now"}, false)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("look at %s: %w", w.folder, err)
	}
	return c, nil
}

// difference is a path that two checkpoints disagree about.
type difference struct {
	path, oldPath string
	before, after version
}

func (c difference) change() Change {
	switch {
	case c.oldPath != c.path:
		return Renamed
	case !c.before.there():
		return Added
	case !c.after.there():
		return Deleted
	case c.before.kind != c.after.kind:
		return Retyped
	}
	return Modified
}

func (c difference) diff(b *batch, limit int64) (FileDiff, error) {
	d := FileDiff{Path: c.path, Change: c.change()}
	if d.Change == Renamed {
		d.OldPath = c.oldPath
	}
	read := func(v version) (text string, size int64, mode string, err error) {
		if !v.there() {
			return "", 0, "", nil
		}
		o, err := b.get(v.oid.String(), limit)
		if err != nil {
			return "", 0, "", fmt.Errorf("read content %s: %w", v.oid, err)
		}
		d.TooLarge = d.TooLarge || o.content == nil
		d.Binary = d.Binary || binary(o.content)
		return string(o.content), o.size, v.mode(), nil
	}
	before, size, mode, err := read(c.before)
	if err != nil {
		return d, err
	}
	d.BeforeSize, d.BeforeMode = size, mode
	after, size, mode, err := read(c.after)
	if err != nil {
		return d, err
	}
	d.AfterSize, d.AfterMode = size, mode
	if d.Binary || d.TooLarge {
		return d, nil
	}
	oldName, newName := "/dev/null", "/dev/null"
	if c.before.there() {
		d.Before, oldName = &before, "a/"+c.oldPath
	}
	if c.after.there() {
		d.After, newName = &after, "b/"+c.path
	}
	d.Patch = udiff.Unified(oldName, newName, before, after)
	return d, nil
}

// binary says that content is not text that people read.
func binary(b []byte) bool { return bytes.IndexByte(b, 0) >= 0 || !utf8.Valid(b) }

// compare lists what differs between two checkpoints, permissions that git does
// not know included.
func (w *Workspace) compare(ctx context.Context, old, now *state, options ...string) ([]difference, error) {
	args := append([]string{"diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-ext-diff", "--no-textconv"}, options...)
	args = append(args, old.tree, now.tree)
	out, err := w.git.run(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	list, err := parseRaw(string(out), old, now)
	if err != nil {
		return nil, err
	}
	return w.comparePermissions(ctx, old, now, list)
}

// parseRaw reads what diff-tree prints: ":100644 100755 oid oid M", a path, and
// another path for a rename.
func parseRaw(out string, old, now *state) ([]difference, error) {
	var list []difference
	next := func() string {
		field, rest, _ := strings.Cut(out, "\x00")
		out = rest
		return field
	}
	for out != "" {
		about := next()
		fields := strings.Fields(strings.TrimPrefix(about, ":"))
		if len(fields) != 5 {
			return nil, fmt.Errorf("git says %q: %w", about, io.ErrUnexpectedEOF)
		}
		c := difference{oldPath: next()}
		c.path = c.oldPath
		if fields[4][0] == 'R' || fields[4][0] == 'C' {
			c.path = next()
		}
		before, ok1 := parseOID(fields[2])
		after, ok2 := parseOID(fields[3])
		if !ok1 || !ok2 {
			return nil, fmt.Errorf("git says %q", about)
		}
		c.before, c.after = old.version(fields[0], before, c.oldPath), now.version(fields[1], after, c.path)
		list = append(list, c)
	}
	return list, nil
}

// comparePermissions adds files of which only the permissions changed.
func (w *Workspace) comparePermissions(ctx context.Context, old, now *state, list []difference) ([]difference, error) {
	changed := map[string]struct{}{}
	for path := range old.modes {
		if perm, ok := now.modes[path]; !ok || perm != old.modes[path] {
			changed[path] = struct{}{}
		}
	}
	for path := range now.modes {
		if _, ok := old.modes[path]; !ok {
			changed[path] = struct{}{}
		}
	}
	for _, c := range list {
		delete(changed, c.path)
		delete(changed, c.oldPath)
	}
	paths := slices.Sorted(maps.Keys(changed))
	for some := range slices.Chunk(paths, 200) {
		out, err := w.git.run(ctx, nil, append([]string{"ls-tree", "-z", "--full-tree", "--", now.tree}, some...)...)
		if err != nil {
			return nil, err
		}
		err = eachLine(out, func(mode string, o oid, path string) {
			c := difference{path: path, oldPath: path, before: old.version(mode, o, path), after: now.version(mode, o, path)}
			if c.before != c.after {
				list = append(list, c)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

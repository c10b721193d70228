package workspace

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// manyEdits is from how many on a checkpoint's trees are made here. Git's importer
// looks for a name among those of its folder one by one: that is nothing for a few
// edits, and minutes for all files of a folder of 100,000.
const manyEdits = 500

// trees makes the trees of a checkpoint from those of the one before it. What it does
// to them is what fast-import does for the same edits.
type trees struct {
	read func(oid) ([]byte, error)
	pack *pack // takes those that are new
}

// entry is what a tree has under a name.
type entry struct {
	mode string
	oid  oid
	// names are those of a folder that was looked into; its oid is then that of what
	// it was before.
	names map[string]*entry
}

const folderMode = "40000" // as trees write it, without the leading zero

// edited gives the tree of a folder after edits.
func (t *trees) edited(tree string, edits []edit) (string, error) {
	root := &entry{mode: folderMode}
	root.oid, _ = parseOID(tree)
	if tree == "" || tree == emptyTree {
		root.names = map[string]*entry{}
	}
	// Deletions first: a folder may become a file, or a file a folder.
	for _, e := range edits {
		if !e.to.there() {
			if err := t.remove(root, e.path); err != nil {
				return "", err
			}
		}
	}
	for _, e := range edits {
		if e.to.there() {
			if err := t.put(root, e.path, &entry{mode: e.to.mode(), oid: e.to.oid}); err != nil {
				return "", err
			}
		}
	}
	if err := t.store(root); err != nil {
		return "", err
	}
	return root.oid.String(), nil
}

// put gives a path to an entry. A file that stands where a folder must be makes room.
func (t *trees) put(in *entry, path string, e *entry) error {
	if err := t.open(in); err != nil {
		return err
	}
	name, rest, deeper := strings.Cut(path, "/")
	if !deeper {
		in.names[name] = e
		return nil
	}
	next := in.names[name]
	if next == nil || next.mode != folderMode {
		next = &entry{mode: folderMode, names: map[string]*entry{}}
		in.names[name] = next
	}
	return t.put(next, rest, e)
}

// remove takes a path away, and the folders that have nothing else in them.
func (t *trees) remove(in *entry, path string) error {
	if err := t.open(in); err != nil {
		return err
	}
	name, rest, deeper := strings.Cut(path, "/")
	next := in.names[name]
	if next == nil || deeper && next.mode != folderMode {
		return nil // there is no such path
	}
	if deeper {
		if err := t.remove(next, rest); err != nil || len(next.names) > 0 {
			return err
		}
	}
	delete(in.names, name)
	return nil
}

// open reads the names of a folder: for each its mode, a space, the name, a zero
// byte, and the object's name in bytes.
func (t *trees) open(e *entry) error {
	if e.names != nil {
		return nil
	}
	content, err := t.read(e.oid)
	if err != nil {
		return fmt.Errorf("read the folder %s: %w", e.oid, err)
	}
	e.names = map[string]*entry{}
	for len(content) > 0 {
		about, rest, ok := bytes.Cut(content, []byte{0})
		mode, name, ok2 := strings.Cut(string(about), " ")
		if !ok || !ok2 || len(rest) < sha1.Size {
			return fmt.Errorf("the folder %s is damaged", e.oid)
		}
		e.names[name] = &entry{mode: mode, oid: oid(rest[:sha1.Size])}
		content = rest[sha1.Size:]
	}
	return nil
}

// store names the tree of a folder and those in it, and keeps the ones that are new.
func (t *trees) store(e *entry) error {
	if e.names == nil {
		return nil
	}
	// Git sorts a folder as if its name ended in a slash.
	sorted := make([]string, 0, len(e.names))
	for name, next := range e.names {
		if next.mode == folderMode {
			name += "/"
		}
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	var content bytes.Buffer
	for _, name := range sorted {
		name = strings.TrimSuffix(name, "/")
		next := e.names[name]
		if err := t.store(next); err != nil {
			return err
		}
		content.WriteString(next.mode + " " + name + "\x00")
		content.Write(next.oid[:])
	}
	was := e.oid
	e.oid = treeOID(content.Bytes())
	if e.oid == was {
		return nil
	}
	return t.pack.add(e.oid, content.Bytes())
}

// treeOID is the name of a tree.
func treeOID(content []byte) (o oid) {
	h := sha1.New()
	h.Write([]byte("tree " + strconv.Itoa(len(content)) + "\x00"))
	h.Write(content)
	h.Sum(o[:0])
	return o
}

package workspace

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
)

// stampsFile remembers the stamps between two runs of the server, so that the
// first scan after a start need not read every file. A stamp belongs to a path
// and a content; one that does not fit the manifest, or a damaged file, is passed
// over and costs no more than that reading.
const stampsFile = "stamps"

type storedStamps struct {
	Path       []string
	OID        []oid
	Size       []int64
	Modified   []int64
	Changed    []int64
	Inode      []uint64
	Mode       []uint32
	Generation int
}

const stampsGeneration = 1

// keepStamps writes the stamps of the manifest in memory.
func (w *Workspace) keepStamps() error {
	if w.manifest == nil || w.manifest.tip == "" {
		return nil
	}
	s := storedStamps{Generation: stampsGeneration}
	w.manifest.root.walk("", func(at string, n *node) {
		for name, f := range n.files {
			if f.stamp == (stamp{}) {
				continue
			}
			s.Path, s.OID = append(s.Path, join(at, name)), append(s.OID, f.oid)
			s.Size, s.Modified, s.Changed = append(s.Size, f.stamp.size), append(s.Modified, f.stamp.mtime), append(s.Changed, f.stamp.ctime)
			s.Inode, s.Mode = append(s.Inode, f.stamp.ino), append(s.Mode, f.stamp.mode)
		}
	})
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(s); err != nil {
		return fmt.Errorf("keep what is known of %s: %w", w.folder, err)
	}
	b.WriteString(fmt.Sprintf("%08x", crc32.ChecksumIEEE(b.Bytes())))
	return writeFile(filepath.Join(w.dir, stampsFile), b.Bytes())
}

func (w *Workspace) readStamps(m *manifest) {
	b, err := os.ReadFile(filepath.Join(w.dir, stampsFile))
	if err != nil || len(b) < 8 {
		return
	}
	b, sum := b[:len(b)-8], string(b[len(b)-8:])
	var s storedStamps
	if sum != fmt.Sprintf("%08x", crc32.ChecksumIEEE(b)) || gob.NewDecoder(bytes.NewReader(b)).Decode(&s) != nil || s.Generation != stampsGeneration {
		return
	}
	for i, name := range s.Path {
		n := m.folder(filepath.ToSlash(filepath.Dir(name)), false)
		if n == nil {
			continue
		}
		if f := n.files[filepath.Base(name)]; f != nil && f.oid == s.OID[i] && uint16(s.Mode[i]&0o7777) == f.permOr(s.Mode[i]) {
			f.stamp = stamp{size: s.Size[i], mtime: s.Modified[i], ctime: s.Changed[i], ino: s.Inode[i], mode: s.Mode[i]}
		}
	}
}

// permOr is the permissions of a file; a link has those that its stamp says.
func (f *file) permOr(mode uint32) uint16 {
	if f.kind == link {
		return uint16(mode & 0o7777)
	}
	return f.perm
}

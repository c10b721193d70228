package workspace

import (
	"crypto/sha1"
	"encoding/hex"
	"strconv"
)

// oid is the name that git gives to content.
type oid [sha1.Size]byte

func (o oid) String() string { return hex.EncodeToString(o[:]) }

func parseOID(s string) (o oid, ok bool) {
	if len(s) != 2*len(o) {
		return o, false
	}
	_, err := hex.Decode(o[:], []byte(s))
	return o, err == nil
}

// blobOID is the name of a file's content.
func blobOID(content []byte) (o oid) {
	h := sha1.New()
	h.Write([]byte("blob " + strconv.Itoa(len(content)) + "\x00"))
	h.Write(content)
	h.Sum(o[:0])
	return o
}

// emptyTree is what git calls a folder without files. It need not be stored.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

type kind uint8

const (
	absent kind = iota
	regular
	link // a symbolic link; its content is where it points
)

// version is what a path holds. The zero version is nothing at all.
type version struct {
	oid  oid
	kind kind
	perm uint16 // permission bits of a regular file
}

// content is a version without its permissions.
func (v version) content() version { return version{oid: v.oid, kind: v.kind} }

func (v version) there() bool { return v.kind != absent }

// executable is the one permission that git itself keeps.
func (v version) executable() bool { return v.perm&0o100 != 0 }

// mode is the version's mode in a git tree.
func (v version) mode() string {
	switch {
	case v.kind == link:
		return "120000"
	case v.executable():
		return "100755"
	}
	return "100644"
}

// ordinary are the permissions of most files of a folder: those that are not
// written down one by one.
type ordinary struct{ plain, executable uint16 }

var usual = ordinary{plain: 0o644, executable: 0o755}

func (o ordinary) of(executable bool) uint16 {
	if executable {
		return o.executable
	}
	return o.plain
}

// odd says whether a version's permissions must be written down.
func (o ordinary) odd(v version) bool {
	return v.kind == regular && v.perm != o.of(v.executable())
}

// versionOf reads a mode of a git tree.
func versionOf(mode string, o oid, ord ordinary) version {
	switch mode {
	case "120000":
		return version{oid: o, kind: link}
	case "100755":
		return version{oid: o, kind: regular, perm: ord.executable}
	case "100644":
		return version{oid: o, kind: regular, perm: ord.plain}
	}
	return version{}
}

package workspace

import (
	"errors"
	"io"
	"syscall"
	"time"
)

// sight is what was found at a name.
type sight struct {
	version
	stamp   stamp
	content []byte // if it was read
	why     Reason // set if something is there that cannot be captured
	size    int64
}

// missing says what of a path could not be captured.
func (s sight) missing(full string) Missing {
	m := Missing{Path: full, Reason: s.why, Size: s.size}
	if s.why == TooLarge {
		m.Modified = s.stamp.mtime
	}
	return m
}

// exhausted says that this process or the machine has run out of something: that tells
// nothing about a file, and ends a scan.
func exhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}

const readAgain = 3

// look finds out what lies at a name. A file that has the stamp of a known one is
// not read. Something that changes while it is read is read again; at last it is
// taken as it came, without a stamp, so that the next look reads it once more.
func look(d *dir, name string, known *file, limit int64, fsNow int64) (sight, error) {
	st, err := d.stat(name)
	if err != nil {
		return sight{}, err
	}
	if known != nil && known.stamp == st {
		return sight{version: known.version, stamp: st}, nil
	}
	switch {
	case st.isLink():
		return lookLink(d, name, st, fsNow)
	case !st.isRegular():
		return sight{why: Special, stamp: st}, nil
	case st.size > limit:
		return sight{why: TooLarge, stamp: st, size: st.size}, nil
	}
	return lookFile(d, name, limit, fsNow)
}

func lookLink(d *dir, name string, st stamp, fsNow int64) (sight, error) {
	to, err := d.readlink(name)
	if err != nil {
		return sight{}, err
	}
	content := []byte(to)
	return sight{version: version{oid: blobOID(content), kind: link}, stamp: st.unlessFresh(fsNow), content: content}, nil
}

func lookFile(d *dir, name string, limit, fsNow int64) (sight, error) {
	f, err := d.open(name)
	if err != nil {
		return sight{}, err
	}
	defer f.Close()
	var s sight
	for try := range readAgain {
		before, err := stampFile(f)
		if err != nil {
			return sight{}, err
		}
		if !before.isRegular() {
			return sight{why: Special, stamp: before}, nil
		}
		if try > 0 {
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				return sight{}, err
			}
		}
		content, err := readAll(f, before.size, limit)
		if errors.Is(err, errTooLarge) {
			return sight{why: TooLarge, stamp: before, size: before.size}, nil
		}
		if err != nil {
			return sight{}, err
		}
		after, err := stampFile(f)
		if err != nil {
			return sight{}, err
		}
		s = sight{version: version{oid: blobOID(content), kind: regular, perm: after.perm()}, content: content}
		if before == after && int64(len(content)) == after.size {
			s.stamp = after.unlessFresh(fsNow)
			return s, nil
		}
	}
	return s, nil
}

var errTooLarge = errors.New("too large")

func readAll(r io.Reader, size, limit int64) ([]byte, error) {
	b := make([]byte, 0, size+1)
	for {
		if int64(len(b)) > limit {
			return nil, errTooLarge
		}
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// How long a file must have been left alone before its times can tell another
// write from this one. Clocks of file systems tick in milliseconds, of some in
// seconds.
const (
	fineTick   = int64(100 * time.Millisecond)
	coarseTick = int64(2 * time.Second)
)

// linkedBit in the mode of a stamp, where no system has one, says that the file has
// other names.
const linkedBit = 1 << 31

// restless says of a file with this stamp that it may change without a watch of its
// folder hearing it: through another name, or because its times do not show it yet.
func (s stamp) restless() bool { return s == stamp{} || s.mode&linkedBit != 0 }

// unlessFresh is a stamp that can be trusted, or none: a file that was written just
// now can be written again without its times showing it. The permission bits and
// the change time are part of a stamp, so that an edit whose modification time
// somebody put back is seen too.
func (s stamp) unlessFresh(fsNow int64) stamp {
	tick := fineTick
	if s.ctime%int64(time.Second) == 0 {
		tick = coarseTick
	}
	if max(s.mtime, s.ctime)+tick > fsNow {
		return stamp{}
	}
	return s
}

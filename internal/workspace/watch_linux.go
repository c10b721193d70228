package workspace

import (
	"bytes"
	endian "encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// canWatch says whether this system can tell what happened in a folder.
const canWatch = true

// watch is an instance of inotify. The kernel puts an event into its queue before the
// call that caused it returns, and nobody but a scan reads the queue: so a scan that
// has read it to the end knows of everything that happened until then, and between
// scans nothing runs.
//
// Folders are watched by their open descriptor and not by their path, so that what is
// watched is what is listed, whatever is renamed meanwhile. The end of writing is heard
// as well as each write, because writes through a mapping are told at their end only.
type watch struct {
	queue  int // of events
	mounts *mounts
	total  *atomic.Int64 // watches of all workspaces
	most   int64         // that there may be
	root   [2]uint64     // the folder's device and inode
	turn   int           // counts calls of disturbed
	whole  time.Time     // when everything was looked at last

	mu     sync.Mutex
	spots  map[int32]spot
	unrest unrest
	lost   bool  // something is not known
	err    error // it cannot hear everything
}

// spot is a watched folder.
type spot struct {
	at   string
	turn int // when it was looked at last
}

const (
	heard = unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB | unix.IN_CREATE | unix.IN_DELETE |
		unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR
	// another folder may have this name now, or the same one may be readable now
	replaced = unix.IN_CREATE | unix.IN_MOVED_TO | unix.IN_ATTRIB

	mostUnrest = 10_000   // more are not worth their memory
	mostBytes  = 16 << 20 // more than a queue holds: somebody writes faster than we read
	eventSize  = unix.SizeofInotifyEvent
	limitFile  = "/proc/sys/fs/inotify/max_user_watches"
)

// newWatch hears nothing yet. All watches together take at most half of what the system
// allows, the rest is for editors and the like.
func newWatch(folder string, total *atomic.Int64) (*watch, error) {
	text, err := os.ReadFile(limitFile)
	if err != nil {
		return nil, err
	}
	allowed, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return nil, err
	}
	mounts, err := newMounts(folder)
	if err != nil {
		return nil, err
	}
	queue, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		mounts.close()
		return nil, fmt.Errorf("the system gives no more watchers (fs.inotify.max_user_instances): %w", err)
	}
	return &watch{
		queue: queue, mounts: mounts, total: total, most: allowed / 2,
		spots: map[int32]spot{}, unrest: unrest{}, lost: true,
	}, nil
}

func (w *watch) close() {
	_ = unix.Close(w.queue)
	w.mounts.close()
	w.total.Add(-int64(len(w.spots)))
}

// failed says why it cannot hear everything, if it cannot.
func (w *watch) failed() error { return w.err }

// size is how many folders are watched.
func (w *watch) size() int { return len(w.spots) }

// add watches an open folder, and says whether it was not watched before: then what is
// known of it must be looked at again. Many may call it at once.
func (w *watch) add(d *dir, at string) (fresh bool) {
	err := tellsAll(d)
	var id int
	if err == nil {
		id, err = retry(func() (int, error) {
			return unix.InotifyAddWatch(w.queue, "/proc/self/fd/"+strconv.Itoa(d.fd), heard)
		})
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.fail(err)
		return true
	}
	old, known := w.spots[int32(id)]
	if known && old.at != at && old.turn == w.turn { // it is mounted twice, or was moved just now
		w.lost = true
	}
	w.spots[int32(id)] = spot{at, w.turn}
	if !known && w.total.Add(1) > w.most {
		w.fail(unix.ENOSPC)
	}
	return !known
}

func (w *watch) fail(err error) {
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EMFILE) {
		err = fmt.Errorf("the system allows too few watches for so many folders (fs.inotify.max_user_watches): %w", err)
	}
	w.lost = true
	if w.err == nil {
		w.err = err
	}
}

// tellsAll refuses a folder on a file system where others can make changes that are not
// told here: network file systems, FUSE, shares of a virtual machine. Only those are
// taken that are known not to be of this kind.
func tellsAll(d *dir) error {
	var st unix.Statfs_t
	if err := unix.Fstatfs(d.fd, &st); err != nil {
		return fmt.Errorf("ask for the kind of file system: %w", err)
	}
	switch kind := uint32(st.Type); kind {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.TMPFS_MAGIC,
		0x2fc12fc1, // ZFS
		0xca451a4e: // bcachefs
		return nil
	default:
		return fmt.Errorf("not all changes are told on a file system of the kind %#x", kind)
	}
}

// disturbed gives the folders in which something happened since it was asked last, or
// says that this is not known.
func (w *watch) disturbed(root *dir) (list unrest, known bool) {
	w.read()
	w.look(root)
	list, known = w.unrest, !w.lost
	w.unrest, w.lost = unrest{}, false
	w.turn++
	return list, known
}

// settle ends a scan that looked at everything: what it did not come by is in the
// workspace no more, or ignored.
func (w *watch) settle() {
	w.whole = time.Now()
	for id, s := range w.spots {
		if s.turn != w.turn {
			_, _ = unix.InotifyRmWatch(w.queue, uint32(id)) // or it is gone by itself
			w.forget(id)
		}
	}
}

func (w *watch) forget(id int32) {
	if _, ok := w.spots[id]; ok {
		delete(w.spots, id)
		w.total.Add(-1)
	}
}

// look finds out what is not told by events: that the folder is another one, because one
// above it was moved, and that something was mounted.
func (w *watch) look(root *dir) {
	var st unix.Stat_t
	err := unix.Fstat(root.fd, &st)
	now := [2]uint64{uint64(st.Dev), st.Ino}
	if err != nil || w.root != now || w.mounts.changed() {
		w.lost = true
	}
	w.root = now
}

// read takes everything out of the queue.
func (w *watch) read() {
	b := make([]byte, 64<<10)
	for sum := 0; ; {
		n, err := retry(func() (int, error) { return unix.Read(w.queue, b) })
		if errors.Is(err, unix.EAGAIN) {
			return
		}
		if sum += n; err != nil || n < eventSize || sum > mostBytes {
			w.lost = true
			return
		}
		w.events(b[:n])
	}
}

func (w *watch) events(b []byte) {
	for len(b) >= eventSize {
		id, mask := int32(endian.NativeEndian.Uint32(b)), endian.NativeEndian.Uint32(b[4:])
		size := min(eventSize+int(endian.NativeEndian.Uint32(b[12:])), len(b))
		name, _, _ := bytes.Cut(b[eventSize:size], []byte{0})
		w.event(id, mask, string(name))
		b = b[size:]
	}
}

func (w *watch) event(id int32, mask uint32, name string) {
	s, known := w.spots[id]
	switch {
	case mask&(unix.IN_Q_OVERFLOW|unix.IN_UNMOUNT) != 0, len(w.unrest) > mostUnrest:
		w.lost = true
		clear(w.unrest)
	case !known:
		return
	case s.at == "" && mask&(unix.IN_DELETE_SELF|unix.IN_MOVE_SELF) != 0:
		w.lost = true
	default:
		w.unrest.add(s.at, false)
		if name != "" && mask&unix.IN_ISDIR != 0 && mask&replaced != 0 {
			w.unrest.add(join(s.at, name), true)
		}
	}
	if mask&unix.IN_IGNORED != 0 {
		w.forget(id)
	}
}

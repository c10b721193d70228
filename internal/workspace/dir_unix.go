//go:build unix

package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// dir is an open folder. Everything is done relative to it and by one name at a
// time, and symbolic links are never followed: whatever somebody moves or links
// meanwhile, nothing outside is reached.
type dir struct {
	fd int
	f  *os.File // the same, once its names were asked for
}

// stamp is what tells that a file was not touched. The zero stamp fits none.
type stamp struct {
	size, mtime, ctime int64
	ino                uint64
	mode               uint32
}

func (s stamp) isDir() bool     { return s.mode&unix.S_IFMT == unix.S_IFDIR }
func (s stamp) isRegular() bool { return s.mode&unix.S_IFMT == unix.S_IFREG }
func (s stamp) isLink() bool    { return s.mode&unix.S_IFMT == unix.S_IFLNK }
func (s stamp) perm() uint16    { return uint16(s.mode & 0o7777) }

func stampOf(st *unix.Stat_t) stamp {
	s := stamp{size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), ino: uint64(st.Ino), mode: uint32(st.Mode)}
	if st.Nlink > 1 && s.isRegular() {
		s.mode |= linkedBit
	}
	return s
}

// openDir opens a folder by its whole path.
func openDir(path string) (*dir, error) {
	fd, err := retry(func() (int, error) { return unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return &dir{fd: fd}, nil
}

func (d *dir) sub(name string) (*dir, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &dir{fd: fd}, nil
}

func (d *dir) close() {
	if d.f != nil {
		_ = d.f.Close()
		return
	}
	_ = unix.Close(d.fd)
}

func (d *dir) names() ([]string, error) {
	if d.f == nil {
		d.f = os.NewFile(uintptr(d.fd), "folder")
	}
	if _, err := d.f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return d.f.Readdirnames(-1)
}

func (d *dir) stat(name string) (stamp, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return stamp{}, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return stampOf(&st), nil
}

// open opens a file for reading. It waits for nobody, should the name belong to
// a FIFO by now.
func (d *dir) open(name string) (*os.File, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

func stampFile(f *os.File) (stamp, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return stamp{}, &fs.PathError{Op: "stat", Path: f.Name(), Err: err}
	}
	return stampOf(&st), nil
}

// create makes a new file, of nobody else's reading until it is in place.
func (d *dir) create(name string) (*os.File, error) {
	fd, err := unix.Openat(d.fd, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

func (d *dir) readlink(name string) (string, error) {
	for size := 256; ; size *= 4 {
		b := make([]byte, size)
		n, err := unix.Readlinkat(d.fd, name, b)
		if err != nil {
			return "", &fs.PathError{Op: "readlink", Path: name, Err: err}
		}
		if n < size {
			return string(b[:n]), nil
		}
	}
}

func (d *dir) symlink(target, name string) error { return unix.Symlinkat(target, d.fd, name) }
func (d *dir) mkdir(name string) error           { return unix.Mkdirat(d.fd, name, 0o777) }
func (d *dir) mkdirOwn(name string) error        { return unix.Mkdirat(d.fd, name, 0o700) }
func (d *dir) rmdir(name string) error           { return unix.Unlinkat(d.fd, name, unix.AT_REMOVEDIR) }
func (d *dir) remove(name string) error          { return unix.Unlinkat(d.fd, name, 0) }

// hardLink gives a file a second name, one that nothing has.
func hardLink(a *dir, x string, b *dir, y string) error { return unix.Linkat(a.fd, x, b.fd, y, 0) }

// moveOver moves a file to a name, whatever is there.
func moveOver(a *dir, x string, b *dir, y string) error { return unix.Renameat(a.fd, x, b.fd, y) }

// together says that files can be moved from one folder to the other.
func together(a, b *dir) bool {
	var x, y unix.Stat_t
	if unix.Fstat(a.fd, &x) != nil || unix.Fstat(b.fd, &y) != nil || x.Dev != y.Dev {
		return false
	}
	// The names do not exist; different mounts are told before that is.
	return !elsewhere(moveOver(a, ".parley-no-such-name", b, ".parley-no-such-name"))
}

// likeIn gives f the owner of a file, or of the folder if there is no such file, where
// that is allowed.
func (d *dir) likeIn(name string, f *os.File) {
	var st unix.Stat_t
	if unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil ||
		os.Geteuid() == 0 && unix.Fstat(d.fd, &st) == nil {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}

func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// notThere says that a name, or a folder on the way to it, does not exist.
func notThere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP)
}

// elsewhere says that two places are on different file systems.
func elsewhere(err error) bool { return errors.Is(err, unix.EXDEV) }

// cannot says that the file system does not know the operation.
func cannot(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP)
}

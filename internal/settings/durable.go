package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const maxFile = 4 << 20

// writeFile replaces a file, for its owner's eyes only: after a crash at any
// moment the old content is there or the new one. A link stays one; what it leads
// to is replaced. Whoever calls it holds the folder's lock.
func writeFile(path string, data []byte) error {
	target, err := followLinks(path)
	if err == nil {
		err = replaceFile(target, data)
	}
	if err != nil && target != path {
		return fmt.Errorf("%s is a link to %s, which cannot be written: %w", path, target, err)
	}
	return err
}

// followLinks is the file that a name stands for. It need not be there.
func followLinks(path string) (string, error) {
	const most = 40
	at := path
	for range most {
		to, err := os.Readlink(at)
		if err != nil {
			return at, nil // it is no link, or there is nothing
		}
		if !filepath.IsAbs(to) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(at)) // .. leads up from there
			if err != nil {
				return at, err
			}
			to = filepath.Join(dir, to)
		}
		at = to
	}
	return path, fmt.Errorf("%s leads through more than %d links", path, most)
}

func replaceFile(path string, data []byte) error {
	dir, prefix := filepath.Dir(path), "."+filepath.Base(path)+".new-"
	removeLeftovers(dir, prefix)
	tmp, err := os.CreateTemp(dir, prefix+"*") // made 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Sync()
	}
	if err := errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

// removeLeftovers removes what a crash left behind of a file. Nobody else writes
// it now: the lock is ours.
func removeLeftovers(dir, prefix string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// moveAside takes a file out of the way that cannot be read, and says where to.
func moveAside(path string, now time.Time) (to string, err error) {
	at, err := followLinks(path)
	if err != nil {
		return "", err
	}
	stem := at + ".broken-" + now.UTC().Format("20060102T150405Z")
	to = stem
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			break
		}
		to = fmt.Sprintf("%s-%d", stem, n)
	}
	if err := os.Rename(at, to); err != nil {
		return "", err
	}
	return to, syncDir(filepath.Dir(at))
}

// makeFolder makes a folder that only its owner can look into, for good.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return syncDir(filepath.Dir(dir))
}

// lockFolder waits until no other process writes in a folder. The kernel gives
// the lock back when a process ends, however it ends.
func lockFolder(dir string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFile(f); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", dir, err), f.Close())
	}
	return func() { _ = f.Close() }, nil
}

// readFile reads a file that is not there as nil.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxFile)
	}
	if data == nil {
		data = []byte{}
	}
	return data, err
}

// stamp changes when a file does: a replaced one is another file, with another
// time or size.
type stamp struct {
	info os.FileInfo
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info}
}

func (s stamp) same(o stamp) bool {
	if s.info == nil || o.info == nil {
		return s.info == nil && o.info == nil
	}
	return os.SameFile(s.info, o.info) && s.info.Size() == o.info.Size() && s.info.ModTime().Equal(o.info.ModTime())
}

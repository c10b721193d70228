package sqlite

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/parley-dev/parley/internal/journal"
)

const (
	lockName = "lock"
	// unnamed stands for a holder that has not said who it is.
	unnamed = "another process"
)

// errHeld says that somebody else has the lock.
var errHeld = errors.New("the lock is held")

// folderLock is the right to write a data folder. The kernel takes it back
// when the process ends, however it ends.
type folderLock struct {
	mu   sync.Mutex
	file *os.File
	size int // of what the file says now
}

// lockFolder takes the lock. ReadHolder holds it for a moment when nobody else
// does, so one refusal is not yet an answer.
func lockFolder(dir, holder string) (*folderLock, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		err := lockFile(f, true)
		if err == nil {
			break
		}
		if errors.Is(err, errHeld) && try < 5 {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		said, _ := readStable(f)
		f.Close()
		if errors.Is(err, errHeld) {
			return nil, &journal.InUseError{Path: dir, Holder: said}
		}
		return nil, err
	}
	l := &folderLock{file: f}
	if info, err := f.Stat(); err == nil {
		l.size = int(info.Size())
	}
	if err := l.say(holder); err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

// say writes who holds the lock. One write covers the old text, so that a
// reader finds the old or the new one and at most trailing spaces.
func (l *folderLock) say(holder string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := []byte(holder)
	padded := append(text, bytes.Repeat([]byte{' '}, max(0, l.size-len(text)))...)
	if _, err := l.file.WriteAt(padded, 0); err != nil {
		return err
	}
	l.size = len(text)
	return l.file.Truncate(int64(l.size))
}

func (l *folderLock) release() error {
	return errors.Join(l.say(""), l.file.Close())
}

// ReadHolder says what the process that has the folder open says of itself,
// and whether there is one.
func ReadHolder(dir string) (string, bool) {
	f, err := os.Open(filepath.Join(dir, lockName))
	if err != nil {
		return "", false
	}
	defer f.Close()
	if err := lockFile(f, false); !errors.Is(err, errHeld) {
		return "", false
	}
	said, err := readStable(f)
	return said, err == nil
}

// readStable reads the file until two readings agree.
func readStable(f *os.File) (string, error) {
	var last string
	text := make([]byte, 1<<16)
	for try := 0; ; try++ {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return unnamed, err
		}
		// One call for all of it: the text may change between two.
		n, err := f.Read(text)
		if err != nil && err != io.EOF {
			return unnamed, err
		}
		said := strings.TrimRight(string(text[:n]), " ")
		if try > 0 && said == last {
			break
		}
		last = said
	}
	if last == "" {
		return unnamed, nil
	}
	return last, nil
}

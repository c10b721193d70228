// Package sqlite keeps sessions in one SQLite file: the journal of a server
// that runs on one machine.
//
// What it promises beyond the port:
//
//   - One committer joins everything that has queued (appends, parts, deletes,
//     snapshots, forks) in the order in which it came, in one transaction and
//     one sync. Work that is refused (a conflict, a deleted session) does not
//     harm what shares its group; a failing disk fails the whole group, and
//     then nothing of it happened.
//   - Reads have connections of their own. They never wait for the committer,
//     nor it for them.
//   - A folder has one user. A second Open, in this or in another process,
//     gives *journal.InUseError, and the kernel frees the lock when a process
//     dies.
//   - Each record carries a checksum. Damage, a gap or a missing end is
//     reported with the session and the sequence number.
//
// What it refuses: a network file system's idea of a lock (keep the folder on
// a local disk), and a file that a newer version wrote.
//
// docs/journal-format.md describes the files.
package sqlite

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/parley-dev/parley/internal/journal"
)

// Options says where the journal is.
type Options struct {
	// Dir is the data folder. It is made if it does not exist.
	Dir string
	// Holder is what a second Open is told about this one, for example the
	// process id. SetHolder changes it.
	Holder string
	// Logger is for what no caller waits for. The default discards.
	Logger *slog.Logger
	// MaxPages limits the size of the file in pages of 4 KiB; 0 means no
	// limit but the disk's. Beyond it appends give journal.ErrFull.
	MaxPages int

	// logLimit and headLimit stand in for largestLog and cachedHeads in tests.
	logLimit  int64
	headLimit int
}

// Journal is an open data folder.
type Journal struct {
	path    string
	log     *slog.Logger
	lock    *folderLock
	queue   *queue
	readers *readers
	commits sync.WaitGroup // the committer
	close   func() error
}

var (
	_ journal.Journal   = (*Journal)(nil)
	_ journal.Parts     = (*Journal)(nil)
	_ journal.Snapshots = (*Journal)(nil)
	_ journal.Feed      = (*Journal)(nil)
	_ journal.BlobRefs  = (*Journal)(nil)
	_ journal.Forker    = (*Journal)(nil)
)

// Open opens the journal of a data folder, or makes one.
func Open(o Options) (*Journal, error) {
	path := filepath.Join(o.Dir, fileName)
	j, err := open(o, path)
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", explain(path, err))
	}
	return j, nil
}

func open(o Options, path string) (_ *Journal, err error) {
	if err := makeFolder(o.Dir); err != nil {
		return nil, err
	}
	lock, err := lockFolder(o.Dir, o.Holder)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, lock.release())
		}
	}()
	o.logLimit = cmp.Or(o.logLimit, largestLog)
	o.headLimit = cmp.Or(o.headLimit, cachedHeads)
	w, err := openWriter(path, o)
	if err != nil {
		return nil, err
	}
	log := o.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	r := newReaders(path)
	c, err := newCommitter(path, w, newHeads(o.headLimit), newCheckpoints(path, r, o.logLimit), log)
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	j := &Journal{path: path, log: log, lock: lock, queue: c.queue, readers: r}
	j.close = sync.OnceValue(func() error {
		j.queue.close()
		j.commits.Wait()
		// The last connection to go moves the write-ahead log into the file.
		return explain(path, errors.Join(j.readers.close(), w.close(), lock.release()))
	})
	j.commits.Go(c.run)
	return j, nil
}

// makeFolder makes the data folder and lets its name last.
func makeFolder(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	parent, err := os.Open(filepath.Dir(dir))
	if err != nil {
		return nil // it may be searched but not read; then it cannot be synced
	}
	_ = parent.Sync() // not every system can sync a folder
	return parent.Close()
}

// busyTimeout is how long, in milliseconds, a statement waits for another
// program that has the file locked.
const busyTimeout = 5000

// openWriter opens the one connection that writes. Nothing is changed in a
// file before it is known to be ours.
func openWriter(path string, o Options) (_ *conn, err error) {
	// SQLite would let everybody read a file that it makes.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	c, err := dial(path, fmt.Sprintf("busy_timeout = %d", busyTimeout), fmt.Sprintf("page_size = %d", pageSize))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	if err := establish(c, path); err != nil {
		return nil, err
	}
	pragmas := []string{
		"journal_mode = WAL",
		"synchronous = FULL",
		fmt.Sprintf("wal_autocheckpoint = %d", o.logLimit/usualPart/pageSize),
		fmt.Sprintf("journal_size_limit = %d", o.logLimit),
		"cache_size = -16384",
		"temp_store = MEMORY",
	}
	if o.MaxPages > 0 {
		pragmas = append(pragmas, fmt.Sprintf("max_page_count = %d", o.MaxPages))
	}
	for _, p := range pragmas {
		if err := c.pragma(p); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// SetHolder changes what a second Open is told about this one: a server adds
// its address when it has one. ReadHolder reads it.
func (j *Journal) SetHolder(holder string) error {
	return explain(j.path, j.lock.say(holder))
}

// Close waits for what is under way, writes everything into the one file and
// frees the folder.
func (j *Journal) Close() error { return j.close() }

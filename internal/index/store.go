package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// maxReaders is how many lists and searches run at once.
const maxReaders = 4

// store is the file. One goroutine at a time writes, others read meanwhile.
type store struct {
	writer  *sql.Conn
	stmts   map[string]*sql.Stmt // of writer
	readers *sql.DB
	dbs     []*sql.DB

	place  place
	stones int64           // how far deletions were folded
	cache  map[string]*row // some of the sessions, as they are stored
}

// place is how far the feed was folded. The record there is remembered to tell
// this journal from another; after a leap there is none.
type place struct {
	position int64
	session  string
	seq      uint64
	crc      uint32
}

// staleError says why a file is of no use.
type staleError struct{ why string }

func (e *staleError) Error() string { return e.why }

// isDamage says that the file is of no use and a new one would be.
func isDamage(err error) bool {
	var stale *staleError
	if errors.As(err, &stale) {
		return true
	}
	if errors.Is(err, sql.ErrConnDone) {
		return true // it was thrown away, and no new one could be made
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() & 0xff {
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB, lib.SQLITE_FORMAT:
		return true
	}
	return e.Code() == lib.SQLITE_IOERR_SHORT_READ
}

func openStore(path string) (_ *store, err error) {
	path, err = filepath.Abs(path) // in a URL a relative one would be a host
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	st := &store{stmts: make(map[string]*sql.Stmt), cache: make(map[string]*row)}
	defer func() {
		if err != nil {
			err = errors.Join(err, st.close())
		}
	}()
	// Losing the last transactions to a power cut is no loss: NORMAL. A page of
	// a conversation is read a third faster from pages of this size.
	db, err := st.dial(path, "page_size(8192)", "busy_timeout(5000)", "journal_mode(WAL)", "synchronous(NORMAL)", "journal_size_limit(16777216)", "temp_store(MEMORY)")
	if err != nil {
		return nil, err
	}
	if st.writer, err = db.Conn(context.Background()); err != nil {
		return nil, err
	}
	if err := st.adopt(); err != nil {
		return nil, err
	}
	if st.readers, err = st.dial(path, "busy_timeout(5000)", "query_only(1)"); err != nil {
		return nil, err
	}
	st.readers.SetMaxOpenConns(maxReaders)
	return st, nil
}

func (st *store) dial(path string, pragmas ...string) (*sql.DB, error) {
	name := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{"_pragma": pragmas}.Encode()}
	c, err := sqlite.NewConnector(name.String())
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(c)
	st.dbs = append(st.dbs, db)
	return db, nil
}

// adopt makes the tables in a new file and refuses one that is not of this version.
func (st *store) adopt() error {
	var app, have, tables int64
	for pragma, n := range map[string]*int64{
		"PRAGMA application_id": &app, "PRAGMA user_version": &have, "SELECT count(*) FROM sqlite_schema": &tables,
	} {
		if err := st.queryRow(pragma).Scan(n); err != nil {
			return err
		}
	}
	switch {
	case app == 0 && have == 0 && tables == 0:
		if err := st.create(); err != nil {
			return err
		}
	case app != application:
		return &staleError{"it is not an index"}
	case have != version:
		return &staleError{fmt.Sprintf("it has version %d, not %d", have, version)}
	}
	return st.load()
}

func (st *store) create() error {
	return st.atomically(func() error {
		for _, s := range schema {
			if _, err := st.writer.ExecContext(context.Background(), s); err != nil {
				return err
			}
		}
		return nil
	})
}

// load reads how far the index has come.
func (st *store) load() error {
	p := &st.place
	err := st.queryRow("SELECT position, session, seq, crc FROM place").Scan(&p.position, &p.session, &p.seq, &p.crc)
	if errors.Is(err, sql.ErrNoRows) {
		return &staleError{"its place in the journal is missing"}
	}
	if err != nil {
		return err
	}
	return st.queryRow("SELECT coalesce(max(position), 0) FROM dead").Scan(&st.stones)
}

func (st *store) close() error {
	var errs []error
	for _, s := range st.stmts {
		errs = append(errs, s.Close())
	}
	clear(st.stmts)
	if st.writer != nil {
		errs = append(errs, st.writer.Close())
	}
	for i := range st.dbs {
		errs = append(errs, st.dbs[len(st.dbs)-1-i].Close())
	}
	return errors.Join(errs...)
}

// remove deletes the file and what SQLite keeps beside it.
func remove(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

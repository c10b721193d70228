package index

import (
	"context"
	"database/sql"
)

// prepare gives a statement of the writing connection; each is prepared once.
func (st *store) prepare(query string) (*sql.Stmt, error) {
	if s, ok := st.stmts[query]; ok {
		return s, nil
	}
	s, err := st.writer.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	st.stmts[query] = s
	return s, nil
}

func (st *store) exec(query string, args ...any) error {
	s, err := st.prepare(query)
	if err != nil {
		return err
	}
	_, err = s.Exec(args...)
	return err
}

// queryRow asks for one row through the writing connection, which sees what
// its transaction has written.
func (st *store) queryRow(query string, args ...any) scanner {
	s, err := st.prepare(query)
	if err != nil {
		return failed{err}
	}
	return s.QueryRow(args...)
}

type scanner interface{ Scan(dest ...any) error }

type failed struct{ err error }

func (f failed) Scan(...any) error { return f.err }

// atomically runs do in one transaction.
func (st *store) atomically(do func() error) error {
	if err := st.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := do()
	if err == nil {
		err = st.exec("COMMIT")
	}
	if err != nil {
		// SQLite has rolled back by itself after some errors; a second
		// rollback only says so.
		_ = st.exec("ROLLBACK")
	}
	return err
}

package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"

	modernc "modernc.org/sqlite"
)

// conn is one connection to the database, used by one goroutine at a time. It
// sits on the driver itself: database/sql would copy every frame once more and
// lock on every statement.
type conn struct {
	raw   driver.Conn
	stmts map[string]driver.Stmt // every statement is prepared once
	args  []driver.NamedValue    // reused from call to call
}

// dial opens a connection and runs its pragmas.
func dial(path string, pragmas ...string) (*conn, error) {
	name := url.URL{Scheme: "file", Path: path}
	raw, err := new(modernc.Driver).Open(name.String())
	if err != nil {
		return nil, err
	}
	c := &conn{raw: raw, stmts: make(map[string]driver.Stmt)}
	for _, p := range pragmas {
		if err := c.pragma(p); err != nil {
			return nil, errors.Join(err, c.close())
		}
	}
	return c, nil
}

func (c *conn) pragma(p string) error {
	return c.query(context.Background(), "PRAGMA "+p, func([]driver.Value) error { return nil })
}

func (c *conn) prepare(sql string) (driver.Stmt, error) {
	if s, ok := c.stmts[sql]; ok {
		return s, nil
	}
	s, err := c.raw.Prepare(sql)
	if err != nil {
		return nil, err
	}
	c.stmts[sql] = s
	return s, nil
}

// exec runs a statement and says how many rows it changed.
func (c *conn) exec(sql string, args ...driver.Value) (int64, error) {
	s, err := c.prepare(sql)
	if err != nil {
		return 0, err
	}
	res, err := s.(driver.StmtExecContext).ExecContext(context.Background(), c.named(args))
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// query calls row with each row. The values are the caller's to keep, the
// slice that holds them is not.
func (c *conn) query(ctx context.Context, sql string, row func([]driver.Value) error, args ...driver.Value) (err error) {
	s, err := c.prepare(sql)
	if err != nil {
		return err
	}
	rows, err := s.(driver.StmtQueryContext).QueryContext(ctx, c.named(args))
	if err != nil {
		return err
	}
	defer func() {
		// After an error, closing gives the same one again.
		if e := rows.Close(); err == nil {
			err = e
		}
	}()
	values := make([]driver.Value, len(rows.Columns()))
	for {
		if err := rows.Next(values); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := row(values); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// integer runs a query for one number; there may be none, or a NULL.
func (c *conn) integer(sql string, args ...driver.Value) (n int64, ok bool, err error) {
	err = c.query(context.Background(), sql, func(v []driver.Value) error {
		n, ok = v[0].(int64)
		return nil
	}, args...)
	return n, ok, err
}

func (c *conn) named(args []driver.Value) []driver.NamedValue {
	c.args = c.args[:0]
	for i, a := range args {
		if n, ok := a.(int); ok {
			a = int64(n) // the only whole number that the driver takes
		}
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	return c.args
}

func (c *conn) close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.raw.Close())...)
}

// blob makes a value of bytes: the driver takes an empty slice for NULL.
func blob(b []byte) driver.Value {
	if len(b) == 0 {
		return ""
	}
	return b
}

// bytesOf is blob's way back.
func bytesOf(v driver.Value) []byte {
	switch v := v.(type) {
	case []byte:
		return v
	case string:
		return []byte(v)
	}
	return nil
}

// A column that holds another type than was written is damage; these two say
// so instead of reading a zero.
func integerOf(v driver.Value) (int64, error) {
	n, ok := v.(int64)
	if !ok {
		return 0, fmt.Errorf("a number was stored, %T was found", v)
	}
	return n, nil
}

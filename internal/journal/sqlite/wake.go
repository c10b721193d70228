package sqlite

import (
	"context"
	"database/sql/driver"
	"math"
	"time"
)

// wakeOf is a time as the database keeps it: unix nanoseconds, which reach
// from 1678 to 2262; a time beyond is the nearest of them.
func wakeOf(t time.Time) int64 {
	switch {
	case t.IsZero():
		return never
	case t.Before(time.Unix(0, never+1)):
		return never + 1
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	}
	return t.UnixNano()
}

func wakeTime(ns int64) time.Time {
	if ns == never {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}

func wakeValue(ns int64) driver.Value {
	if ns == never {
		return nil
	}
	return ns
}

func wakeColumn(v driver.Value) int64 {
	if ns, ok := v.(int64); ok {
		return ns
	}
	return never
}

// Due gives the sessions whose wake time lies in (after, until], earliest
// first, and the earliest wake time after until.
func (j *Journal) Due(ctx context.Context, after, until time.Time) (sessions []string, next time.Time, err error) {
	from, to := wakeOf(after), wakeOf(until)
	err = j.read(ctx, func(c *conn) error {
		return c.snapshot(func() error {
			err := c.query(ctx, "SELECT id FROM sessions WHERE wake > ? AND wake <= ? ORDER BY wake, key", func(v []driver.Value) error {
				sessions = append(sessions, string(bytesOf(v[0])))
				return nil
			}, from, to)
			if err != nil {
				return err
			}
			return c.query(ctx, "SELECT min(wake) FROM sessions WHERE wake > ?", func(v []driver.Value) error {
				next = wakeTime(wakeColumn(v[0]))
				return nil
			}, max(from, to))
		})
	})
	if err != nil {
		return nil, time.Time{}, err
	}
	return sessions, next, nil
}

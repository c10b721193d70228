package protocol

import (
	"encoding/json"
	"fmt"
	"time"
)

// Time is an instant on the wire: RFC 3339 in UTC with milliseconds.
type Time struct{ time.Time }

// At gives the wire's view of t: UTC, whole milliseconds.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

func (t Time) MarshalJSON() ([]byte, error) {
	return t.append(make([]byte, 0, 32)), nil
}

func (t Time) append(b []byte) []byte {
	if t.IsZero() {
		return append(b, "null"...)
	}
	b = append(b, '"')
	b = t.UTC().AppendFormat(b, time.RFC3339) // the one layout that time formats fast
	ms := t.Nanosecond() / int(time.Millisecond)
	return append(b[:len(b)-1], '.', '0'+byte(ms/100), '0'+byte(ms/10%10), '0'+byte(ms%10), 'Z', '"')
}

// UnmarshalJSON takes any RFC 3339 instant. One without a zone, as many clients
// print it, is read as UTC.
func (t *Time) UnmarshalJSON(b []byte) error {
	var s *string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	if s == nil || *s == "" {
		*t = Time{}
		return nil
	}
	v, err := time.Parse(time.RFC3339Nano, *s)
	if err != nil {
		if v, err = time.Parse("2006-01-02T15:04:05.999999999", *s); err != nil {
			return err
		}
	}
	if v = v.UTC(); v.Year() < 0 || v.Year() > 9999 {
		return fmt.Errorf("time %q is not within the years that RFC 3339 can write", clip(*s, 40))
	}
	*t = Time{v}
	return nil
}

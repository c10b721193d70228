package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Event is one server-sent event.
type Event struct {
	Name string
	Data []byte
}

// longest line of an event that is read; an encrypted thought may be large.
const longest = 16 << 20

var errLong = errors.New("a line of the stream is too long")

// reader takes events from a stream. Lines may end in \n or \r\n, comments keep
// the connection alive and mean nothing, and the bytes of a character may come in
// different packets.
type reader struct {
	in    io.Reader
	lines *bufio.Reader
}

// next gives the next event with data; io.EOF when there are no more. An event
// that the end of the stream cut is given, as far as its lines are whole: some
// servers leave out the last empty line.
func (r *reader) next() (Event, error) {
	if r.lines == nil {
		r.lines = bufio.NewReaderSize(r.in, 32<<10)
	}
	var e Event
	some := false
	for {
		line, err := r.line()
		if err != nil {
			if errors.Is(err, io.EOF) && some {
				return e, nil
			}
			return Event{}, err
		}
		if len(line) == 0 {
			if some {
				return e, nil
			}
			e = Event{}
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			e.Name = string(value)
		case "data":
			if some {
				e.Data = append(e.Data, '\n')
			}
			e.Data = append(e.Data, value...)
			some = true
		}
	}
}

// line reads one line without its end. A line that the stream's end cut is not
// one.
func (r *reader) line() ([]byte, error) {
	var whole []byte
	for {
		part, err := r.lines.ReadSlice('\n')
		if whole == nil && err == nil {
			return bytes.TrimRight(part, "\r\n"), nil
		}
		whole = append(whole, part...)
		switch {
		case err == nil:
			return bytes.TrimRight(whole, "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(whole) > longest:
			return nil, errLong
		}
	}
}

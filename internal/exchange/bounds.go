package exchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// checkValue refuses a JSON value that could harm whoever reads it later.
func checkValue(raw []byte, most int) error {
	if !utf8.Valid(raw) {
		return errors.New("it is not valid UTF-8")
	}
	depth, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > most {
				return fmt.Errorf("it is nested deeper than %d levels", most)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// lines reads a text line by line, none longer than a limit.
type lines struct {
	scanner *bufio.Scanner
	number  int // of the current line, from 1
}

func newLines(r io.Reader, most int64) *lines {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 64<<10), int(most))
	return &lines{scanner: s}
}

func (l *lines) next() bool {
	if !l.scanner.Scan() {
		return false
	}
	l.number++
	return true
}

// bytes is the current line; the next call of next overwrites it.
func (l *lines) bytes() []byte { return bytes.TrimSuffix(l.scanner.Bytes(), []byte{'\r'}) }

func (l *lines) err() error {
	if err := l.scanner.Err(); errors.Is(err, bufio.ErrTooLong) {
		return errors.New("the line is too long; nothing after it was read")
	} else if err != nil {
		return fmt.Errorf("the file cannot be read on: %w", err)
	}
	return nil
}

// skip counts the lines that are left.
func (l *lines) skip() (n int) {
	for l.next() {
		n++
	}
	return n
}

// elements visits the entries of a file that is one JSON list.
func elements(r io.Reader, file string, l Limits, report *Report, visit func(index int, raw json.RawMessage) error) {
	dec := json.NewDecoder(r)
	if err := entries(dec, file, l, report, visit); err != nil {
		report.Add(file, "%v", err)
	} else if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		report.Add(file, "what follows the list is left out")
	}
}

// entries visits the entries of a JSON list one by one. What is wrong with an
// entry is reported and leaves it out; what is wrong with the list ends it.
func entries(dec *json.Decoder, file string, l Limits, report *Report, visit func(index int, raw json.RawMessage) error) error {
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return errors.New("there is no JSON list where one must be")
	}
	i := 0
	for ; dec.More(); i++ {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return fmt.Errorf("from entry %d on the list cannot be read: %w", i, err)
		}
		err := checkValue(raw, l.Depth)
		if err == nil && int64(len(raw)) > l.Frame {
			err = fmt.Errorf("it has %d bytes; at most %d are taken", len(raw), l.Frame)
		}
		if err == nil {
			err = visit(i, raw)
		}
		if err != nil {
			report.entry(file, i, "left out: %v", err)
		}
	}
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("the list breaks off after %d entries: %w", i, err)
	}
	return nil
}

// members visits the members of a JSON object; visit decodes the value.
func members(r io.Reader, visit func(key string, dec *json.Decoder) error) error {
	dec := json.NewDecoder(r)
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errors.New("it is not a JSON object")
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		if err := visit(name, dec); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

// errTooLarge says that a file is longer than it may be.
var errTooLarge = errors.New("it is longer than is taken")

// bounded fails, other than io.LimitReader, when there is more than n bytes.
type bounded struct {
	r io.Reader
	n int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.n < 0 {
		return 0, errTooLarge
	}
	if int64(len(p)) > b.n+1 {
		p = p[:b.n+1]
	}
	n, err := b.r.Read(p)
	if b.n -= int64(n); b.n < 0 {
		return n - 1, errTooLarge
	}
	return n, err
}

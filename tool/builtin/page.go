package builtin

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// maxCounted is how far a file is read on, to say how many lines it has.
const maxCounted = 64 << 20

// page is a part of a file, as text, with what a reader has to know beside it.
type page struct {
	text     strings.Builder
	notes    []string
	size     int64
	lines    int // in the text
	complete bool

	next   int // the first line after the text, if that is not the last of the file
	total  int // lines of the file; 0 if they were not counted
	crlf   int // of the lines in the text
	broken int
	cut    int
}

// readPage reads the lines that were asked for. start is how the file begins.
func readPage(r *bufio.Reader, start []byte, size int64, in readInput) (*page, error) {
	p := &page{size: size}
	encoding := ""
	switch {
	case size == 0 && len(start) == 0:
		p.complete = true
		p.note("the file is empty")
		return p, nil
	case isBinary(start):
		p.note("a binary file of %d bytes (%s), not shown; use run_command with a program made for it", size, http.DetectContentType(start))
		return p, nil
	case isUTF16(start):
		encoding = "it is written in UTF-16, which edit_file cannot change"
		decoder := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder()
		r = bufio.NewReaderSize(transform.NewReader(r, decoder), 64<<10)
	case bytes.HasPrefix(start, bom):
		encoding = "it begins with a byte order mark"
		_, _ = r.Discard(len(bom)) // it has been peeked at
	}
	last, err := p.read(r, in)
	if err != nil {
		return nil, err
	}
	p.describe(in, last)
	if encoding != "" {
		p.note("%s", encoding)
	}
	return p, nil
}

var bom = []byte("\xef\xbb\xbf")

// isUTF16 tells it by its byte order mark. The mark of UTF-32 begins alike.
func isUTF16(start []byte) bool {
	return bytes.HasPrefix(start, []byte{0xfe, 0xff}) ||
		bytes.HasPrefix(start, []byte{0xff, 0xfe}) && !bytes.HasPrefix(start, []byte{0xff, 0xfe, 0, 0})
}

// read takes lines and gives the last one that it saw.
func (p *page) read(r *bufio.Reader, in readInput) (last line, err error) {
	seen := 0
	for n := 1; ; n++ {
		l, err := nextLine(r)
		if errors.Is(err, io.EOF) {
			p.total = n - 1
			return last, nil
		}
		if err != nil {
			return last, err
		}
		last, seen = l, seen+l.size
		if n >= in.first() && p.next == 0 && (p.lines == in.most() || !p.add(l, n, in.Numbered)) {
			p.next = n
		}
		if p.next > 0 && seen > maxCounted {
			return last, nil
		}
	}
}

// add takes a line; it gives false if there is no room for it.
func (p *page) add(l line, n int, numbered bool) bool {
	text := string(l.start)
	valid := strings.ToValidUTF8(text, "\uFFFD")
	if len(l.start) < l.size-len(l.ending) {
		valid = fmt.Sprintf("%s [… %d more bytes in this line]", valid, l.size-len(l.ending)-len(l.start))
	}
	if numbered {
		valid = fmt.Sprintf("%6d\t%s", n, valid)
	}
	if l.ending != "" {
		valid += "\n"
	}
	if p.text.Len()+len(valid) > readText {
		return false
	}
	p.text.WriteString(valid)
	p.lines++
	if l.ending == "\r\n" {
		p.crlf++
	}
	if strings.ToValidUTF8(text, "") != text {
		p.broken++
	}
	if len(l.start) < l.size-len(l.ending) {
		p.cut++
	}
	return true
}

func (p *page) describe(in readInput, last line) {
	first := in.first()
	p.complete = first == 1 && p.next == 0 && p.cut == 0
	switch {
	case p.lines == 0 && p.next == 0:
		p.note("the file has only %d lines", p.total)
	case p.next > 0 && p.total == 0:
		p.note("lines %d to %d of many; go on with offset %d", first, p.next-1, p.next)
	case p.next > 0:
		p.note("lines %d to %d of %d; go on with offset %d", first, p.next-1, p.total, p.next)
	case first > 1:
		p.note("lines %d to %d, the end of the file", first, p.total)
	}
	if p.crlf > 0 && p.crlf >= p.lines-1 {
		p.note("the lines end in CRLF, which edit_file keeps")
	} else if p.crlf > 0 {
		p.note("%d of these lines end in CRLF, the others in LF", p.crlf)
	}
	if p.next == 0 && p.lines > 0 && last.ending == "" {
		p.note("no newline at the end of the file")
	}
	if p.broken > 0 {
		p.note("%d lines hold bytes that are not UTF-8, shown as U+FFFD", p.broken)
	}
	if p.cut > 0 {
		p.note("%d long lines were cut", p.cut)
	}
}

func (p *page) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// line is the beginning of a line, and how long it is with its ending.
type line struct {
	start  []byte
	size   int
	ending string
}

// nextLine reads a line of any length and keeps no more of it than is shown.
func nextLine(r *bufio.Reader) (line, error) {
	var l line
	for {
		piece, err := r.ReadSlice('\n')
		l.size += len(piece)
		// Two more than are shown, which may be the ending.
		if room := readLine + 2 - len(l.start); room > 0 {
			l.start = append(l.start, piece[:min(room, len(piece))]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && (l.size == 0 || !errors.Is(err, io.EOF)) {
			return l, err
		}
		switch {
		case bytes.HasSuffix(piece, []byte("\r\n")) || len(piece) == 1 && err == nil && bytes.HasSuffix(l.start, []byte("\r\n")):
			l.ending = "\r\n"
		case err == nil:
			l.ending = "\n"
		}
		keep := min(len(l.start), l.size-len(l.ending))
		if keep > readLine { // by whole characters
			keep = wholeRunes(l.start[:readLine])
		}
		l.start = l.start[:keep]
		return l, nil
	}
}

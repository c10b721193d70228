package builtin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// walk searches the files of a folder one after the other.
func (h *hunt) walk(ctx context.Context) error {
	var failed error
	w := &walk{root: h.place.root, deep: true, most: maxEntries, hides: h.place.hides, visit: func(e entry) bool {
		if !e.Type().IsRegular() || !h.wants(e.path) {
			return true
		}
		more, err := h.file(ctx, e.path)
		if failed = ctx.Err(); failed != nil {
			return false
		}
		return more || err != nil // what cannot be read is passed over
	}}
	if err := w.folder(ctx, h.folder); err != nil {
		return err
	}
	if w.full {
		h.notes = append(h.notes, fmt.Sprintf("only the first %d entries were looked at", w.most))
	}
	return failed
}

// file searches one; it gives false when there is no room for more.
func (h *hunt) file(ctx context.Context, name string) (bool, error) {
	f, size, err := openFile(h.place.root, name)
	if err != nil || size > maxSearched {
		return true, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(untilDone{ctx, f}, 64<<10)
	start, _ := r.Peek(sniffed)
	if bytes.IndexByte(start, 0) >= 0 {
		return true, nil
	}
	return h.lines(r, name)
}

// lines gives those that match, with their context.
func (h *hunt) lines(r *bufio.Reader, name string) (bool, error) {
	var waiting []string // lines that may become context of a match
	after := 0           // lines of context still to be given
	for n := 1; ; n++ {
		text, err := r.ReadBytes('\n')
		if len(text) == 0 && err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return true, err
		}
		text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
		switch {
		case h.match.Match(text):
			for i, line := range waiting {
				if !h.give(name, n-len(waiting)+i, line, false) {
					return false, nil
				}
			}
			if !h.give(name, n, string(text), true) {
				return false, nil
			}
			waiting, after = nil, h.in.Context
		case after > 0:
			after--
			if !h.give(name, n, string(text), false) {
				return false, nil
			}
		case h.in.Context > 0:
			if waiting = append(waiting, string(text)); len(waiting) > h.in.Context {
				waiting = waiting[1:]
			}
		}
	}
}

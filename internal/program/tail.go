package program

import (
	"bytes"
	"strings"
	"sync"
)

const (
	// keptErrors is how much of a program's complaints is kept, and shownErrors
	// how much is told.
	keptErrors  = 2 << 10
	shownErrors = 600
)

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if extra := len(t.kept) - keptErrors; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	return len(b), nil
}

// last is the end of it, by whole lines if there are several.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := bytes.TrimSpace(t.kept)
	if len(text) > shownErrors {
		text = text[len(text)-shownErrors:]
		if _, rest, ok := bytes.Cut(text, []byte("\n")); ok {
			text = rest
		}
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}

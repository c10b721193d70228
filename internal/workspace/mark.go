package workspace

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A mark says that a call is about to change files, and what they were: a file in
// "marks", there as long as the call is under way. If the process dies meanwhile,
// whoever takes over finds in it where the call began. It is not synced: it is
// there to outlive a process, and a machine that loses power loses what the call
// wrote as well.

const marksName = "marks"

type markFile struct {
	Before string   `json:"before"`
	Paths  [][]byte `json:"paths"` // in any bytes; null is all
}

func (w *Workspace) markPath(session, call string) string {
	return filepath.Join(w.dir, marksName, hex.EncodeToString([]byte(session))+"-"+hex.EncodeToString([]byte(call)))
}

// mark writes down that a call is about to change what began holds in Before.
func (w *Workspace) mark(session, call string, began Step) error {
	m := markFile{Before: began.Before}
	for _, p := range began.Paths {
		m.Paths = append(m.Paths, []byte(p))
	}
	content, err := json.Marshal(m)
	if err != nil {
		return err
	}
	p := w.markPath(session, call)
	err = os.WriteFile(p, content, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(p), 0o700); err == nil {
			err = os.WriteFile(p, content, 0o600)
		}
	}
	if err != nil {
		return fmt.Errorf("note that a call is under way in %s: %w", w.folder, err)
	}
	return nil
}

// marked gives where a call began that did not get to its end.
func (w *Workspace) marked(session, call string) (began Step, ok bool) {
	content, err := os.ReadFile(w.markPath(session, call))
	var m markFile
	if err != nil || json.Unmarshal(content, &m) != nil || m.Before == "" {
		return Step{}, false
	}
	began.Before = m.Before
	for _, p := range m.Paths {
		began.Paths = append(began.Paths, string(p))
	}
	return began, true
}

// Recorded says that a call has come to its end, and that whoever asks next knows.
func (w *Workspace) Recorded(session, call string) { _ = os.Remove(w.markPath(session, call)) }

// markLasts is how long a call that was cut off waits for its session to be opened.
const markLasts = 90 * 24 * time.Hour

// sweepMarks removes those of calls that nobody asked about any more.
func (w *Workspace) sweepMarks(before time.Time) error {
	entries, err := os.ReadDir(filepath.Join(w.dir, marksName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if info, e := entry.Info(); e == nil && info.ModTime().Before(before) {
			err = errors.Join(err, os.Remove(filepath.Join(w.dir, marksName, entry.Name())))
		}
	}
	return err
}

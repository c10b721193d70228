package builtin

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

const (
	maxDiffed = 1 << 20  // of each side
	maxDiff   = 48 << 10 // what is shown
)

// diff shows what changes in a file, as a unified diff.
func diff(old content, text []byte) string {
	before, after := "a/"+plain(old.name), "b/"+plain(old.name)
	if old.info == nil {
		before = "/dev/null"
	}
	switch {
	case old.info != nil && bytes.Equal(old.text, text):
		return fmt.Sprintf("%s stays as it is\n", plain(old.name))
	case old.info == nil && len(text) == 0:
		return fmt.Sprintf("%s is created, empty\n", plain(old.name))
	case len(old.text) > maxDiffed || len(text) > maxDiffed || isBinary(old.text[:min(len(old.text), sniffed)]):
		return fmt.Sprintf("--- %s\n+++ %s\n%d bytes become %d\n", before, after, len(old.text), len(text))
	}
	out := udiff.Unified(before, after, strings.ToValidUTF8(string(old.text), "\uFFFD"), strings.ToValidUTF8(string(text), "\uFFFD"))
	if len(out) <= maxDiff {
		return out
	}
	n := maxDiff
	for !utf8.RuneStart(out[n]) {
		n--
	}
	return fmt.Sprintf("%s\n[… %d more bytes of the difference]\n", out[:n], len(out)-n)
}

// changedLines counts what a diff adds and takes away.
func changedLines(diff string) (added, removed int) {
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return added, removed
}

package workspace

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Unified is the difference as `git apply` reads it. Of a binary file, and of one
// that is too large, it says only that it differs.
func (d FileDiff) Unified() string {
	if d.Change == Retyped { // one goes, another comes
		gone, come := d, d
		gone.Change, gone.AfterMode, gone.Patch = Deleted, "", ""
		come.Change, come.BeforeMode, come.Patch = Added, "", ""
		if d.Before != nil && d.After != nil {
			gone.Patch, come.Patch = udiff.Unified("a", "b", *d.Before, ""), udiff.Unified("a", "b", "", *d.After)
		}
		return gone.Unified() + come.Unified()
	}
	old := d.Path
	if d.OldPath != "" {
		old = d.OldPath
	}
	from, to := patchName("a/"+old), patchName("b/"+d.Path)
	var b strings.Builder
	fmt.Fprintf(&b, "diff --git %s %s\n", from, to)
	switch {
	case d.BeforeMode == "":
		fmt.Fprintf(&b, "new file mode %s\n", d.AfterMode)
		from = "/dev/null"
	case d.AfterMode == "":
		fmt.Fprintf(&b, "deleted file mode %s\n", d.BeforeMode)
		to = "/dev/null"
	case d.BeforeMode != d.AfterMode:
		fmt.Fprintf(&b, "old mode %s\nnew mode %s\n", d.BeforeMode, d.AfterMode)
	}
	if d.OldPath != "" {
		fmt.Fprintf(&b, "rename from %s\nrename to %s\n", patchName(d.OldPath), patchName(d.Path))
	}
	if d.Binary || d.TooLarge {
		fmt.Fprintf(&b, "Binary files %s and %s differ\n", from, to)
		return b.String()
	}
	if _, hunks, ok := strings.Cut(d.Patch, "\n@@ "); ok { // what is before it are the names
		fmt.Fprintf(&b, "--- %s\n+++ %s\n@@ %s", from, to, hunks)
	}
	return b.String()
}

// patchName is a path in a patch: quoted if it has to be.
func patchName(path string) string {
	for i := range len(path) {
		if c := path[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return quote(path)
		}
	}
	return path
}

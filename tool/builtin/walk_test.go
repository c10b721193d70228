package builtin

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// A folder without end is not read to its end.
func TestWalkLooksAtSoMany(t *testing.T) {
	dir := t.TempDir()
	for i := range 20 {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for most, full := range map[int]bool{7: true, 20: true, 21: false} {
		visited := 0
		w := &walk{root: root, most: most, visit: func(entry) bool { visited++; return true }}
		if err := w.folder(t.Context(), "."); err != nil {
			t.Fatal(err)
		}
		if visited != min(most, 20) || w.full != full {
			t.Errorf("at most %d: %d were visited, full is %v", most, visited, w.full)
		}
	}
}

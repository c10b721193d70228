//go:build unix && !linux

package builtin

import (
	"os"
	"path/filepath"
)

// pathTo is the path of an open folder. These systems start no process in a
// folder that is known by its handle.
func pathTo(dir *os.File) string { return dir.Name() }

// realPath is where an open folder is, free of symbolic links.
func realPath(dir *os.File) string {
	path, err := filepath.EvalSymlinks(dir.Name())
	if err != nil {
		return dir.Name()
	}
	return path
}

// machineMemory is not asked for.
func machineMemory() int64 { return 0 }

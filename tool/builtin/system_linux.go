package builtin

import (
	"os"
	"strconv"
	"syscall"
)

// pathTo names an open folder so that a process to be started gets just that one,
// wherever its path leads by then.
func pathTo(dir *os.File) string {
	path := "/proc/self/fd/" + strconv.Itoa(int(dir.Fd()))
	if _, err := os.Stat(path); err != nil { // no /proc here
		return dir.Name()
	}
	return path
}

// realPath is where an open folder is now, free of symbolic links.
func realPath(dir *os.File) string {
	path, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(dir.Fd())))
	if err != nil {
		return dir.Name()
	}
	return path
}

// machineMemory is what the machine has.
func machineMemory() int64 {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return 0
	}
	return int64(info.Totalram) * int64(info.Unit) // 32 bits on some machines
}

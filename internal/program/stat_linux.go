package program

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// allProcesses lists the numbers of all there are.
func allProcesses() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var out []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid > 1 {
			out = append(out, pid)
		}
	}
	return out
}

// stat is what the system says of a process.
type stat struct {
	dead    bool // it has ended, and nobody has asked how
	parent  int
	group   int
	session int
	born    uint64 // in ticks of the system
	pages   int64  // resident
}

func readStat(pid int) (stat, bool) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, false
	}
	// The name stands in brackets and may hold anything, brackets too.
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	if len(fields) < 22 {
		return stat{}, false
	}
	var s stat
	s.dead = fields[0] == "Z" || fields[0] == "X"
	s.parent, _ = strconv.Atoi(fields[1])
	s.group, _ = strconv.Atoi(fields[2])
	s.session, _ = strconv.Atoi(fields[3])
	s.born, _ = strconv.ParseUint(fields[19], 10, 64)
	s.pages, _ = strconv.ParseInt(fields[21], 10, 64)
	return s, true
}

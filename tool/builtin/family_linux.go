package builtin

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// family is a command and all that it started: what is in its session, and what
// carries its mark in the environment. Children inherit both; a daemon leaves the
// session but seldom drops the environment.
type family struct {
	id   int    // of the process, its group and its session
	mark string // how the mark stands in an environment
	born uint64 // when the command began; nothing older belongs to it
	// known are members that were seen, by number, with when they began. A
	// process that is dying loses its environment before its files.
	known map[int]uint64
	// outer says that the process holds the command and ends when that has: it
	// is not asked to end, and takes all with it when it is killed.
	outer bool
}

// newFamily is of a process that nobody has waited for yet.
func newFamily(pid int, mark string, outer bool) *family {
	f := &family{id: pid, mark: markName + "=" + mark, known: map[int]uint64{}, outer: outer}
	if p, ok := readStat(pid); ok {
		f.born = p.born
	}
	return f
}

// signal sends it once to every living member and says whether there was any.
func (f *family) signal(sig syscall.Signal) bool {
	all := allProcesses()
	if all == nil { // no /proc here: the group is all we know
		return syscall.Kill(-f.id, sig) == nil
	}
	members := slices.DeleteFunc(all, func(pid int) bool { _, ok := f.find(pid); return !ok })
	if !f.outer || sig == syscall.SIGKILL {
		_ = syscall.Kill(-f.id, sig) // the group at once, as no list can
	}
	found := false
	for _, pid := range members {
		found = f.send(pid, sig) || found
	}
	return found
}

// send reaches a member outside of the group. It says whether the process can be
// reached at all; one that has ended by now could.
func (f *family) send(pid int, sig syscall.Signal) bool {
	// A handle first and then another look, so that the signal never goes to
	// another process that got the same number.
	p, err := os.FindProcess(pid)
	if err != nil {
		return true
	}
	defer p.Release()
	s, ok := f.find(pid)
	if !ok {
		return true
	}
	switch {
	case f.outer && pid == f.id && sig != syscall.SIGKILL:
		sig = 0 // it ends with the others
	case !f.outer && s.group == f.id:
		sig = 0 // it has had it
	}
	return !errors.Is(p.Signal(sig), syscall.EPERM)
}

// find looks a process up, if it lives and is a member.
func (f *family) find(pid int) (stat, bool) {
	s, ok := readStat(pid)
	if !ok || s.dead || s.born < f.born {
		return s, false
	}
	born, known := f.known[pid]
	if s.session == f.id || known && born == s.born || f.parent(s) || f.marks(pid) {
		f.known[pid] = s.born
		return s, true
	}
	return s, false
}

// parent says whether the process that started this one is a member.
func (f *family) parent(s stat) bool {
	_, known := f.known[s.parent]
	return known
}

// usage says how many members live, and how much memory they hold.
func (f *family) usage() (processes int, memory int64) {
	for _, pid := range allProcesses() {
		s, ok := readStat(pid)
		if !ok || s.dead || s.born < f.born {
			continue
		}
		if born, known := f.known[pid]; s.session == f.id || known && born == s.born || f.parent(s) {
			f.known[pid] = s.born
			processes++
			memory += s.pages * int64(os.Getpagesize())
		}
	}
	return processes, memory
}

func (f *family) marks(pid int) bool {
	// A process that is just becoming another program has no environment for
	// a moment.
	for range 5 {
		env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if err != nil || len(env) > 0 {
			return bytes.Contains(env, []byte(f.mark))
		}
		time.Sleep(200 * time.Microsecond)
	}
	return false
}

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

// attributes give a command a session of its own, one group to be stopped; and have
// it end with the server, should that be killed.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// machineMemory is what the machine has.
func machineMemory() int64 {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return 0
	}
	return int64(info.Totalram) * int64(info.Unit) // 32 bits on some machines
}

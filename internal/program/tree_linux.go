package program

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// members are the processes of a tree: what is in the command's session, and what
// carries its mark in the environment. Children inherit both; a daemon leaves the
// session but seldom drops the environment.
type members struct {
	id   int    // of the command, its group and its session
	born uint64 // when the command began; nothing older belongs to it
	// known are members that were seen, by number, with when they began. A
	// process that is dying loses its environment before its files.
	known map[int]uint64
}

func (m *members) root(pid int) {
	m.id, m.known = pid, map[int]uint64{}
	if p, ok := readStat(pid); ok {
		m.born = p.born
	}
}

// attributes give a command a session of its own, one group to be stopped; and have
// it end with us, should we be killed.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// signal sends it once to every living member and says whether there was any.
func (t *Tree) signal(sig syscall.Signal) bool {
	all := allProcesses()
	if all == nil { // no /proc here: the group is all we know
		return syscall.Kill(-t.id, sig) == nil
	}
	living := slices.DeleteFunc(all, func(pid int) bool { _, ok := t.find(pid); return !ok })
	if !t.Outer || sig == syscall.SIGKILL {
		_ = syscall.Kill(-t.id, sig) // the group at once, as no list can
	}
	found := false
	for _, pid := range living {
		found = t.send(pid, sig) || found
	}
	return found
}

// send reaches a member outside of the group. It says whether the process can be
// reached at all; one that has ended by now could.
func (t *Tree) send(pid int, sig syscall.Signal) bool {
	// A handle first and then another look, so that the signal never goes to
	// another process that got the same number.
	p, err := os.FindProcess(pid)
	if err != nil {
		return true
	}
	defer p.Release()
	s, ok := t.find(pid)
	if !ok {
		return true
	}
	switch {
	case t.Outer && pid == t.id && sig != syscall.SIGKILL:
		sig = 0 // it ends with the others
	case !t.Outer && s.group == t.id:
		sig = 0 // it has had it
	}
	return !errors.Is(p.Signal(sig), syscall.EPERM)
}

// find looks a process up, if it lives and is a member.
func (t *Tree) find(pid int) (stat, bool) {
	s, ok := readStat(pid)
	if !ok || s.dead || s.born < t.born {
		return s, false
	}
	if t.seen(pid, s) || t.marks(pid) {
		t.known[pid] = s.born
		return s, true
	}
	return s, false
}

// seen says whether a process is in the session, or was a member before, or the
// one that started it was.
func (m *members) seen(pid int, s stat) bool {
	born, known := m.known[pid]
	_, child := m.known[s.parent]
	return s.session == m.id || known && born == s.born || child
}

func (t *Tree) marks(pid int) bool {
	// A process that is just becoming another program has no environment for
	// a moment.
	for range 5 {
		env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if err != nil || len(env) > 0 {
			return bytes.Contains(env, []byte(t.mark))
		}
		time.Sleep(200 * time.Microsecond)
	}
	return false
}

// Usage says how many members live, and how much memory they hold. Those that
// left the session are not looked for anew.
func (t *Tree) Usage() (processes int, memory int64) {
	for _, pid := range allProcesses() {
		s, ok := readStat(pid)
		if !ok || s.dead || s.born < t.born || !t.seen(pid, s) {
			continue
		}
		t.known[pid] = s.born
		processes++
		memory += s.pages * int64(os.Getpagesize())
	}
	return processes, memory
}

package acp

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tree is a process and all that it started: what is in its session, and what
// carries its mark in the environment. Children inherit both; a daemon leaves the
// session but seldom drops the environment.
type tree struct {
	id   int    // of the process, its group and its session
	mark []byte // how the mark stands in an environment
}

func newTree(p *os.Process, mark string) *tree {
	return &tree{id: p.Pid, mark: []byte(markName + "=" + mark)}
}

// attributes give an agent a session of its own, and have it end with us, should
// we be killed.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// ask asks every process to end.
func (t *tree) ask() { t.signal(syscall.SIGTERM) }

// kill ends every process, until there was none twice in a row or the time is
// over. Once is not enough: one may be born while the others are looked for.
func (t *tree) kill(within time.Duration) {
	deadline := time.Now().Add(within)
	for empty := 0; empty < 2 && time.Now().Before(deadline); {
		if t.signal(syscall.SIGKILL) {
			empty = 0
			time.Sleep(5 * time.Millisecond)
			continue
		}
		empty++
	}
}

// signal sends it to every living member and says whether there was any.
func (t *tree) signal(sig syscall.Signal) (found bool) {
	names, err := os.ReadDir("/proc")
	if err != nil { // no /proc here: the group is all we know
		return syscall.Kill(-t.id, sig) == nil
	}
	for _, entry := range names {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || !t.has(pid) {
			continue
		}
		// A handle first and then another look, so that the signal never goes
		// to another process that got the same number.
		p, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		if t.has(pid) && p.Signal(sig) == nil {
			found = true
		}
		_ = p.Release()
	}
	return found
}

// has says whether a process lives and is a member.
func (t *tree) has(pid int) bool {
	if pid <= 1 || pid == os.Getpid() {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	// The name stands in brackets and may hold anything, brackets too. After it
	// come the state, the parent, the group and the session.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 4 || fields[0] == "Z" || fields[0] == "X" {
		return false
	}
	if fields[3] == strconv.Itoa(t.id) {
		return true
	}
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(env, t.mark)
}

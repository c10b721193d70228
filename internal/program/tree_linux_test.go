package program_test

import (
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/program"
)

// A daemon leaves session, group and parent behind, and does not end when asked.
func TestCloseEndsDaemons(t *testing.T) {
	cmd, held := shell(t, `exec 3>"$1"; (setsid sh -c 'trap "" TERM; echo ready >&3; sleep 1000; sleep 1000' >/dev/null 2>&1 </dev/null &); cat >/dev/null`)
	p := start(t, cmd)
	r := held()
	expect(t, r, "ready")
	p.Close(10 * time.Millisecond)
	ended(t, r)
}

// Programs that run beside each other do not end each other.
func TestTreesApart(t *testing.T) {
	script := `exec 3>"$1"; echo ready >&3; cat >&3`
	cmd, held := shell(t, script)
	stays := start(t, cmd)
	r := held()
	expect(t, r, "ready")
	cmd, held = shell(t, script)
	goes := start(t, cmd)
	expect(t, held(), "ready")
	goes.Close(0)
	if _, err := stays.In.Write([]byte("still here\n")); err != nil {
		t.Error(err)
	}
	expect(t, r, "still here")
}

func TestUsage(t *testing.T) {
	cmd, held := shell(t, `exec 3>"$1"; sleep 1000 & sleep 1000 & echo ready >&3; wait`)
	tree := program.NewTree(cmd)
	if err := tree.Start(); err != nil {
		t.Fatal(err)
	}
	expect(t, held(), "ready")
	if processes, memory := tree.Usage(); processes != 3 || memory <= 0 {
		t.Errorf("%d processes with %d bytes, want 3 and some", processes, memory)
	}
	if !tree.Stop(time.Minute) {
		t.Error("nothing was found to stop")
	}
	<-tree.Exited()
	if processes, _ := tree.Usage(); processes != 0 || tree.Stop(0) {
		t.Errorf("%d processes are left", processes)
	}
}

// What holds another command is not asked to end: it ends when that has.
func TestOuter(t *testing.T) {
	cmd, held := shell(t, `exec 3>"$1"; trap "echo asked >&3" TERM; sh -c 'echo ready >&3; exec sleep 1000'; echo ended >&3`)
	tree := program.NewTree(cmd)
	tree.Outer = true
	if err := tree.Start(); err != nil {
		t.Fatal(err)
	}
	r := held()
	expect(t, r, "ready")
	tree.Stop(time.Minute)
	expect(t, r, "ended")
	ended(t, r)
	<-tree.Exited()
}

//go:build unix

package program

import (
	"syscall"
	"time"
)

// Stop asks every member of the tree to end, kills what has not ended after the
// grace, and says whether there was any. It returns when none is left, or when
// what is left cannot be killed. One caller at a time.
func (t *Tree) Stop(grace time.Duration) (found bool) {
	// Looked for twice, since what is born during the first look by one that
	// dies meanwhile is not in its list.
	if found = t.signal(syscall.SIGTERM); !found {
		found = t.signal(syscall.SIGTERM)
	}
	if !found {
		return false
	}
	if !t.gone(grace, 0) {
		t.gone(patience, syscall.SIGKILL)
	}
	return true
}

// gone looks for members again and again, and sends each the signal (0 is none),
// until there was none twice in a row. It gives up after that time.
func (t *Tree) gone(within time.Duration, sig syscall.Signal) bool {
	const shortest, longest = time.Millisecond, 50 * time.Millisecond
	deadline := time.Now().Add(within)
	for pause, empty := shortest, 0; time.Now().Before(deadline); pause = min(2*pause, longest) {
		if t.signal(sig) {
			empty = 0
		} else if empty++; empty == 2 {
			return true
		}
		time.Sleep(pause)
	}
	return false
}

package tooltest

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parley-dev/parley/tool"
)

// watch takes what tools emit. Calls that run at the same time need one each.
type watch struct {
	mu      sync.Mutex
	running bool
	busy    bool // inside an emit
	output  strings.Builder
	events  int
	faults  []string
	onEvent func()
}

// begin opens it for one call; the function closes it again.
func (w *watch) begin() (end func()) {
	w.set(true)
	return func() { w.set(false) }
}

func (w *watch) set(running bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = running
}

func (w *watch) emit(e tool.Event) {
	if then := w.take(e); then != nil {
		then()
	}
	runtime.Gosched() // whoever else would emit now is let in, to be caught
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy = false
}

func (w *watch) take(e tool.Event) (then func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.running {
		w.fault("Emit was called though Run had returned")
	}
	if w.busy {
		w.fault("Emit was called by two goroutines at once")
	}
	if fault := eventFault(e); fault != "" {
		w.fault(fault)
	}
	w.busy = true
	w.events++
	w.output.WriteString(e.Output)
	return w.onEvent
}

// fault is said once, however often it comes.
func (w *watch) fault(text string) {
	if !slices.Contains(w.faults, text) {
		w.faults = append(w.faults, text)
	}
}

func (w *watch) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.events
}

func (w *watch) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.output.String()
}

func (w *watch) report(t *testing.T) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, fault := range w.faults {
		t.Error(fault)
	}
}

//go:build !linux

package workspace

import (
	"errors"
	"sync/atomic"
	"time"
)

// canWatch says whether this system can tell what happened in a folder.
const canWatch = false

// watch is not kept here. On macOS the system would want every file open.
type watch struct{ whole time.Time }

func newWatch(string, *atomic.Int64) (*watch, error) { return nil, errors.ErrUnsupported }
func (*watch) close()                                {}
func (*watch) size() int                             { return 0 }
func (*watch) add(*dir, string) bool                 { return false }
func (*watch) settle()                               {}
func (*watch) failed() error                         { return nil }
func (*watch) disturbed(*dir) (unrest, bool)         { return nil, false }

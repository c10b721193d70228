//go:build !unix

package builtin

import (
	"context"

	"github.com/parley-dev/parley/tool"
)

// Run refuses: there is no POSIX shell to count on here.
func (r RunCommand) Run(_ context.Context, call tool.Call) (tool.Result, error) {
	if _, err := r.decode(call); err != nil {
		return tool.Result{}, err
	}
	return tool.Result{}, &tool.Error{Code: tool.CodeUnavailable, Message: "run_command needs a Unix system; run the server on Linux, macOS or in WSL"}
}

// Jobs keeps commands in the background, of which there are none here.
type Jobs struct{}

// NewJobs makes one.
func NewJobs() *Jobs { return &Jobs{} }

func (*Jobs) release(string) {}
func (*Jobs) close()         {}

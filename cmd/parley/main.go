// Command parley runs and talks to a Parley server.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/parley-dev/parley/tool/sandbox"
)

func main() {
	sandbox.Main() // a process that is to hold a command becomes it here
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program, for tests too.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	p := &program{in: in, out: out, err: errOut}
	root := newRoot(p)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	if err == nil || errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return 0
	}
	var quiet exitCode
	if errors.As(err, &quiet) {
		return int(quiet)
	}
	if p.json {
		_ = writeJSON(errOut, asFailure(err))
	} else {
		fmt.Fprintln(errOut, "parley:", explain(err))
	}
	return 1
}

// exitCode ends the program with a code when all has been said already.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

package mcp

import (
	"fmt"
	"os/exec"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/parley-dev/parley/internal/program"
)

// grace is how long a program has to end after its input did, and once more
// after it was asked to.
const grace = 2 * time.Second

// local carries a connection to a server that is a process of ours.
type local struct{ *program.Program }

// newLocal starts the server with what every program may see and what is its own.
func newLocal(command string, args []string, own map[string]string) (local, error) {
	cmd := exec.Command(command, args...)
	cmd.Env = program.Environment()
	for name, value := range own {
		cmd.Env = append(cmd.Env, name+"="+value) // the last one of a name counts
	}
	p, err := program.Start(cmd)
	if err != nil {
		return local{}, fmt.Errorf("the program could not be started: %w", err)
	}
	return local{p}, nil
}

func (l local) transport() sdk.Transport {
	return &sdk.IOTransport{Reader: l.Out, Writer: l.In, MaxLineLength: maxMessage}
}

func (l local) about() string { return l.About() }

func (l local) close() { l.Close(grace) }

package builtin

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/parley-dev/parley/tool"
)

//go:embed run_command.md
var runCommandText string

// The command's length keeps it below what Linux takes for one argument.
const runCommandSchema = `{
	"type": "object",
	"properties": {
		"command": {"type": "string", "minLength": 1, "maxLength": 30000, "description": "What to run, for sh -c."},
		"description": {"type": "string", "maxLength": 500, "description": "What the command is for, in a few words."},
		"timeout_sec": {"type": "integer", "minimum": 1, "maximum": 600, "description": "Stop it after so many seconds. Default: 120."},
		"cwd": {"type": "string", "maxLength": 4096, "description": "Folder to start in, relative to the workspace. Default: the workspace."}
	},
	"required": ["command"],
	"additionalProperties": false
}`

// RunCommand runs a shell command in the workspace, in a session of its own,
// without a terminal, with an empty standard input and an environment of a few
// harmless variables.
//
// When the command has ended, was cancelled or took too long, all that it started
// is asked to end (SIGTERM) and, after a grace of two seconds, killed. On Linux
// that reaches every process that is in its session or still carries its mark in
// the environment, so also daemons that began a session of their own; one that
// drops its environment as well gets away. On other systems it reaches the
// process group.
//
// The command runs with the rights of the server: the folder is where it starts,
// not a cage.
type RunCommand struct {
	// Grace is the time between asking to end and killing; two seconds if zero.
	Grace time.Duration
}

const (
	runDefault = 120 * time.Second
	runLongest = 600 * time.Second
	runGrace   = 2 * time.Second
)

type runInput struct {
	Command     string `json:"command"`
	Description string `json:"description"`
	TimeoutSec  int    `json:"timeout_sec"`
	Cwd         string `json:"cwd"`
}

func (in runInput) timeout() time.Duration {
	return cmp.Or(time.Duration(in.TimeoutSec)*time.Second, runDefault)
}

// Info says what the tool is.
func (RunCommand) Info() tool.Info {
	return tool.Info{
		Name:        "run_command",
		Description: runCommandText,
		Schema:      json.RawMessage(runCommandSchema),
		Class:       tool.ClassExecute,
		Effect:      tool.EffectEffect,
		// Longer than its own limit, which is the one that can say more.
		Timeout: runLongest + 30*time.Second,
	}
}

// Preview shows the command as it would run.
func (r RunCommand) Preview(_ context.Context, call tool.Call) (string, error) {
	in, err := r.decode(call)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if in.Description != "" {
		fmt.Fprintf(&b, "# %s\n", strings.ReplaceAll(in.Description, "\n", "\n# "))
	}
	if in.Cwd != "." {
		fmt.Fprintf(&b, "# in %s\n", plain(in.Cwd))
	}
	return strings.ToValidUTF8(b.String()+in.Command, "\uFFFD"), nil
}

// decode reads the input; its folder is clean afterwards.
func (r RunCommand) decode(call tool.Call) (runInput, error) {
	in, err := tool.Decode[runInput](r.Info(), call.Input)
	if err != nil {
		return in, err
	}
	if strings.ContainsRune(in.Command, 0) {
		return in, &tool.Error{Code: tool.CodeInputInvalid, Message: "the command holds a zero byte, which no shell takes"}
	}
	in.Cwd, err = tool.Path(in.Cwd)
	return in, err
}

// outcome is how a command ended.
type outcome struct {
	code     int    // exit code; 128 + n if a signal ended it, as shells say it
	signal   string // the signal that ended it, or ""
	leftover bool   // something had to be stopped after the command's own end
	stuck    bool   // it could not be stopped
	took     time.Duration
	err      error // why it was stopped, if it was
}

func (o outcome) result(out *output) tool.Result {
	status := fmt.Sprintf("exit code %d", o.code)
	switch {
	case o.stuck:
		status = "it could not be stopped and still runs"
	case o.signal != "":
		status += ", signal: " + o.signal
	case o.leftover:
		status += "; what it left running was stopped"
	}
	text := out.text()
	if text == "" {
		status = "no output; " + status
	} else if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return tool.Result{
		Text:    text + "[" + status + "]\n",
		IsError: o.code != 0,
		Summary: facts(struct {
			ExitCode    int   `json:"exit_code"`
			DurationMS  int64 `json:"duration_ms"`
			OutputBytes int64 `json:"output_bytes"`
		}{o.code, o.took.Milliseconds(), out.bytes}),
	}
}

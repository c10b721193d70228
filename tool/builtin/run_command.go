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
	"github.com/parley-dev/parley/tool/sandbox"
)

//go:embed run_command.md
var runCommandText string

// The command's length keeps it below what Linux takes for one argument.
const runCommandSchema = `{
	"type": "object",
	"properties": {
		"command": {"type": "string", "minLength": 1, "maxLength": 30000, "description": "What to run, for sh -c."},
		"description": {"type": "string", "maxLength": 500, "description": "What the command is for, in a few words."},
		"timeout_sec": {"type": "integer", "minimum": 1, "maximum": 86400, "description": "Stop it after so many seconds. Default: 120, at most 600; in the background 3600, at most 86400."},
		"cwd": {"type": "string", "maxLength": 4096, "description": "Folder to start in, relative to the workspace. Default: the workspace."},
		"pty": {"type": "boolean", "description": "Give it a terminal. Default: false."},
		"network": {"type": "boolean", "description": "Give it the network, which a person has to approve. Default: false."},
		"background": {"type": "boolean", "description": "Let it run on after the call, as a job. Default: false."},
		"job": {"type": "string", "minLength": 1, "maxLength": 40, "description": "Instead of command: the job to look at."},
		"input": {"type": "string", "minLength": 1, "maxLength": 30000, "description": "With job: what to type. End a line with a newline; \\u0004 ends the input."},
		"stop": {"type": "boolean", "description": "With job: stop it. Default: false."},
		"wait_sec": {"type": "integer", "minimum": 0, "maximum": 600, "description": "With job or background: wait so long for its end. Default: until it has been quiet for a moment."}
	},
	"additionalProperties": false
}`

// RunCommand runs a shell command in the workspace, in a session of its own, with
// an environment of a few harmless variables; without a terminal and with an empty
// standard input, unless the call asks for more.
//
// When the command has ended, was cancelled or took too long, all that it started
// is asked to end (SIGTERM) and, after a grace of two seconds, killed. In a sandbox
// of kind bubblewrap that reaches everything. Elsewhere on Linux it reaches every
// process that is in its session or still carries its mark in the environment, so
// also daemons that began a session of their own; one that drops its environment as
// well gets away. On other systems it reaches the process group.
//
// A command in the background is kept by Jobs for the session that started it.
type RunCommand struct {
	// Grace is the time between asking to end and killing; two seconds if zero.
	Grace time.Duration
	// Sandbox holds the commands; without one they have the rights of the
	// server, and the folder is where they start, not a cage.
	Sandbox *sandbox.Sandbox
	// Network gives the network to all commands, without asking.
	Network bool
	// Jobs keeps commands in the background; nil refuses them.
	Jobs *Jobs
	// Limits are for all processes of a command together.
	Limits Limits
}

// Limits are looked after while a command runs, on Linux. Zero is the default,
// less than zero none.
type Limits struct {
	Memory    int64 // resident bytes; three quarters of the machine's
	Processes int   // 2,000
}

const (
	runDefault  = 120 * time.Second
	runLongest  = 600 * time.Second
	jobDefault  = time.Hour
	runGrace    = 2 * time.Second
	maxProcess  = 2000
	endOfInput  = "\x04"
	quietFor    = 300 * time.Millisecond
	quietWithin = 5 * time.Second
)

type runInput struct {
	Command     string `json:"command"`
	Description string `json:"description"`
	TimeoutSec  int    `json:"timeout_sec"`
	Cwd         string `json:"cwd"`
	PTY         bool   `json:"pty"`
	Network     bool   `json:"network"`
	Background  bool   `json:"background"`
	Job         string `json:"job"`
	Input       string `json:"input"`
	Stop        bool   `json:"stop"`
	WaitSec     *int   `json:"wait_sec"`
}

func (in runInput) timeout() time.Duration {
	longest := runDefault
	if in.Background {
		longest = jobDefault
	}
	return cmp.Or(time.Duration(in.TimeoutSec)*time.Second, longest)
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
	say := func(format string, args ...any) {
		fmt.Fprintf(&b, "# "+format+"\n", args...)
	}
	if in.Description != "" {
		say("%s", strings.ReplaceAll(in.Description, "\n", "\n# "))
	}
	if in.Job != "" {
		switch {
		case in.Stop:
			say("stop %s", plain(in.Job))
		case in.Input != "":
			say("type into %s", plain(in.Job))
		default:
			say("look at %s", plain(in.Job))
		}
		return strings.ToValidUTF8(b.String()+in.Input, "\uFFFD"), nil
	}
	if in.Cwd != "." {
		say("in %s", plain(in.Cwd))
	}
	if in.Network {
		say("with the network")
	}
	if in.Background {
		say("in the background")
	}
	return strings.ToValidUTF8(b.String()+in.Command, "\uFFFD"), nil
}

// Weigh lets a look at a job pass as reading, and guards what opens the sandbox.
func (r RunCommand) Weigh(_ context.Context, call tool.Call) (tool.Weight, error) {
	in, err := r.decode(call)
	if err != nil {
		return tool.Weight{}, err
	}
	if in.Job != "" && in.Input == "" && !in.Stop {
		return tool.Weight{Class: tool.ClassRead, Effect: tool.EffectRead}, nil
	}
	why, err := r.guards(call, in)
	return tool.Weight{Class: tool.ClassExecute, Effect: tool.EffectEffect, Guard: why}, err
}

// guards says why a person has to approve the command; "" if it is like any other.
func (r RunCommand) guards(call tool.Call, in runInput) (string, error) {
	if in.Job != "" {
		return "", nil
	}
	p, err := openPlace(call)
	if err != nil {
		return "", err
	}
	defer p.Close()
	kind := sandbox.None
	if r.Sandbox != nil {
		kind = r.Sandbox.Info().Name
	}
	switch {
	case p.ruled && kind != sandbox.Bubblewrap:
		return "it could read what " + ignoreName + " hides; only bubblewrap can keep that from commands", nil
	case in.Network && !r.Network && kind != sandbox.None:
		return "it wants the network", nil
	}
	return "", nil
}

// decode reads the input; its folder is clean afterwards.
func (r RunCommand) decode(call tool.Call) (runInput, error) {
	in, err := tool.Decode[runInput](r.Info(), call.Input)
	if err != nil {
		return in, err
	}
	wrong := ""
	switch alone := in.Input == "" && !in.Stop; {
	case (in.Command == "") == (in.Job == ""):
		wrong = "give either a command to run or a job to look at"
	case in.Job != "" && (in.Background || in.PTY || in.Network || in.Cwd != "" || in.TimeoutSec != 0):
		wrong = "what a job runs with was said when it was started"
	case in.Job == "" && !alone:
		wrong = "input and stop are for a job"
	case in.Job == "" && !in.Background && in.WaitSec != nil:
		wrong = "wait_sec is for a job; use timeout_sec"
	case !in.Background && in.timeout() > runLongest:
		wrong = fmt.Sprintf("timeout_sec is at most %d unless the command runs in the background", runLongest/time.Second)
	case strings.ContainsRune(in.Command, 0):
		wrong = "the command holds a zero byte, which no shell takes"
	}
	if wrong != "" {
		return in, &tool.Error{Code: tool.CodeInputInvalid, Message: wrong}
	}
	in.Cwd, err = tool.Path(in.Cwd)
	return in, err
}

// Release stops the jobs of a session.
func (r RunCommand) Release(session string) { r.Jobs.release(session) }

// Close stops all jobs.
func (r RunCommand) Close() error {
	r.Jobs.close()
	return nil
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
	text, bytes := told(out, status)
	return tool.Result{
		Text:    text,
		IsError: o.code != 0,
		Summary: facts(struct {
			ExitCode    int   `json:"exit_code"`
			DurationMS  int64 `json:"duration_ms"`
			OutputBytes int64 `json:"output_bytes"`
		}{o.code, o.took.Milliseconds(), bytes}),
	}
}

// told gives what was written since the last time, and how things stand.
func told(out *output, status string) (text string, written int64) {
	text, written = out.drain()
	if text == "" {
		status = "no output; " + status
	} else if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + "[" + status + "]\n", written
}

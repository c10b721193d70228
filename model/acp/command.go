package acp

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/parley-dev/parley/internal/program"
	"github.com/parley-dev/parley/model"
)

// command is a program to run.
type command struct {
	program string // as a path
	args    []string
	given   []string // names of variables
	getenv  func(string) string
}

// homes are where agents keep who is signed in, and what they remember.
var homes = [...]string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"}

// parse reads a command and finds its program.
func parse(line string, getenv func(string) string) (command, error) {
	c := command{getenv: getenv}
	if c.getenv == nil {
		c.getenv = os.Getenv
	}
	words, err := split(line)
	if err != nil {
		return c, err
	}
	for len(words) > 0 && strings.HasPrefix(words[0], "$") {
		c.given, words = append(c.given, words[0][1:]), words[1:]
	}
	if len(words) == 0 {
		return c, &model.Error{Kind: model.Invalid, Message: "no agent is named; write the command that starts it after acp:, such as acp:opencode acp"}
	}
	c.program, err = exec.LookPath(words[0])
	if err != nil {
		return c, &model.Error{Kind: model.Invalid, Err: err, Message: fmt.Sprintf(
			"the agent's program %q was not found; install it, or give its whole path", words[0])}
	}
	c.args = words[1:]
	return c, nil
}

// split cuts a line into words. Quotes keep blanks; there are no other marks.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	inside := false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, inside = r, true
		case r == ' ' || r == '\t':
			if inside {
				words = append(words, word.String())
				word.Reset()
			}
			inside = false
		default:
			word.WriteRune(r)
			inside = true
		}
	}
	if quote != 0 {
		return nil, &model.Error{Kind: model.Invalid, Message: fmt.Sprintf("the command %q has a quote that is not closed", line)}
	}
	if inside {
		words = append(words, word.String())
	}
	return words, nil
}

// start starts it in a folder, with what every agent may see and what it is given.
func (c command) start(folder string) (*program.Program, error) {
	cmd := exec.Command(c.program, c.args...)
	cmd.Dir, cmd.Env = folder, program.Environment(homes[:]...)
	for _, name := range c.given {
		if value := c.getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	return program.Start(cmd)
}

// clean takes out of a text what the agent was given in secret.
func (c command) clean(text string) string {
	for _, name := range c.given {
		if value := c.getenv(name); len(value) > 3 {
			text = strings.ReplaceAll(text, value, "$"+name)
		}
	}
	return text
}

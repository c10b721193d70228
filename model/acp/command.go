package acp

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/parley-dev/parley/model"
)

// command is a program to run.
type command struct {
	program string // as a path
	args    []string
	given   []string // names of variables
	getenv  func(string) string
}

// passed are the variables of ours that every agent sees: a list of what is let
// through, since a key or a token can have any name. The second line is what
// programs on Windows do not start without.
var passed = [...]string{
	"PATH", "HOME", "USER", "SHELL", "TERM", "TZ", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME",
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
}

// markName names the variable that tells the processes of one agent from all
// others.
const markName = "ACP_PROCESS_ID"

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

// environment is what the agent gets to see.
func (c command) environment(mark string) []string {
	var env []string
	for _, name := range passed {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	for _, name := range c.given {
		if value := c.getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return append(env, markName+"="+mark)
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

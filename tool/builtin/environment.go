package builtin

import "os"

// passed are the variables of the server that a command sees. It is a list of
// what is let through, without wildcards: a key or a token can have any name.
var passed = [...]string{
	"PATH", "HOME", "USER", "SHELL", "TERM", "TZ", "TMPDIR", "LANG",
	"LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME",
}

// markName names the variable that tells the processes of one command from all
// others.
const markName = "RUN_COMMAND_ID"

// environment is what a command gets to see.
func environment(mark string) []string {
	env := []string{markName + "=" + mark}
	for _, name := range passed {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

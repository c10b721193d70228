package mcp

import "os"

// passed are the variables of ours that a server sees: a list of what is let
// through, since a key or a token can have any name. The second half is what
// programs on Windows do not start without.
var passed = [...]string{
	"PATH", "HOME", "USER", "SHELL", "TERM", "TZ", "TMPDIR", "LANG",
	"LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME",
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROGRAMFILES",
	"SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
}

// markName names the variable that tells the processes of one server from all
// others.
const markName = "MCP_PROCESS_ID"

// environment is what a server gets to see.
func environment(mark string, own map[string]string) []string {
	var env []string
	for _, name := range passed {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	for name, value := range own {
		env = append(env, name+"="+value) // the last one of a name counts
	}
	return append(env, markName+"="+mark)
}

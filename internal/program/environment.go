package program

import (
	"os"
	"runtime"
)

// markName names the variable that tells the processes of one tree from all
// others.
const markName = "PARLEY_TREE"

// harmless are the variables of ours that any program may see. It is a list of
// what is let through, without wildcards: a key or a token can have any name.
var harmless = [...]string{
	"PATH", "HOME", "USER", "SHELL", "TERM", "TZ", "TMPDIR", "LANG",
	"LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME",
}

// needed is what programs on Windows do not start without.
var needed = [...]string{
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROGRAMFILES",
	"SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
}

// Environment is what of ours a program may see: what is harmless, and what is
// named beside.
func Environment(also ...string) []string {
	names := append(harmless[:len(harmless):len(harmless)], also...)
	if runtime.GOOS == "windows" {
		names = append(names, needed[:]...)
	}
	var env []string
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

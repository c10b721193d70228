package sandbox

import (
	"os"
	"runtime/debug"
)

// helperName is what a helper is called by, so that it knows itself.
const helperName = "parley-sandbox"

// Main is the first thing that the main function of a helper calls. In a process
// that was started to hold a command it restricts itself, becomes that command and
// never returns; in any other it does nothing.
func Main() {
	if len(os.Args) == 0 || os.Args[0] != helperName {
		return
	}
	os.Exit(becomeCommand(os.Args[1:]))
}

// Helper gives this program's own path if it is parley, whose main function calls
// Main; "" if it is another program, which would start all over again.
func Helper() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Path != "github.com/parley-dev/parley/cmd/parley" {
		return ""
	}
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return path
}

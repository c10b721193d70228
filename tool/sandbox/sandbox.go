// Package sandbox keeps the programs that an agent runs inside the workspace.
//
// It uses the best that the machine offers: bubblewrap, else Landlock, else
// nothing, and says which. In either sandbox a program
//
//   - writes to the workspace and to a temporary folder of its own, nowhere else;
//   - does not see the home folder (but for well-known toolchains in it), /run,
//     other temporary files, and what the server hides;
//   - has no network unless it is given one;
//   - cannot look into other processes or signal them.
//
// How far that goes is in Info: bubblewrap gives a program its own processes and
// network, so that nothing of it outlives it; Landlock, which needs no program to
// be installed, restricts files and TCP only.
//
// The package starts nothing but its probes. What it gives is the command line to
// start instead of the one that was asked for.
package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// The kinds of sandbox.
const (
	Bubblewrap = "bubblewrap"
	Landlock   = "landlock"
	None       = "none"
)

// What of the network is cut off.
const (
	NetworkOff    = "off"     // there is none
	NetworkTCPOff = "tcp off" // TCP is refused; UDP and others are not
	NetworkOn     = "on"
)

// Info says what a sandbox does.
type Info struct {
	Name string `json:"name"`
	// Files says that the workspace alone can be written, and the home folder is
	// hidden.
	Files bool `json:"files"`
	// Network is what becomes of it for a command that was given none.
	Network string `json:"network"`
	// Tree says that all processes of a command end with it, whatever they do,
	// also if the server is killed.
	Tree bool `json:"tree"`
	// Why says, for people, why nothing better is there; "" if this is the best.
	Why string `json:"why,omitempty"`
}

// String is one line for people.
func (i Info) String() string {
	s := map[string]string{
		Bubblewrap: "bubblewrap: commands write to the workspace only, without network",
		Landlock:   "landlock: commands write to the workspace only, without TCP",
	}[i.Name]
	if s == "" {
		s = "none: commands have all the rights of this user"
	}
	if i.Why != "" {
		s += " (" + i.Why + ")"
	}
	return s
}

// Options say which sandbox to use, and what it hides.
type Options struct {
	// Use is the kind that is wanted; the best that works if empty.
	Use string
	// Helper is a program whose main function begins with Main. Landlock needs
	// one; see Helper.
	Helper string
	// Hide are folders that no command sees, such as the server's data.
	Hide []string
	// Cache is a folder that commands keep things in between them, and see as
	// the .cache of their home; none if empty. With Landlock there is none.
	Cache string
}

// Sandbox makes command lines. It can be used by many goroutines.
type Sandbox struct {
	options Options
	probe   sync.Once
	info    Info
	bwrap   string // path of the program
}

// New makes a sandbox. It looks for what the machine offers when it is first
// asked.
func New(o Options) *Sandbox { return &Sandbox{options: o} }

// Detect says what the best sandbox of this machine is.
func Detect() Info { return New(Options{Helper: Helper()}).Info() }

// Info says what this sandbox does.
func (s *Sandbox) Info() Info {
	s.probe.Do(s.choose)
	return s.info
}

func (s *Sandbox) choose() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	wants := func(kind string) bool { return s.options.Use == "" || s.options.Use == kind }
	why := "it was not asked for"
	if wants(Bubblewrap) {
		if s.bwrap, why = probeBubblewrap(ctx); s.bwrap != "" {
			s.info = Info{Name: Bubblewrap, Files: true, Network: NetworkOff, Tree: true}
			return
		}
	}
	if wants(Landlock) {
		network, no := probeLandlock(ctx, s.options.Helper)
		if no == "" {
			s.info = Info{Name: Landlock, Files: true, Network: network, Why: why}
			return
		}
		why += "; " + no
	}
	s.info = Info{Name: None, Network: NetworkOn, Why: why}
}

// Cage is what a command may have.
type Cage struct {
	// Workspace is the folder that it may write, an absolute path without
	// symbolic links, and Dir the one in it to start in.
	Workspace, Dir string
	// Network says that it has one.
	Network bool
	// Hidden and ReadOnly are paths in the workspace that it must not see or
	// change. Landlock cannot take back what it gave, so there they stay open.
	Hidden, ReadOnly []string
}

// Wrapped is the command line to start. Whoever starts it calls Close when it has
// ended.
type Wrapped struct {
	Path string
	Args []string // with the name of the program
	Env  []string // to be added, and to win
	// Outer says that the process which is started is not the command but holds
	// it: it has to be killed, not asked.
	Outer bool
	Close func()
}

// Wrap puts a command, given by path and arguments, into a cage.
func (s *Sandbox) Wrap(c Cage, argv ...string) (Wrapped, error) {
	switch s.Info().Name {
	case Bubblewrap:
		return s.bubblewrap(c, argv), nil
	case Landlock:
		return s.landlock(c, argv)
	}
	return Wrapped{Path: argv[0], Args: argv, Close: func() {}}, nil
}

// toolchains are folders of a home that programs are run from and that hold no
// secrets. They can be read.
var toolchains = [...]string{
	".cargo/bin", ".rustup", "go", "sdk", ".pyenv", ".rbenv", ".nvm", ".volta", ".fnm", ".asdf", ".sdkman", ".deno", ".bun",
	".local/bin", ".local/lib", ".local/pipx", ".local/share/mise", ".local/share/pnpm", ".nix-profile", ".dotnet", "miniconda3", "anaconda3",
}

// private are folders that hold other people's things.
func (s *Sandbox) private() []string {
	out := []string{"/tmp", "/var/tmp", "/run", "/root", "/home", "/etc/ssh", "/etc/ssl/private", "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-"}
	out = append(out, s.options.Hide...)
	for _, dir := range []string{home(), os.TempDir()} {
		if dir != "/" && filepath.IsAbs(dir) {
			out = append(out, dir)
		}
	}
	for i, path := range out {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			out[i] = real
		}
	}
	out = slices.DeleteFunc(out, func(path string) bool { _, err := os.Lstat(path); return err != nil || path == "/" })
	slices.Sort(out) // a folder before what is in it
	return slices.Compact(out)
}

func home() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return "/"
	}
	return filepath.Clean(dir)
}

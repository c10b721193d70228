package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// leastABI is the first version that holds back truncating a file, without which
// read-only is only a word. Version 4 brought TCP, 10 UDP.
const (
	leastABI = 3
	tcpABI   = 4
	udpABI   = 10
)

// rules are what a helper is told to leave to the command.
type rules struct {
	Read    []string `json:"read"`
	Write   []string `json:"write"`
	Dir     string   `json:"dir"`
	Network bool     `json:"network"`
}

// probeLandlock says what the kernel can do, and tries it once.
func probeLandlock(ctx context.Context, helper string) (network, why string) {
	abi, err := ll.LandlockGetABIVersion()
	switch {
	case err != nil:
		return "", "the kernel has no Landlock"
	case abi < leastABI:
		return "", fmt.Sprintf("the kernel's Landlock is too old (%d)", abi)
	case helper == "":
		return "", "Landlock needs the parley program as its helper"
	}
	spec, err := json.Marshal(rules{Read: []string{"/"}, Dir: "/"})
	if err != nil {
		return "", err.Error()
	}
	cmd := exec.CommandContext(ctx, helper)
	cmd.Args = []string{helperName, string(spec), "/bin/sh", "-c", ":"}
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Sprintf("Landlock does not work here: %v %.200s", err, out)
	}
	switch {
	case abi >= udpABI:
		return NetworkOff, ""
	case abi >= tcpABI:
		return NetworkTCPOff, ""
	}
	return NetworkOn, ""
}

func (s *Sandbox) landlock(c Cage, argv []string) (Wrapped, error) {
	temp, err := os.MkdirTemp("", "parley-command-")
	if err != nil {
		return Wrapped{}, err
	}
	r := rules{Dir: c.Dir, Network: c.Network, Write: []string{c.Workspace, temp}, Read: open("/", s.private())}
	for _, name := range toolchains {
		r.Read = append(r.Read, filepath.Join(home(), name))
	}
	if c.Network {
		r.Read = append(r.Read, "/run/systemd/resolve", "/run/resolvconf")
	}
	spec, err := json.Marshal(r)
	if err != nil {
		return Wrapped{}, err
	}
	return Wrapped{
		Path:  s.options.Helper,
		Args:  append([]string{helperName, string(spec)}, argv...),
		Env:   []string{"HOME=" + temp, "TMPDIR=" + temp},
		Close: func() { _ = os.RemoveAll(temp) },
	}, nil
}

// open lists folders that together hold all that is in a folder but for what is
// private: Landlock gives, and cannot take back.
func open(folder string, private []string) []string {
	if slices.Contains(private, folder) {
		return nil
	}
	if !slices.ContainsFunc(private, func(p string) bool { return within(p, folder) }) {
		return []string{folder}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 { // links are followed to where they lead
			out = append(out, open(filepath.Join(folder, e.Name()), private)...)
		}
	}
	return out
}

// becomeCommand gives up what is not in the rules and runs the command in this
// process.
func becomeCommand(args []string) int {
	if len(args) < 2 {
		fmt.Fprintln(os.Stderr, "parley: a sandbox was started without a command")
		return 126
	}
	runtime.LockOSThread() // capabilities are those of a thread
	var r rules
	err := json.Unmarshal([]byte(args[0]), &r)
	if err == nil {
		err = r.enforce()
	}
	if err == nil {
		err = dropCapabilities()
	}
	if err == nil {
		err = os.Chdir(r.Dir)
	}
	if err == nil {
		err = unix.Exec(args[1], args[1:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, "parley: the sandbox could not be set up, so the command was not run:", err)
	return 126
}

func (r rules) enforce() error {
	// A command that its server has left behind ends with it.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return err
	}
	config := landlock.V10.BestEffort()
	err := config.RestrictPaths(
		landlock.RODirs(folders(r.Read)...).IgnoreIfMissing(),
		landlock.ROFiles(files(r.Read)...).IgnoreIfMissing(),
		landlock.RWDirs(r.Write...).WithRefer(),
		landlock.RWFiles("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx").WithIoctlDev().IgnoreIfMissing(),
		landlock.RWDirs("/dev/pts", "/dev/shm").WithIoctlDev().IgnoreIfMissing(),
	)
	if err == nil && !r.Network {
		err = config.RestrictNet()
	}
	if err == nil {
		err = config.RestrictScoped()
	}
	return err
}

// dropCapabilities takes from a command that root runs what would let it look
// into other processes. Landlock has set no_new_privs, so they stay away.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}

func folders(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { info, err := os.Stat(p); return err != nil || !info.IsDir() })
}

func files(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { info, err := os.Stat(p); return err != nil || info.IsDir() })
}

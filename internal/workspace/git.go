package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"
)

// git runs the program in a repository of ours. Its environment is made from
// nothing: no variable, configuration or attribute of the machine or of the
// folder reaches it.
type git struct {
	program string
	home    string       // an empty folder
	dir     string       // the repository
	failed  *atomic.Bool // remembers that a call did, if somebody wants to know
}

// command prepares a call. A call that writes is given the lock that it works
// under: the lock is then held until the program has ended, even if this
// process is killed before it.
func (g git) command(ctx context.Context, lock *os.File, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, g.program, args...)
	cmd.Dir = g.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + g.home, "XDG_CONFIG_HOME=" + g.home, "LC_ALL=C", "TZ=UTC",
		"GIT_DIR=" + g.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_LITERAL_PATHSPECS=1", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_AUTHOR_NAME=Parley", "GIT_AUTHOR_EMAIL=parley@localhost",
		"GIT_COMMITTER_NAME=Parley", "GIT_COMMITTER_EMAIL=parley@localhost",
	}
	cmd.WaitDelay = 2 * time.Second
	if lock != nil {
		lend(cmd, lock)
	}
	apart(cmd)
	return cmd
}

// run gives what a call prints.
func (g git) run(ctx context.Context, lock *os.File, args ...string) ([]byte, error) {
	var out, complaint bytes.Buffer
	cmd := g.command(ctx, lock, args...)
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		if g.failed != nil {
			g.failed.Store(true)
		}
		return nil, gitError(ctx, args[0], err, complaint.String())
	}
	return out.Bytes(), nil
}

// gitFailure is a call that ended with an error.
type gitFailure struct {
	verb      string
	complaint string
	err       error
}

func (e *gitFailure) Error() string {
	if e.complaint == "" {
		return fmt.Sprintf("git %s: %v", e.verb, e.err)
	}
	return fmt.Sprintf("git %s: %s", e.verb, e.complaint)
}

func (e *gitFailure) Unwrap() error { return e.err }

func gitError(ctx context.Context, verb string, err error, complaint string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if complaint = strings.TrimSpace(complaint); len(complaint) > 500 {
		complaint = complaint[:500] + "…"
	}
	return &gitFailure{verb, complaint, err}
}

// The oldest git that has all that is used here; "repack -k" came last. Joining a few
// packs without touching the rest needs a newer one, and is done without otherwise.
const (
	oldestMajor = 2
	oldestMinor = 10
)

// versionWithin is how long a git that is well takes at most to say what it is.
const versionWithin = 10 * time.Second

// version is what the program says it is. One that does not say it in time, or is too
// old, is refused.
func (g git) version(within time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	out, err := g.run(ctx, nil, "version")
	printed := strings.TrimSpace(string(out))
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "", fmt.Errorf("%s did not say its version within %s; find out what keeps it and start again", g.program, within)
	case err != nil:
		return "", fmt.Errorf("%s does not work: %w", g.program, err)
	case !modern(printed, oldestMajor, oldestMinor):
		return "", fmt.Errorf("%s is %.60s, and %d.%d is needed; install a newer one and start again", g.program, printed, oldestMajor, oldestMinor)
	}
	return printed, nil
}

// modern says whether the version that git prints is at least that one.
func modern(printed string, major, minor int) bool {
	var a, b int
	if _, err := fmt.Sscanf(strings.TrimPrefix(printed, "git version "), "%d.%d", &a, &b); err != nil {
		return false
	}
	return a > major || a == major && b >= minor
}

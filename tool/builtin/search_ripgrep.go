//go:build unix

package builtin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/git-pkgs/gitignore"
)

// ripgrep lets the program search the folder. It says no if the program could not,
// and nothing was given yet.
//
// The program runs in the opened folder, so that no link leads it out; it follows
// none itself. Which files count is decided here, file by file, as walk does.
func (h *hunt) ripgrep(ctx context.Context, program string) (ok bool, err error) {
	dir, err := openDir(h.place.root, h.folder)
	if err != nil {
		return false, err
	}
	defer dir.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rules := newIgnores(h.place.root, h.folder)
	cmd := exec.CommandContext(ctx, program, h.arguments(rules.off)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = pathTo(dir), []string{"PATH=" + os.Getenv("PATH")}, time.Second
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return false, nil
	}
	if err := cmd.Start(); err != nil {
		return false, nil
	}
	all := h.take(bufio.NewReaderSize(pipe, 64<<10), rules)
	done := ctx.Err()
	cancel() // it may have more to say than there is room for
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case done != nil:
		return false, done
	case all && h.out.Len() == 0 && errors.As(err, &exit) && exit.ExitCode() == 2:
		return false, nil // it does not take this pattern
	}
	return true, nil
}

func (h *hunt) arguments(ignored bool) []string {
	args := []string{
		"--no-config", "--color=never", "--no-heading", "--with-filename", "--line-number", "--null", "--sort=path",
		"--hidden", "--no-require-git", "--no-ignore-parent", "--no-ignore-global", "--no-ignore-exclude", "--no-ignore-dot",
		"--no-messages", "--text", "--encoding=none", "--crlf", "--max-filesize=" + strconv.Itoa(maxSearched), "--glob=!.git",
		"--context=" + strconv.Itoa(h.in.Context), "--no-context-separator", "--case-sensitive",
	}
	if h.in.IgnoreCase {
		args = append(args, "--ignore-case")
	}
	if h.literal {
		args = append(args, "--fixed-strings")
	}
	if ignored {
		args = append(args, "--no-ignore")
	}
	return append(args, "--regexp="+h.in.Pattern, "--", "./")
}

// take reads what the program prints; it gives false if there was no room for all.
func (h *hunt) take(r *bufio.Reader, rules *ignores) bool {
	file, wanted := "", false
	for {
		name, err := r.ReadString(0)
		if err != nil {
			return true
		}
		name = path.Join(h.folder, strings.TrimSuffix(name, "\x00"))
		if name != file {
			file = name
			wanted = h.wants(name) && !rules.match(name) && !h.isBinary(name)
		}
		text, err := readLong(r)
		if err != nil {
			return true
		}
		n, isMatch, rest, ok := splitMatch(text)
		if !ok || !wanted {
			continue
		}
		if !h.give(name, n, rest, isMatch) {
			return false
		}
	}
}

// readLong reads a line and keeps no more of it than is shown.
func readLong(r *bufio.Reader) (string, error) {
	var kept []byte
	for {
		piece, err := r.ReadSlice('\n')
		if room := searchLine + 40 - len(kept); room > 0 {
			kept = append(kept, piece[:min(room, len(piece))]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && !(errors.Is(err, io.EOF) && len(kept) > 0) {
			return "", err
		}
		return string(bytes.TrimSuffix(kept, []byte("\n"))), nil
	}
}

// splitMatch parts "12:text" and "12-text".
func splitMatch(line string) (n int, isMatch bool, text string, ok bool) {
	i := strings.IndexAny(line, ":-")
	if i < 0 {
		return 0, false, "", false
	}
	n, err := strconv.Atoi(line[:i])
	return n, line[i] == ':', line[i+1:], err == nil
}

func (h *hunt) isBinary(name string) bool {
	f, _, err := openFile(h.place.root, name)
	if err != nil {
		return true
	}
	defer f.Close()
	start, err := io.ReadAll(io.LimitReader(f, sniffed))
	return err != nil || bytes.IndexByte(start, 0) >= 0
}

// ignores are the rules of .gitignore files, read as files are met.
type ignores struct {
	walk   *walk
	folder string
	read   map[string]bool
	off    bool // the folder itself is ignored: whoever asks for it wants to see it
}

func newIgnores(root *os.Root, folder string) *ignores {
	w := &walk{root: root, rules: gitignore.New("")}
	w.above(folder)
	return &ignores{walk: w, folder: folder, read: map[string]bool{".": true}, off: w.all}
}

func (g *ignores) match(name string) bool {
	if g.off {
		return false
	}
	for i, c := range name {
		if c != '/' {
			continue
		}
		folder := name[:i]
		below := strings.HasPrefix(folder, g.folder+"/") || g.folder == "."
		if below && g.walk.rules.MatchPath(folder, true) {
			return true
		}
		if (below || folder == g.folder) && !g.read[folder] {
			g.read[folder] = true
			g.walk.addRules(folder)
		}
	}
	return g.walk.rules.MatchPath(name, false)
}

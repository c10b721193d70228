package workspace

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

// merge takes the change from base to other over into current, on copies. clean
// says that it fits.
func (h *hold) merge(current, base, other []byte) (merged []byte, clean bool, err error) {
	if binary(current) || binary(base) || binary(other) {
		return nil, false, nil
	}
	dir, err := os.MkdirTemp(h.dir, "merge-*")
	if err != nil {
		return nil, false, err
	}
	defer os.RemoveAll(dir)
	var names []string
	for name, content := range map[string][]byte{"current": current, "base": base, "other": other} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return nil, false, err
		}
	}
	for _, name := range []string{"current", "base", "other"} {
		names = append(names, filepath.Join(dir, name))
	}
	var out, complaint bytes.Buffer
	cmd := h.git.command(h.ctx, h.lock, append([]string{"merge-file", "-p", "-q"}, names...)...)
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return out.Bytes(), true, nil
	case errors.As(err, &exit) && exit.ExitCode() > 0 && exit.ExitCode() < 128: // so many conflicts
		return nil, false, nil
	}
	return nil, false, gitError(h.ctx, "merge-file", err, complaint.String())
}

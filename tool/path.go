package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Root opens the workspace of the call. Nothing that is reached through it lies
// outside, whatever symbolic links there are and however they change meanwhile.
// Whoever calls closes it.
func (c Call) Root() (*os.Root, error) {
	if !filepath.IsAbs(c.Workspace) {
		return nil, &Error{Code: CodeUnavailable, Message: "this session has no workspace; give it a folder to work in"}
	}
	root, err := os.OpenRoot(c.Workspace)
	if err != nil {
		return nil, &Error{Code: CodeUnavailable, Message: fmt.Sprintf("the workspace cannot be opened: %v", err), Err: err}
	}
	return root, nil
}

// Path cleans a path of an input: it is relative to the workspace, with slashes,
// and "" is the workspace itself. Absolute paths and any ".." are refused.
func Path(name string) (string, error) {
	switch {
	case strings.ContainsRune(name, 0):
		return "", invalid("the path %q holds a zero byte", short(name))
	case path.IsAbs(name) || filepath.IsAbs(name):
		return "", refused(name, "write it relative to the workspace")
	case slices.Contains(strings.FieldsFunc(name, isSlash), ".."):
		return "", refused(name, `".." is not allowed`)
	}
	clean := path.Clean(name)
	if !filepath.IsLocal(filepath.FromSlash(clean)) {
		return "", refused(name, "it is not a path of the workspace")
	}
	return clean, nil
}

// PathError turns the failure of an operation on a Root into the *Error that a
// tool gives for it.
func PathError(root *os.Root, name string, err error) error {
	switch {
	case errors.Is(err, escape(root)):
		return refused(name, "a symbolic link in it leads out of the workspace")
	case errors.Is(err, fs.ErrNotExist):
		return &Error{Code: CodeExecutionFailed, Message: fmt.Sprintf("%q does not exist in the workspace", short(name)), Err: err}
	}
	cause := err
	var pe *fs.PathError
	if errors.As(err, &pe) {
		cause = pe.Err
	}
	return &Error{Code: CodeExecutionFailed, Message: fmt.Sprintf("%q: %v", short(name), cause), Err: err}
}

// escape is what a Root gives for a path that leaves it. The error has no name
// in package os, so the root is asked for it.
func escape(root *os.Root) error {
	_, err := root.Lstat("..")
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func isSlash(r rune) bool { return r == '/' || r == filepath.Separator }

func refused(name, why string) error {
	return &Error{Code: CodePathRefused, Message: fmt.Sprintf("the path %q is refused: %s", short(name), why)}
}

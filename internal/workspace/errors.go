package workspace

import (
	"errors"
	"fmt"
)

var (
	// ErrUnknown means that the folder has no checkpoint of that hash.
	ErrUnknown = errors.New("there is no such checkpoint of this folder; list its checkpoints to see which there are")
	// ErrUnavailable means that checkpoints cannot be kept on this machine.
	ErrUnavailable = errors.New("there are no checkpoints on this machine")
	// ErrPath means that a path does not name something inside the folder.
	ErrPath = errors.New("the path is not inside the workspace; write it relative to the workspace, without \"..\"")
	// ErrClosed means that the store was closed.
	ErrClosed = errors.New("checkpoints are closed: the server is stopping")
)

// ProtectedError refuses a folder.
type ProtectedError struct {
	Folder string
	Reason string
}

func (e *ProtectedError) Error() string {
	return fmt.Sprintf("no checkpoints in %s: %s; work in a folder of its own below it", e.Folder, e.Reason)
}

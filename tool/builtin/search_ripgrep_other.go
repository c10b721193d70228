//go:build !unix

package builtin

import "context"

// ripgrep is not used: these systems start no program in a folder that was opened.
func (h *hunt) ripgrep(context.Context, string) (bool, error) { return false, nil }

//go:build !linux && !darwin

package workspace

import "errors"

func swap(*dir, string, *dir, string) error    { return errors.ErrUnsupported }
func moveNew(*dir, string, *dir, string) error { return errors.ErrUnsupported }

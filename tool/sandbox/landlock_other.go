//go:build !linux

package sandbox

import (
	"context"
	"errors"
)

func probeLandlock(context.Context, string) (network, why string) {
	return "", "Landlock is a part of Linux"
}

func (s *Sandbox) landlock(Cage, []string) (Wrapped, error) {
	return Wrapped{}, errors.New("Landlock is a part of Linux")
}

func becomeCommand([]string) int { return 126 }

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// sayUse has every command say how it is written when it is written otherwise.
func sayUse(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			switch {
			case err == nil:
				return nil
			case cmd.HasSubCommands() && len(args) == 1:
				return fmt.Errorf("%w%s; `%s --help` lists those there are", err, meant(cmd, args[0]), cmd.CommandPath())
			}
			return fmt.Errorf("%w; write it as: %s", err, cmd.UseLine())
		}
	}
	for _, sub := range cmd.Commands() {
		sayUse(sub)
	}
}

// meant names the commands that are written almost so.
func meant(cmd *cobra.Command, word string) string {
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(word); len(near) > 0 {
		return "; perhaps " + strings.Join(near, " or ")
	}
	return ""
}

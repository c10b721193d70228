package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// reads lists the options of config that a command goes by; its help shows these
// and no others. What stands below it goes by the same, unless it has a row.
func reads(command string) []string {
	everything := []string{"data", "workspace", "listen", "model", "auth", "origins", "log-level", "keep-age", "keep-size", "keep-count", "sandbox", "no-rate-limits", "json"}
	talks := []string{"data", "server", "token", "json"}
	works := append([]string{"workspace", "model", "sandbox", "log-level"}, talks...)
	rows := map[string][]string{
		"":               everything,
		"serve":          everything,
		"chat":           works,
		"mcp":            works,
		"doctor":         {"data", "json"},
		"fsck":           {"data", "json"},
		"checkpoints gc": {"data", "json"},
		"secrets rotate": {"data", "json"},
		"version":        {"json"},
		"help":           {},
		"completion":     {},
		"models":         talks,
		"sessions":       talks,
		"search":         talks,
		"rewind":         talks,
		"fork":           talks,
		"checkpoints":    talks,
		"export":         talks,
		"import":         talks,
		"settings":       talks,
		"secrets":        talks,
	}
	for {
		row, ok := rows[command]
		i := strings.LastIndexByte(command, ' ')
		if ok || i < 0 {
			return row
		}
		command = command[:i]
	}
}

// showHelp is the help of a command with the options that it reads. The others
// are still taken: they may stand before any command.
func showHelp(help func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, args []string) {
		shown := reads(strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()), " "))
		cmd.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) { f.Hidden = !slices.Contains(shown, f.Name) })
		help(cmd, args)
	}
}

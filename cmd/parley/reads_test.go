package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Every command says which options it reads, and there are such options.
func TestEveryCommandReadsSomething(t *testing.T) {
	root := newRoot(&program{})
	var visit func(cmd *cobra.Command, path string)
	visit = func(cmd *cobra.Command, path string) {
		row := reads(path)
		if len(row) == 0 {
			t.Errorf("%q has no row: its help would show no options", path)
		}
		for _, name := range row {
			if root.PersistentFlags().Lookup(name) == nil {
				t.Errorf("%q reads --%s, which is no option", path, name)
			}
		}
		for _, sub := range cmd.Commands() {
			visit(sub, strings.TrimSpace(path+" "+sub.Name()))
		}
	}
	visit(root, "")
}

// The help of a command shows its own flags and the options that it reads.
func TestHelpShowsWhatIsRead(t *testing.T) {
	for args, want := range map[string]string{
		"chat":          "data help json log-level model sandbox server session token workspace",
		"sessions keep": "data help json server token",
		"fsck":          "check data help json",
		"doctor":        "data help json",
		"version":       "help json",
		"serve":         "auth data help json keep-age keep-count keep-size listen log-level model no-rate-limits open origins sandbox workspace",
	} {
		var out bytes.Buffer
		if code := run(t.Context(), append(strings.Fields(args), "--help"), nil, &out, &out); code != 0 {
			t.Fatalf("%s --help ends with %d", args, code)
		}
		var got []string
		for _, m := range regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z-]+)`).FindAllStringSubmatch(out.String(), -1) {
			got = append(got, m[1])
		}
		slices.Sort(got)
		if have := strings.Join(got, " "); have != want {
			t.Errorf("%s --help shows\n%s, want\n%s", args, have, want)
		}
	}
}

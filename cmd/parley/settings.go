package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley/internal/settings"
)

func newSettings(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "settings",
		Short: "Show and change your settings",
		Long: `Settings are shown with where each value comes from. docs/settings.md describes
every key. With --session they are those that hold in one session, and what is
changed holds there alone.`,
		Args: cobra.NoArgs,
		RunE: p.withSettings(func(cmd *cobra.Command, s settingsStore, _ []string) error { return p.listSettings(cmd, s) }),
	}
	cmd.PersistentFlags().StringVar(&p.session, "session", "", "of this session")
	cmd.AddCommand(&cobra.Command{Use: "list", Short: "The same as parley settings", Args: cobra.NoArgs, RunE: cmd.RunE}, p.settingsGet(), p.settingsSet(), p.settingsReset(), p.settingsExport(), p.settingsImport(), p.settingsCheck())
	return cmd
}

func (p *program) listSettings(cmd *cobra.Command, s settingsStore) error {
	all, err := s.all(cmd.Context())
	if err != nil {
		return err
	}
	if p.json {
		return p.printJSON(all)
	}
	w := tabwriter.NewWriter(p.out, 2, 4, 2, ' ', 0)
	fmt.Fprintln(w, "KEY\tFROM\tVALUE")
	for _, i := range all.Items {
		fmt.Fprintf(w, "%s\t%s\t%s\n", i.Key, i.Layer, visible(oneLine(i.Value)))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	p.printProblems(all.Problems)
	return nil
}

// oneLine shows a value in a table.
func oneLine(v json.RawMessage) string {
	const most = 100
	text := strings.Join(strings.Fields(string(v)), " ")
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return text
}

func (p *program) printProblems(problems []settings.Problem) {
	for _, problem := range problems {
		fmt.Fprintln(p.err, visible(problem.String()))
	}
}

func (p *program) settingsGet() *cobra.Command {
	return &cobra.Command{
		Use:   "get KEY",
		Short: "Print the value of a setting",
		Args:  cobra.ExactArgs(1),
		RunE: p.withSettings(func(cmd *cobra.Command, s settingsStore, args []string) error {
			all, err := s.all(cmd.Context())
			if err != nil {
				return err
			}
			for _, i := range all.Items {
				if i.Key != strings.ReplaceAll(args[0], "-", "_") {
					continue
				}
				if p.json {
					return p.printJSON(i)
				}
				var text string
				if json.Unmarshal(i.Value, &text) != nil {
					text = string(i.Value)
				}
				_, err := fmt.Fprintln(p.out, text)
				return err
			}
			_, err = settings.ParseText(args[0], "")
			return err
		}),
	}
}

func (p *program) settingsSet() *cobra.Command {
	return &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Change a setting",
		Long: `Change a setting. A list is written with commas or as JSON, an object as JSON.
The value - is read from standard input.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("name a setting and its value: parley settings set KEY VALUE; a value with spaces needs quotes")
			}
			return nil
		},
		RunE: p.withSettings(func(cmd *cobra.Command, s settingsStore, args []string) error {
			key, text := strings.ReplaceAll(args[0], "-", "_"), args[1]
			if text == "-" {
				read, err := p.readAll()
				if err != nil {
					return err
				}
				text = strings.TrimSuffix(read, "\n")
			}
			value, err := settings.ParseText(key, text)
			if err != nil {
				return err
			}
			done := "set " + key
			if nextStart(key) {
				done += "; it counts from the next start of the server"
			}
			return p.changeSettings(cmd, s, map[string]json.RawMessage{key: value}, done)
		}),
	}
}

// nextStart says whether a server reads a setting only when it starts.
func nextStart(key string) bool {
	return slices.ContainsFunc(settings.Keys(), func(k settings.Key) bool { return k.Name == key && k.NextStart })
}

// counted is a number of things.
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

const maxInput = 4 << 20

func (p *program) readAll() (string, error) {
	data, err := io.ReadAll(io.LimitReader(p.in, maxInput+1))
	if err == nil && len(data) > maxInput {
		err = fmt.Errorf("more than %d bytes came in", maxInput)
	}
	return string(data), err
}

// changeSettings changes settings of both kinds, after all were checked.
func (p *program) changeSettings(cmd *cobra.Command, s settingsStore, changes map[string]json.RawMessage, done string) error {
	if err := s.change(cmd.Context(), changes); err != nil {
		return err
	}
	if p.json {
		return p.printJSON(map[string]any{"changed": len(changes)})
	}
	_, err := fmt.Fprintln(p.out, done)
	return err
}

func (p *program) settingsReset() *cobra.Command {
	var everything bool
	cmd := &cobra.Command{
		Use:   "reset KEY… | --all",
		Short: "Forget what was set",
		RunE: p.withSettings(func(cmd *cobra.Command, s settingsStore, args []string) error {
			if everything == (len(args) > 0) {
				return errors.New("name the settings to reset, or give --all")
			}
			if everything {
				done, err := s.reset(cmd.Context())
				return errors.Join(err, p.printCleared(done))
			}
			changes, note := map[string]json.RawMessage{}, ""
			for _, key := range args {
				key = strings.ReplaceAll(key, "-", "_")
				if changes[key] = json.RawMessage("null"); nextStart(key) {
					note += "; " + key + " counts from the next start of the server"
				}
			}
			return p.changeSettings(cmd, s, changes, counted(len(changes), "setting")+" reset"+note)
		}),
	}
	cmd.Flags().BoolVar(&everything, "all", false, "all that are stored, also what cannot be used; a file that cannot be read is put aside")
	return cmd
}

// printCleared says what a reset of everything has done, also if it was cut off.
func (p *program) printCleared(done cleared) error {
	if p.json {
		done.Keys = append([]string{}, done.Keys...) // a list, also of none
		return p.printJSON(struct {
			Changed int `json:"changed"`
			cleared
		}{len(done.Keys), done})
	}
	if len(done.Keys) > 0 {
		fmt.Fprintf(p.out, "%s reset: %s\n", counted(len(done.Keys), "setting"), visible(strings.Join(done.Keys, ", ")))
	}
	for _, path := range done.Moved {
		fmt.Fprintf(p.out, "the file that could not be read is now %s\n", path)
	}
	if len(done.Keys) == 0 && len(done.Moved) == 0 {
		fmt.Fprintln(p.out, "nothing was set")
	}
	return nil
}

func (p *program) settingsExport() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Print what was set, for import elsewhere; secrets are not in it",
		Args:  cobra.NoArgs,
		RunE: p.withSettings(func(cmd *cobra.Command, s settingsStore, _ []string) error {
			all, err := s.all(cmd.Context())
			if err != nil {
				return err
			}
			var items []settings.Item
			for _, i := range all.Items {
				if s.stores(i) {
					items = append(items, settings.Item{Key: i.Key, Value: i.Value, Masked: i.Masked})
				}
			}
			e := settings.NewExport(items)
			data, err := e.Encode()
			if err != nil {
				return err
			}
			if len(e.LeftOut) > 0 {
				fmt.Fprintln(p.err, "not exported, because there is a secret in it:", visible(strings.Join(e.LeftOut, ", ")))
			}
			if out != "" {
				if err := os.WriteFile(out, data, 0o600); err != nil || p.json {
					return err
				}
				_, err := fmt.Fprintf(p.out, "%s written to %s\n", counted(len(e.Settings), "setting"), out)
				return err
			}
			_, err = p.out.Write(data)
			return err
		}),
	}
	cmd.Flags().StringVar(&out, "out", "", "file to write instead")
	return cmd
}

func (p *program) settingsImport() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Set what an exported file names; - reads standard input",
		Args:  cobra.ExactArgs(1),
		RunE: p.withSettings(func(cmd *cobra.Command, s settingsStore, args []string) error {
			data, err := p.readFileOrInput(args[0])
			if err != nil {
				return err
			}
			e, err := settings.ParseExport(data)
			if err != nil {
				return err
			}
			done := counted(len(e.Settings), "setting") + " imported"
			if len(e.Unused) > 0 {
				done += "; not used here: " + strings.Join(e.Unused, ", ")
			}
			return p.changeSettings(cmd, s, e.Settings, done)
		}),
	}
}

func (p *program) readFileOrInput(name string) ([]byte, error) {
	if name != "-" {
		return os.ReadFile(name)
	}
	text, err := p.readAll()
	return []byte(text), err
}

func (p *program) settingsCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Say what is written in a file or the environment and cannot be used",
		Args:  cobra.NoArgs,
		RunE: p.withSettings(func(cmd *cobra.Command, s settingsStore, _ []string) error {
			all, err := s.all(cmd.Context())
			if err != nil {
				return err
			}
			if p.json {
				if err := p.printJSON(all.Problems); err != nil {
					return err
				}
			} else {
				p.printProblems(all.Problems)
			}
			if len(all.Problems) > 0 {
				return exitCode(1)
			}
			if !p.json {
				fmt.Fprintln(p.out, "all settings can be used")
			}
			return nil
		}),
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/parley-dev/parley/client"
	"github.com/parley-dev/parley/internal/secret"
	"github.com/parley-dev/parley/internal/settings"
)

func newSecrets(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "secrets",
		Short: "List, store and delete secrets such as keys of model vendors",
		Args:  nothing,
		RunE:  p.withSecrets(p.listSecrets),
	}
	// The words that were typed may be a secret: they are not repeated.
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, _ error) error {
		return fmt.Errorf("there is no such option; `%s --help` lists what there is", cmd.CommandPath())
	})
	cmd.AddCommand(&cobra.Command{Use: "list", Short: "The same as parley secrets", Args: nothing, RunE: cmd.RunE}, p.secretsSet(), p.secretsDelete(), p.secretsRotate())
	return cmd
}

// secretStore is the secrets of a server. Values go in and never come out.
type secretStore interface {
	names(ctx context.Context) ([]string, error)
	set(ctx context.Context, name string, value secret.Value) error
	delete(ctx context.Context, name string) error
}

type remoteSecrets struct{ c *client.Client }

func (r remoteSecrets) names(ctx context.Context) (names []string, err error) {
	var list struct {
		Items []struct{ Name string }
	}
	err = r.c.Call(ctx, http.MethodGet, "/api/v1/secrets", nil, &list)
	for _, i := range list.Items {
		names = append(names, i.Name)
	}
	return names, err
}

func (r remoteSecrets) set(ctx context.Context, name string, value secret.Value) error {
	return r.c.Call(ctx, http.MethodPut, "/api/v1/secrets/"+name, map[string]string{"value": value.Reveal()}, nil)
}

func (r remoteSecrets) delete(ctx context.Context, name string) error {
	return r.c.Call(ctx, http.MethodDelete, "/api/v1/secrets/"+name, nil, nil)
}

type localSecrets struct{ s *settings.Secrets }

func (l localSecrets) names(context.Context) ([]string, error) { return l.s.Names() }
func (l localSecrets) set(_ context.Context, name string, value secret.Value) error {
	return l.s.Set(name, value)
}
func (l localSecrets) delete(_ context.Context, name string) error { return l.s.Delete(name) }

func (p *program) localSecrets() *settings.Secrets {
	return settings.OpenSecrets(settings.SecretsOptions{
		Dir: filepath.Join(p.config.data, "secrets"), Keyring: settings.NewKeyring(),
		PreferKeyring: func() bool { return settings.Open(p.settingsFrom()).Effective("", nil).Values.SecretsKeyring },
	})
}

func (p *program) withSecrets(do func(*cobra.Command, secretStore, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if p.unserved() {
			return do(cmd, localSecrets{p.localSecrets()}, args)
		}
		c, done, err := p.connect(cmd.Context())
		if err != nil {
			return err
		}
		defer done()
		return do(cmd, remoteSecrets{c}, args)
	}
}

func (p *program) listSecrets(cmd *cobra.Command, s secretStore, _ []string) error {
	names, err := s.names(cmd.Context())
	if err != nil {
		return err
	}
	if len(names) == 0 && !p.json {
		fmt.Fprintln(p.err, "no secrets yet; `parley secrets set NAME` stores one")
	}
	for _, name := range names {
		if p.json {
			err = p.printJSON(map[string]string{"name": name})
		} else {
			_, err = fmt.Fprintln(p.out, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// nothing refuses arguments without repeating them: one may be a secret.
func nothing(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return errors.New("this takes no words; `parley secrets set NAME` stores a secret, which is typed when asked for, or piped in")
	}
	return nil
}

// onlyName keeps secrets out of the command line, where the shell's history and
// every process of the machine could read them.
func onlyName(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return errors.New("name the secret, such as ANTHROPIC_API_KEY")
	case 1:
		return settings.CheckName(args[0])
	}
	return errors.New("a secret is never given as an argument, where others could see it: type it when asked, or pipe it in")
}

func (p *program) secretsSet() *cobra.Command {
	return &cobra.Command{
		Use:   "set NAME",
		Short: "Store a secret, typed or piped in",
		Args:  onlyName,
		RunE: p.withSecrets(func(cmd *cobra.Command, s secretStore, args []string) error {
			value, err := p.readSecret(args[0])
			if err != nil {
				return err
			}
			if err := s.set(cmd.Context(), args[0], value); err != nil {
				return err
			}
			return p.sayOf(args[0], "stored")
		}),
	}
}

// readSecret asks without showing what is typed, or takes what is piped in,
// without the end of its last line.
func (p *program) readSecret(name string) (secret.Value, error) {
	f, ok := p.in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		text, err := p.readAll()
		return secret.New(strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")), err
	}
	fmt.Fprintf(p.err, "%s (not shown): ", name)
	typed, err := term.ReadPassword(int(f.Fd()))
	fmt.Fprintln(p.err)
	return secret.New(strings.TrimSpace(string(typed))), err
}

func (p *program) secretsDelete() *cobra.Command {
	return &cobra.Command{
		Use:   "delete NAME",
		Short: "Delete a secret for good",
		Args:  onlyName,
		RunE: p.withSecrets(func(cmd *cobra.Command, s secretStore, args []string) error {
			if err := s.delete(cmd.Context(), args[0]); err != nil {
				return err
			}
			return p.sayOf(args[0], "deleted")
		}),
	}
}

func (p *program) secretsRotate() *cobra.Command {
	return &cobra.Command{
		Use:   "rotate",
		Short: "Encrypt the secrets of the data folder under a new key",
		Args:  nothing,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if p.config.server != "" {
				return errors.New("a rotation is done where the data folder is: run it on that machine, without --server")
			}
			s := p.localSecrets()
			if err := s.Rotate(); err != nil {
				return err
			}
			where, err := s.Where()
			if err != nil {
				return err
			}
			if p.json {
				return p.printJSON(map[string]any{"rotated": true, "key": where})
			}
			if where == "file" {
				where = "file " + filepath.Join(p.config.data, "secrets", "key")
			}
			_, err = fmt.Fprintf(p.out, "the secrets have a new key; it is in the %s\n", where)
			return err
		},
	}
}

func (p *program) sayOf(name, done string) error {
	if p.json {
		return p.printJSON(map[string]any{"name": name, done: true})
	}
	_, err := fmt.Fprintf(p.out, "%s %s\n", done, name)
	return err
}

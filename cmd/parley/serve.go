package main

import (
	"fmt"
	"log/slog"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley"
	"github.com/parley-dev/parley/tool/sandbox"
)

func newServe(p *program) *cobra.Command {
	var openPage bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve sessions (what parley does without a command)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := p.newServer()
			if err != nil {
				return err
			}
			defer s.Close()
			return s.Run(cmd.Context(), func(r parley.Running) {
				p.announce(r, s)
				if openPage {
					openBrowser(pageURL(r, s.Token()))
				}
			})
		},
	}
	cmd.Flags().BoolVar(&openPage, "open", false, "open the page in a browser")
	return cmd
}

// newServer makes a server of the configuration.
func (p *program) newServer() (*parley.Server, error) {
	level := slog.LevelInfo
	if err := level.UnmarshalText([]byte(p.config.logLevel)); err != nil {
		return nil, fmt.Errorf("--log-level must be debug, info, warn or error, not %q", p.config.logLevel)
	}
	var handler slog.Handler = slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: level})
	if p.json {
		handler = slog.NewJSONHandler(p.err, &slog.HandlerOptions{Level: level})
	}
	c := p.config
	from := p.settingsFrom()
	return parley.New(parley.Options{
		Data: c.data, Workspace: c.workspace, Listen: c.listen, Model: c.model, Auth: c.auth,
		Origins: c.origins, Logger: slog.New(handler), NoRateLimits: c.noLimits, Sandbox: c.sandbox,
		Retention: parley.Retention{Age: c.keepAge, Size: int64(c.keepSize), Count: c.keepCount},
		Config:    from.File, ConfigOptions: from.Others, Flags: from.Flags,
	})
}

// ready is the line that a program waits for.
type ready struct {
	Listen string `json:"listen"`
	URL    string `json:"url"`
	Token  string `json:"token"`
}

func (p *program) announce(r parley.Running, s *parley.Server) {
	token := s.Token()
	if p.json {
		_ = p.printJSON(ready{Listen: r.Listen, URL: r.URL, Token: token})
		return
	}
	fmt.Fprintf(p.out, "Parley %s is ready.\n\n  open       %s\n  WebSocket  ws://%s/ws/SESSION%s\n  data       %s\n  workspace  %s\n  model      %s\n  sandbox    %s\n\nStop with Ctrl-C; nothing is lost.\n",
		parley.Version, pageURL(r, token), r.Listen, query(token), p.config.data, p.config.workspace, p.config.model, about(s.Sandbox()))
}

// about says in a few words what holds the commands of agents.
func about(s sandbox.Info) string {
	out := s.Name
	if s.Files {
		out += ": commands write in the workspace only"
	}
	if s.Network != "" {
		out += ", network " + s.Network
	}
	if s.Why != "" {
		out += " (" + s.Why + ")"
	}
	return out
}

func pageURL(r parley.Running, token string) string { return r.URL + "/" + query(token) }

func query(token string) string {
	if token == "" {
		return ""
	}
	return "?token=" + token
}

// openBrowser does what it can; the address is on the screen in any case.
func openBrowser(url string) {
	command := map[string][]string{
		"darwin":  {"open", url},
		"windows": {"rundll32", "url.dll,FileProtocolHandler", url},
	}[runtime.GOOS]
	if command == nil {
		command = []string{"xdg-open", url}
	}
	_ = exec.Command(command[0], command[1:]...).Start()
}

package parley

import (
	"os"
	"path/filepath"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/builtin"
	"github.com/parley-dev/parley/tool/sandbox"
)

// DefaultTools are the tools of a server that names none, without a server: no
// folder is hidden from them.
func DefaultTools() []tool.Tool { return builtin.All() }

// newTools are the tools of this server: commands run in the best sandbox that
// there is, and never see the server's data.
func (s *Server) newTools() []tool.Tool {
	o := s.options
	s.sandbox = sandbox.New(sandbox.Options{
		Use: o.Sandbox, Helper: sandbox.Helper(), Hide: []string{o.Data}, Cache: filepath.Join(o.Data, "cache"),
	})
	return builtin.New(builtin.Options{Sandbox: s.sandbox, Domains: s.settings.Effective("", nil).Values.FetchAllow})
}

// Sandbox says what holds the commands of agents.
func (s *Server) Sandbox() sandbox.Info {
	if s.sandbox == nil {
		return sandbox.Info{Name: "none", Why: "the tools were given by the program that embeds the server"}
	}
	return s.sandbox.Info()
}

// getenv gives a variable of the environment, or the secret of that name.
func (s *Server) getenv(name string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	if secret, ok := s.secrets.Lookup(name); ok {
		return secret.Reveal()
	}
	return ""
}

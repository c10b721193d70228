package parley

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/parley-dev/parley/internal/settings"
	"github.com/parley-dev/parley/protocol"
	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/mcp"
)

// hosts keeps the MCP servers of each owner connected, from the first use on.
type hosts struct {
	s   *Server
	ctx context.Context
	off func() // stops listening to changes of settings

	renewing sync.Mutex // one after the other: the last list is the newest

	mu   sync.Mutex
	open map[string]*mcp.Host
	shut bool
}

func newHosts(ctx context.Context, s *Server) *hosts {
	return &hosts{s: s, ctx: ctx, off: func() {}, open: map[string]*mcp.Host{}}
}

// listen follows changes of settings: clients are told, and servers renewed.
func (h *hosts) listen() {
	h.off = h.s.settings.Subscribe(func(c settings.Change) {
		h.s.engine.TellOwner(c.Owner, protocol.TypeSettingsChanged, protocol.SettingsChanged{Keys: c.Keys})
		if slices.Contains(c.Keys, "mcp_servers") {
			h.s.work.Go(func() { h.renew(c.Owner) }) // it may wait for a server to end
		}
	})
}

// patience is how long the first use of an owner's servers waits for them.
const patience = 5 * time.Second

// of gives an owner's host; nil if they have no servers.
func (h *hosts) of(owner string) *mcp.Host {
	host, fresh := h.find(owner)
	if fresh {
		ctx, cancel := context.WithTimeout(h.ctx, patience)
		defer cancel()
		host.Ready(ctx)
	}
	return host
}

// find gives a host, and says whether it was opened just now.
func (h *hosts) find(owner string) (host *mcp.Host, fresh bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if host, ok := h.open[owner]; ok || h.shut {
		return host, false
	}
	list := h.list(owner)
	if len(list) == 0 {
		return nil, false
	}
	host = mcp.Open(h.ctx, list, mcp.Options{Logger: h.s.options.Logger, Version: Version, Lookup: func(text string) (string, error) {
		secret, err := settings.Resolve(text, h.s.secrets.Lookup)
		return secret.Reveal(), err
	}})
	h.open[owner] = host
	return host, true
}

// list gives an owner's servers as the settings have them now.
func (h *hosts) list(owner string) []mcp.Server {
	set := h.s.settings.Effective(owner, nil).Values.MCPServers
	var out []mcp.Server
	for _, name := range slices.Sorted(maps.Keys(set)) {
		m := set[name]
		out = append(out, mcp.Server{
			Name: name, Command: m.Command, Args: m.Args, Env: m.Env, URL: m.URL, Headers: m.Headers, Disabled: m.Disabled, AlwaysAllow: m.AlwaysAllow,
		})
	}
	return out
}

// renew connects what was added and lets go of what was removed. A server that is
// slow to end keeps nobody from using the others.
func (h *hosts) renew(owner string) {
	h.renewing.Lock()
	defer h.renewing.Unlock()
	h.mu.Lock()
	open := maps.Clone(h.open)
	h.mu.Unlock()
	for of, host := range open {
		if owner == "" || owner == of {
			host.Use(h.ctx, h.list(of))
		}
	}
}

// tools are what the servers of an owner offer now.
func (h *hosts) tools(owner string) []tool.Tool {
	if host := h.of(owner); host != nil {
		return host.Tools()
	}
	return nil
}

// always are the tools of an owner's servers that run unasked, besides those
// that they have allowed for all their sessions.
func (h *hosts) always(ctx context.Context, owner string) ([]string, error) {
	allowed, err := h.s.index.Always(ctx, owner)
	if host := h.of(owner); host != nil {
		allowed = append(allowed, host.Always()...)
	}
	return allowed, err
}

func (h *hosts) close() error {
	h.off()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.shut = true
	var errs []error
	for _, host := range h.open {
		errs = append(errs, host.Close())
	}
	clear(h.open)
	return errors.Join(errs...)
}

package mcp

import (
	"context"
	"log/slog"
	"reflect"
	"slices"
	"sync"

	"github.com/parley-dev/parley/tool"
)

// Server says how to reach a server: a program to run, or a URL.
type Server struct {
	// Name is what people call it, and a part of its tools' names.
	Name    string
	Command string
	Args    []string
	// Env is what the program sees beside the usual; the values may refer to
	// secrets.
	Env map[string]string
	URL string
	// Headers go with every request to the URL; the values may refer to
	// secrets.
	Headers  map[string]string
	Disabled bool
	// AlwaysAllow are tools, by the server's own names, that run unasked.
	AlwaysAllow []string
}

// Options is what a host uses.
type Options struct {
	Logger *slog.Logger // nothing is logged if nil
	// Lookup gives a text with the secrets that it refers to in their places.
	// It is asked at each connection. Nil leaves texts as they are.
	Lookup func(text string) (string, error)
	// Changed is called after the tools or the status of a server changed. It
	// must not wait, nor call the host. Nil tells nobody.
	Changed func()
	// Version is what servers are told of the program that uses them.
	Version string
}

// Host keeps connections to servers.
type Host struct {
	options Options

	mu     sync.Mutex
	links  []*link // in the order of the servers
	closed bool
}

// Open begins to connect and does not wait for it: see Ready. The context ends
// all connections, as Close does; whoever opens a host closes it.
func Open(ctx context.Context, servers []Server, o Options) *Host {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Lookup == nil {
		o.Lookup = func(text string) (string, error) { return text, nil }
	}
	if o.Changed == nil {
		o.Changed = func() {}
	}
	h := &Host{options: o}
	h.Use(ctx, servers)
	return h
}

// Use takes other servers from now on. Those that are as they were keep their
// connections; it waits until the others have ended.
func (h *Host) Use(ctx context.Context, servers []Server) {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return
	}
	old := h.links
	h.links = nil
	seen := map[string]bool{}
	for _, s := range servers {
		twice := seen[s.Name]
		seen[s.Name] = true
		at := slices.IndexFunc(old, func(l *link) bool { return reflect.DeepEqual(l.server, s) })
		if at >= 0 && !twice {
			h.links = append(h.links, old[at])
			old = slices.Delete(slices.Clone(old), at, at+1)
			continue
		}
		h.links = append(h.links, newLink(ctx, s, h.options, twice))
	}
	h.mu.Unlock()
	end(old)
	h.options.Changed()
}

// Ready waits until each server is connected or has failed to connect once.
func (h *Host) Ready(ctx context.Context) error {
	for _, l := range h.all() {
		select {
		case <-l.tried:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Tools gives the tools that there are now. A name stands for one tool; of two,
// the one of the earlier server counts.
func (h *Host) Tools() []tool.Tool {
	var out []tool.Tool
	seen := map[string]bool{}
	resources := false
	for _, l := range h.all() {
		offer := l.offered()
		resources = resources || offer.resources
		for _, t := range offer.tools {
			if !seen[t.info.Name] {
				seen[t.info.Name] = true
				out = append(out, t)
			}
		}
	}
	if resources {
		out = append(out, listResources{h}, readResource{h})
	}
	return out
}

// Always gives the names of the tools that run unasked, connected or not.
func (h *Host) Always() []string {
	var out []string
	for _, l := range h.all() {
		for _, own := range l.server.AlwaysAllow {
			if full := name(l.server.Name, own); !slices.Contains(out, full) {
				out = append(out, full)
			}
		}
	}
	return out
}

// Close ends all connections and the programs behind them, and waits for that.
func (h *Host) Close() error {
	h.mu.Lock()
	links := h.links
	h.closed = true
	h.mu.Unlock()
	end(links)
	return nil
}

func (h *Host) all() []*link {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.links)
}

// find gives the link of a server.
func (h *Host) find(server string) (*link, error) {
	var names []string
	for _, l := range h.all() {
		if l.server.Name == server && !l.server.Disabled {
			return l, nil
		}
		names = append(names, l.server.Name)
	}
	return nil, failure(tool.CodeInputInvalid, false, nil, "there is no MCP server %q; there are: %s", server, list(names))
}

// end stops links side by side.
func end(links []*link) {
	var wg sync.WaitGroup
	for _, l := range links {
		wg.Go(l.end)
	}
	wg.Wait()
}

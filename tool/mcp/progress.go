package mcp

import (
	"context"
	"math"
	"strconv"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/parley-dev/parley/tool"
)

// maxStep bounds what a server says about how far it is.
const maxStep = 200

// sink takes the progress of one call, until the call has ended.
type sink struct {
	mu   sync.Mutex
	emit func(tool.Event) // nil after the end
}

// watch has progress that comes with the token emitted. After done none is.
func (c *conn) watch(emit func(tool.Event)) (token string, done func()) {
	token = "call-" + strconv.FormatInt(c.calls.Add(1), 10)
	s := &sink{emit: emit}
	c.mu.Lock()
	c.sinks[token] = s
	c.mu.Unlock()
	return token, func() {
		c.mu.Lock()
		delete(c.sinks, token)
		c.mu.Unlock()
		s.mu.Lock()
		s.emit = nil
		s.mu.Unlock()
	}
}

// progress takes what the server says about how far a call is.
func (c *conn) progress(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
	if r.Params == nil {
		return
	}
	token, _ := r.Params.ProgressToken.(string)
	c.mu.Lock()
	s := c.sinks[token]
	c.mu.Unlock()
	if s == nil {
		return
	}
	p := progressOf(r.Params)
	p.Step = clip(c.plain(r.Params.Message), maxStep)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.emit != nil {
		s.emit(tool.Event{Progress: p})
	}
}

func progressOf(n *sdk.ProgressNotificationParams) *tool.Progress {
	p := &tool.Progress{Items: count(n.Progress), Total: count(n.Total)}
	if n.Total > 0 {
		p.Percent = min(100, count(100*n.Progress/n.Total))
	}
	return p
}

// count makes a number of things of whatever a server sends.
func count(f float64) int {
	if math.IsNaN(f) || f < 0 {
		return 0
	}
	return int(min(f, math.MaxInt32))
}

package mcp

import "time"

// State is how a server is reached.
type State string

// The states of a server.
const (
	Connecting State = "connecting" // for the first time, or again
	Connected  State = "connected"
	Failed     State = "failed" // it is tried again after a pause
	Disabled   State = "disabled"
)

// Status says how a server is doing, for people.
type Status struct {
	Server string `json:"server"`
	State  State  `json:"state"`
	// Since is when it came to this state.
	Since time.Time `json:"since"`
	// Error says why the last connection or the last try failed; "" while it is
	// connected.
	Error string `json:"error,omitempty"`
	// Program and Protocol are what the server says of itself.
	Program  string `json:"program,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	// Tools, Prompts and Resources are what can be used; of resources only
	// whether there are any is known.
	Tools     int  `json:"tools"`
	Prompts   int  `json:"prompts"`
	Resources bool `json:"resources"`
	// Problems are what the server offers and nobody can use, and why.
	Problems []string `json:"problems,omitempty"`
}

// Status gives that of each server, in their order.
func (h *Host) Status() []Status {
	links := h.all()
	out := make([]Status, len(links))
	for i, l := range links {
		out[i] = l.current()
	}
	return out
}

func (l *link) current() Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.status
	s.Tools, s.Prompts, s.Resources, s.Problems = len(l.offer.tools), len(l.offer.prompts), l.offer.resources, l.offer.problems
	return s
}

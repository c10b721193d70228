// Package mcp is the door for other agents: Parley as an MCP server, over
// streamable HTTP. An agent starts sessions, says something in them, waits for
// what comes of it, answers what is asked, and reads.
//
// It does framing and nothing else. Every call of a tool is a command of the
// protocol or a reading of it, goes through the gateway's dispatch, and is
// allowed to whoever is allowed it behind every other door. What is refused is
// told to the agent in the protocol's words.
//
// The door keeps no session of its own: each request shows who is calling and
// stands for itself, so nothing is lost when the server restarts and nothing
// grows with the number of agents.
package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/gateway"
	"github.com/parley-dev/parley/internal/index"
	"github.com/parley-dev/parley/protocol"
)

// maxBody bounds a request.
const maxBody = 2 << 20

// Index lists sessions and tells them line by line.
type Index interface {
	List(ctx context.Context, q index.Query) (index.Page[index.Item], error)
	Lines(ctx context.Context, session string, v index.View, r index.Range, may func(owner string) error) (index.Lines, error)
}

// Options is what the door is made of.
type Options struct {
	Gateway *gateway.Gateway
	Index   Index
	// Version of the server, which clients are told.
	Version string
	// WritesPerMinute limits the calls of one user that change something: 600
	// if it is 0, none if it is negative.
	WritesPerMinute int
	Logger          *slog.Logger
}

// door is the handler.
type door struct {
	Options
	writes *auth.Limiter // of users, not of answers
	inner  http.Handler
}

// New makes the door, to be mounted at /mcp.
func New(o Options) http.Handler {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.WritesPerMinute == 0 {
		o.WritesPerMinute = 600
	}
	d := &door{Options: o, writes: auth.NewLimiter(auth.Limits{Answers: o.WritesPerMinute}, time.Now)}
	s := d.server()
	d.inner = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // CheckRequest looks after that, with the operator's exceptions
	})
	return d
}

// server is what the agent talks to.
func (d *door) server() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "parley", Title: "Parley", Version: d.Version}, &sdk.ServerOptions{
		Instructions: "Parley runs sessions in which an agent works for you. Start one with parley_start_session, give it work with parley_send, " +
			"and follow it with parley_wait. When the status is waiting, the session asks for something: answer with parley_answer. " +
			"Nothing is lost when you leave; parley_list finds your sessions again.",
		Capabilities: capabilities(),
	})
	d.addTools(s)
	d.addResources(s)
	return s
}

// capabilities are what the door declares: lists that do not change. There are no
// prompts, but the list of them is answered.
func capabilities() *sdk.ServerCapabilities {
	return &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}, Prompts: &sdk.PromptCapabilities{}}
}

// ServeHTTP lets known callers in.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	v, err := d.admit(r)
	if err != nil {
		refuse(w, err)
		return
	}
	// What waits for a session waits no longer than the client does.
	ctx := context.WithValue(r.Context(), visitorKey{}, v)
	d.inner.ServeHTTP(w, r.WithContext(ctx))
}

type visitorKey struct{}

// visitor is who calls, for as long as the request is there.
type visitor struct {
	gateway.Caller
	request context.Context
}

func (d *door) admit(r *http.Request) (visitor, error) {
	if err := d.Gateway.Auth.CheckRequest(r); err != nil {
		return visitor{}, err
	}
	id, err := d.Gateway.Auth.Authenticate(r.Context(), auth.FromRequest(r))
	return visitor{gateway.Caller{Identity: id}, r.Context()}, err
}

func visitorOf(ctx context.Context) visitor {
	v, ok := ctx.Value(visitorKey{}).(visitor)
	if !ok {
		panic("mcp: a tool was reached without a caller")
	}
	return v
}

// refuse answers a request that does not get in, as every HTTP door does.
func refuse(w http.ResponseWriter, err error) {
	e := protocol.AsError(err)
	status := http.StatusInternalServerError
	if spec, ok := e.Code.Spec(); ok {
		status = spec.HTTP
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="parley"`)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{ // the caller is gone if it fails
		"type": "/docs#" + e.Name, "title": e.Name, "status": status, "detail": e.Message, "code": e.Code, "name": e.Name,
	})
}

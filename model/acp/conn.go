package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/parley-dev/parley/internal/program"
	"github.com/parley-dev/parley/model"
)

// conn is the connection to an agent's process.
type conn struct {
	command command
	program *program.Program
	lines   *lines
	rpc     *sdk.Connection
	config  Config
	once    sync.Once

	mu     sync.Mutex
	closed bool
	work   sync.WaitGroup // what runs on the connection

	loads  bool // the agent can load sessions
	images bool // and look at pictures
}

// handlers say what an agent may ask of us.
type handlers map[string]func(ctx context.Context, params json.RawMessage) (any, error)

// on makes a handler of what takes the parameters of its method.
func on[T any](serve func(ctx context.Context, params T) (any, error)) func(context.Context, json.RawMessage) (any, error) {
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		var params T
		if err := json.Unmarshal(raw, &params); err != nil {
			return nil, sdk.NewInvalidParams(map[string]any{"error": err.Error()})
		}
		return serve(ctx, params)
	}
}

// dial starts an agent and greets it.
func (m *Model) dial(ctx context.Context, folder string, serve handlers) (*conn, error) {
	c, err := m.connect(folder, serve)
	if err != nil {
		return nil, err
	}
	if err := c.greet(ctx); err != nil {
		m.hangUp(c, 0)
		return nil, err
	}
	return c, nil
}

// connect starts an agent, unless the model is closed: Close knows them all.
func (m *Model) connect(folder string, serve handlers) (*conn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, &model.Error{Kind: model.Unavailable, Message: "the server stops; no agent is started any more"}
	}
	p, err := m.command.start(folder)
	if err != nil {
		return nil, &model.Error{Kind: model.Unavailable, Err: err, Message: fmt.Sprintf("the agent %s could not be started: %v", m.command.program, err)}
	}
	c := &conn{command: m.command, program: p, lines: newLines(p.Out), config: m.config}
	c.rpc = sdk.NewConnection(c.serve(serve), p.In, c.lines)
	c.rpc.SetLogger(slog.New(slog.DiscardHandler))
	close(c.lines.begun)
	m.conns[c] = true
	return c, nil
}

// hangUp ends an agent's process and all that it started; grace is how long it
// may take to end by itself.
func (m *Model) hangUp(c *conn, grace time.Duration) {
	c.close(grace)
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.conns, c)
}

// serve answers what the agent asks.
func (c *conn) serve(by handlers) sdk.MethodHandler {
	return func(ctx context.Context, method string, params json.RawMessage) (any, *sdk.RequestError) {
		if method == sdk.ClientMethodSessionUpdate {
			defer c.lines.done()
		}
		handle, ok := by[method]
		if !ok {
			return nil, sdk.NewMethodNotFound(method)
		}
		result, err := handle(ctx, params)
		if err == nil {
			return result, nil
		}
		var refused *sdk.RequestError
		if !errors.As(err, &refused) {
			refused = sdk.NewInternalError(map[string]any{"error": err.Error()})
		}
		return nil, refused
	}
}

// greet agrees on the protocol.
func (c *conn) greet(ctx context.Context) error {
	hello, err := call[sdk.InitializeResponse](ctx, c, sdk.AgentMethodInitialize, sdk.InitializeRequest{
		ProtocolVersion:    sdk.ProtocolVersionNumber,
		ClientInfo:         &sdk.Implementation{Name: "parley", Version: "1"},
		ClientCapabilities: sdk.ClientCapabilities{Fs: sdk.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}},
	})
	if err != nil {
		return err
	}
	if hello.ProtocolVersion != sdk.ProtocolVersionNumber {
		return &model.Error{Kind: model.Invalid, Message: fmt.Sprintf(
			"the agent %s speaks version %d of the Agent Client Protocol, and we speak %d; use another version of it",
			c.command.program, hello.ProtocolVersion, sdk.ProtocolVersionNumber)}
	}
	c.loads, c.images = hello.AgentCapabilities.LoadSession, hello.AgentCapabilities.PromptCapabilities.Image
	return nil
}

// call asks the agent for something that it has to give soon.
func call[T any](ctx context.Context, c *conn, method string, params any) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, c.config.Start)
	defer cancel()
	result, err := sdk.SendRequest[T](c.rpc, ctx, method, params)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = &model.Error{Kind: model.Unavailable, Message: c.explain(fmt.Sprintf("did not answer %s for %s", method, c.config.Start))}
	} else if err != nil {
		err = c.failure(err)
	}
	return result, err
}

// authRequired is the protocol's code for an agent that nobody is signed in to.
const authRequired = -32000

// failure says why the agent did not do what it was asked.
func (c *conn) failure(err error) error {
	var refused *sdk.RequestError
	select {
	case <-c.rpc.Done():
		return &model.Error{Kind: model.Interrupted, Err: err, Message: c.explain("is gone")}
	default:
	}
	if !errors.As(err, &refused) {
		return &model.Error{Kind: model.Interrupted, Err: err, Message: c.explain(c.command.clean(err.Error()))}
	}
	said := refused.Message
	if refused.Data != nil {
		if data, err := json.Marshal(refused.Data); err == nil {
			said += " " + string(data)
		}
	}
	if refused.Code == authRequired {
		return &model.Error{Kind: model.Auth, Err: err, Message: fmt.Sprintf(
			"nobody is signed in to the agent %s (%s); sign in by starting it in a terminal, or name the variable with its key: acp:$NAME COMMAND",
			c.command.program, c.command.clean(said))}
	}
	return &model.Error{Kind: model.Interrupted, Err: err, Message: fmt.Sprintf("the agent %s failed: %s", c.command.program, c.command.clean(said))}
}

// explain says what is wrong with the process.
func (c *conn) explain(what string) string {
	text := fmt.Sprintf("the agent %s %s", c.command.program, what)
	if about := c.program.About(); about != "" {
		text += ": " + c.command.clean(about)
	}
	return text
}

// run runs something that ends with the connection; false if that is closed.
func (c *conn) run(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.work.Go(f)
	}
	return !c.closed
}

func (c *conn) close(grace time.Duration) {
	c.once.Do(func() {
		c.mu.Lock()
		c.closed = true
		c.mu.Unlock()
		c.lines.close()
		c.program.Close(grace)
		<-c.rpc.Done()
		c.work.Wait()
	})
}

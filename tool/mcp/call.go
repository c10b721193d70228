package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/parley-dev/parley/tool"
)

// callTime is the longest that a call may take.
const callTime = 10 * time.Minute

// remoteTool is a server's tool.
type remoteTool struct {
	link *link
	own  string // the server's name for it
	info tool.Info
}

// Info says what the server said of it when it was last asked.
func (t *remoteTool) Info() tool.Info { return t.info }

// Preview shows the call as the server will get it.
func (t *remoteTool) Preview(_ context.Context, call tool.Call) (string, error) {
	if err := tool.Check(t.info, call.Input); err != nil {
		return "", err
	}
	var input bytes.Buffer
	if err := json.Indent(&input, call.Input, "", "  "); err != nil {
		return "", failure(tool.CodeInputInvalid, false, err, "the input is not JSON: %v", err)
	}
	return clip(fmt.Sprintf("%s on the MCP server %s\n%s", t.own, t.link.server.Name, input.String()), tool.MaxText), nil
}

// Run has the server do it.
func (t *remoteTool) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	if err := tool.Check(t.info, call.Input); err != nil {
		return tool.Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	c, err := t.link.use(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	params := &sdk.CallToolParams{Name: t.own, Arguments: call.Input}
	if call.Emit != nil {
		token, done := c.watch(call.Emit)
		defer done()
		params.SetProgressToken(token)
	}
	during, done := c.within(ctx)
	defer done()
	answer, err := c.session.CallTool(during, params)
	if err := ctx.Err(); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			c.prove()
		}
		return tool.Result{}, err
	}
	if err != nil {
		return tool.Result{}, c.refused(err, t.own, t.info.Effect != tool.EffectEffect)
	}
	return c.result(answer, t.own), nil
}

package mcp

import (
	"context"
	"fmt"
	"io"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bridge is the door of a server elsewhere, for a client that speaks MCP over
// two pipes.
type Bridge struct {
	// URL is that of the door, and Token what it is shown.
	URL, Token string
	// Version of the program that bridges.
	Version string
}

// Run serves the client until it leaves or the context ends. What the client
// calls is called at the door, each call by a connection of its own: so a server
// that was restarted is found again.
func (b Bridge) Run(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	far, err := b.connect(ctx, nil)
	if err != nil {
		return err
	}
	defer far.Close()
	near, err := b.mirror(ctx, far)
	if err != nil {
		return fmt.Errorf("ask the server what it offers: %w", err)
	}
	return near.Run(ctx, &sdk.IOTransport{Reader: in, Writer: out, MaxLineLength: maxBody})
}

// mirror makes a server that offers what the far one does.
func (b Bridge) mirror(ctx context.Context, far *sdk.ClientSession) (*sdk.Server, error) {
	o := &sdk.ServerOptions{Capabilities: capabilities()}
	if r := far.InitializeResult(); r != nil {
		o.Instructions = r.Instructions
	}
	near := sdk.NewServer(&sdk.Implementation{Name: "parley", Title: "Parley", Version: b.Version}, o)
	for t, err := range far.Tools(ctx, nil) {
		if err != nil {
			return nil, err
		}
		near.AddTool(t, b.call)
	}
	for t, err := range far.ResourceTemplates(ctx, nil) {
		if err != nil {
			return nil, err
		}
		near.AddResourceTemplate(t, b.read)
	}
	return near, nil
}

func (b Bridge) call(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	token := r.Params.GetProgressToken()
	far, err := b.connect(ctx, func(ctx context.Context, n *sdk.ProgressNotificationClientRequest) {
		p := *n.Params
		p.ProgressToken = token
		_ = r.Session.NotifyProgress(ctx, &p) // who does not listen waits on
	})
	if err != nil {
		return nil, err
	}
	defer far.Close()
	params := &sdk.CallToolParams{Name: r.Params.Name, Arguments: r.Params.Arguments}
	if token != nil {
		params.SetProgressToken("bridged")
	}
	return far.CallTool(ctx, params)
}

func (b Bridge) read(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	far, err := b.connect(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer far.Close()
	return far.ReadResource(ctx, &sdk.ReadResourceParams{URI: r.Params.URI})
}

func (b Bridge) connect(ctx context.Context, progress func(context.Context, *sdk.ProgressNotificationClientRequest)) (*sdk.ClientSession, error) {
	client := sdk.NewClient(&sdk.Implementation{Name: "parley-bridge", Version: b.Version}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{}, ProgressNotificationHandler: progress,
	})
	far, err := client.Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: b.URL, HTTPClient: &http.Client{Transport: b}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("the server at %s does not answer as an MCP server: %w", b.URL, err)
	}
	return far, nil
}

// RoundTrip shows the token with each request.
func (b Bridge) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.Token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.Token)
	}
	return http.DefaultTransport.RoundTrip(r)
}

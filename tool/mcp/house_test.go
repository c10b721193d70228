package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/mcp"
)

// roleName names the variable that makes the tests a server themselves.
const roleName = "TEST_SERVER_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleName); role != "" {
		play(role, os.Getenv("TEST_SERVER_TEXT"))
		return
	}
	goleak.VerifyTestMain(m)
}

// play is a server on standard input and output.
func play(role, text string) {
	switch role {
	case "honest":
		_ = honest(nil).Run(context.Background(), &sdk.StdioTransport{})
	case "liar":
		lie(text)
	case "silent": // reads and never answers
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			continue
		}
	case "noisy":
		fmt.Println("this is not JSON")
		fmt.Fprintln(os.Stderr, "the token is "+text)
		os.Exit(3)
	case "giant":
		fmt.Println(`{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat("x", 20<<20) + `"}`)
		select {}
	case "family": // a child that leaves the session and does not end when asked
		child := exec.Command("setsid", "sh", "-c", `trap "" TERM; exec 3>"$1"; echo ready >&3; sleep 1000; sleep 1000`, "sh", text)
		if err := child.Start(); err != nil {
			os.Exit(4)
		}
		_ = honest(nil).Run(context.Background(), &sdk.StdioTransport{})
	}
}

// lie answers with whatever it was told to say: a JSON object of results by
// method. A method that is not in it is not known.
func lie(text string) {
	var says map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &says); err != nil {
		panic(err)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 32<<20)
	for in.Scan() {
		var q struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(in.Bytes(), &q)
		switch answer, ok := says[q.Method]; {
		case q.ID == nil:
		case q.Method == "initialize":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"liar","version":"1"},"capabilities":{"tools":{"listChanged":true},"prompts":{},"resources":{}}}}`+"\n", q.ID)
		case string(answer) == `"die"`:
			os.Exit(5)
		case string(answer) == `"hang"`:
		case ok:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", q.ID, answer)
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no %s here"}}`+"\n", q.ID, q.Method)
		}
	}
}

type echoInput struct {
	Text string `json:"text" jsonschema:"what to say"`
	Hold bool   `json:"hold,omitempty" jsonschema:"whether to wait until told to stop"`
}

// honest is a server of the reference implementation. What it holds ends with
// stop.
func honest(stop <-chan struct{}) *sdk.Server {
	echo := func(ctx context.Context, r *sdk.CallToolRequest, in echoInput) (*sdk.CallToolResult, any, error) {
		return echo(ctx, stop, r, in)
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "honest", Version: "1.2.3"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "echo", Description: "Says the text again.", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}}, echo)
	sdk.AddTool(s, &sdk.Tool{Name: "set", Annotations: &sdk.ToolAnnotations{IdempotentHint: true}}, echo)
	sdk.AddTool(s, &sdk.Tool{Name: "add"}, echo)
	sdk.AddTool(s, &sdk.Tool{Name: "env"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: strings.Join(os.Environ(), "\n")}}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "grow"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		sdk.AddTool(s, &sdk.Tool{Name: "grown"}, echo)
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "grown"}}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "mixed"}, mixed)
	s.AddResource(&sdk.Resource{URI: "doc://one", Name: "one", Description: "the first"}, readDoc)
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "doc://{which}", Name: "any"}, readDoc)
	s.AddPrompt(&sdk.Prompt{Name: "greet", Arguments: []*sdk.PromptArgument{{Name: "who", Required: true}}}, greet)
	return s
}

func echo(ctx context.Context, stop <-chan struct{}, r *sdk.CallToolRequest, in echoInput) (*sdk.CallToolResult, any, error) {
	if in.Text == "fail" {
		return nil, nil, fmt.Errorf("told to fail")
	}
	if in.Hold {
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 4, Message: "holding",
		})
		select {
		case <-ctx.Done():
		case <-stop:
		}
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: in.Text}}}, nil, nil
}

func mixed(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
	return &sdk.CallToolResult{Content: []sdk.Content{
		&sdk.TextContent{Text: strings.Repeat("ü", 100_000)},
		&sdk.ImageContent{MIMEType: "image/png", Data: []byte("png")},
		&sdk.ImageContent{MIMEType: "image/tiff", Data: []byte("tiff")},
		&sdk.AudioContent{MIMEType: "audio/wav", Data: []byte("wav")},
		&sdk.ResourceLink{URI: "doc://one", Name: "one"},
		&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "doc://two", Text: "the second"}},
	}}, nil, nil
}

func readDoc(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, Text: "this is " + r.Params.URI}}}, nil
}

func greet(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Hello " + r.Params.Arguments["who"]}}}}, nil
}

// program is a server that the tests play.
func program(t testing.TB, name, role, text string) mcp.Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return mcp.Server{Name: name, Command: self, Env: map[string]string{
		roleName: role, "TEST_SERVER_TEXT": text, "GORACE": "atexit_sleep_ms=0", // it would sleep a second at its end
	}}
}

// service is the honest server behind HTTP, with sessions or without.
func service(t testing.TB, name string, stateless bool, around func(http.Handler) http.Handler) mcp.Server {
	t.Helper()
	stop := make(chan struct{})
	s := honest(stop)
	var h http.Handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s },
		&sdk.StreamableHTTPOptions{Stateless: stateless, PropagateRequestCancellation: true})
	if around != nil {
		h = around(h)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	t.Cleanup(func() { // calls and streams of clients that are gone
		close(stop)
		for session := range s.Sessions() {
			_ = session.Close()
		}
	})
	return mcp.Server{Name: name, URL: server.URL}
}

// house is a host that tells when something changes.
type house struct {
	*mcp.Host
	t      *testing.T
	mu     sync.Mutex
	change chan struct{} // closed at the next change
}

func open(t *testing.T, o mcp.Options, servers ...mcp.Server) *house {
	t.Helper()
	h := &house{t: t, change: make(chan struct{})}
	o.Changed = func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		close(h.change)
		h.change = make(chan struct{})
	}
	h.Host = mcp.Open(context.Background(), servers, o)
	t.Cleanup(func() { _ = h.Close() })
	return h
}

// until waits for something to become true. It is looked at after each change.
func (h *house) until(what string, is func() bool) {
	h.t.Helper()
	for {
		h.mu.Lock()
		next := h.change
		h.mu.Unlock()
		if is() {
			return
		}
		select {
		case <-next:
		case <-h.t.Context().Done():
			h.t.Fatalf("%s never came: %+v", what, h.Status())
		}
	}
}

// ready waits for the first servers and gives the host.
func (h *house) ready() *house {
	h.t.Helper()
	if err := h.Ready(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	return h
}

func (h *house) tool(name string) tool.Tool {
	h.t.Helper()
	found, err := tool.Find(h.Tools(), name)
	if err != nil {
		h.t.Fatalf("%v; %+v", err, h.Status())
	}
	return found
}

func (h *house) run(name, input string) (tool.Result, error) {
	h.t.Helper()
	return h.tool(name).Run(h.t.Context(), tool.Call{ID: "call_1", Input: json.RawMessage(input)})
}

func (h *house) must(name, input string) tool.Result {
	h.t.Helper()
	r, err := h.run(name, input)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

package acp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdk "github.com/coder/acp-go-sdk"
)

// agentFlag makes this test's own program an agent: a real process behind a real
// pipe, that does what it is told in few words.
const agentFlag = "-as-agent"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == agentFlag {
		(&puppet{kind: os.Args[2], ready: make(chan struct{}), stopped: map[string]context.CancelFunc{}}).serve()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// puppet is the agent. Its kind is "plain", or one thing that it does otherwise:
// "mute" never answers, "old" speaks another version, "locked" wants a sign-in,
// "loads" can load sessions.
type puppet struct {
	kind  string
	rpc   *sdk.Connection
	ready chan struct{} // closed when rpc is set

	mu      sync.Mutex
	stopped map[string]context.CancelFunc // by session
}

func (p *puppet) serve() {
	p.rpc = sdk.NewConnection(p.handle, os.Stdout, os.Stdin)
	close(p.ready)
	<-p.rpc.Done()
	tell("ended")
}

// tell writes to a pipe of that name, if a test has put one here.
func tell(name string) {
	if f, err := os.OpenFile(name, os.O_WRONLY, 0); err == nil {
		f.Close()
	}
}

func (p *puppet) handle(ctx context.Context, method string, raw json.RawMessage) (any, *sdk.RequestError) {
	<-p.ready
	switch method {
	case sdk.AgentMethodInitialize:
		switch p.kind {
		case "mute":
			select {}
		case "old":
			return sdk.InitializeResponse{ProtocolVersion: 7, AuthMethods: []sdk.AuthMethod{}}, nil
		}
		return sdk.InitializeResponse{
			ProtocolVersion: 1, AuthMethods: []sdk.AuthMethod{}, AgentCapabilities: sdk.AgentCapabilities{LoadSession: p.kind == "loads"},
		}, nil
	case sdk.AgentMethodSessionNew:
		if p.kind == "locked" {
			return nil, sdk.NewAuthRequired(nil)
		}
		return sdk.NewSessionResponse{SessionId: "one"}, nil
	case sdk.AgentMethodSessionLoad:
		p.say("one", "what was said before")
		return sdk.LoadSessionResponse{}, nil
	case sdk.AgentMethodSessionCancel:
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, stop := range p.stopped {
			stop()
		}
		return nil, nil
	case sdk.AgentMethodSessionPrompt:
		var r sdk.PromptRequest
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, sdk.NewInvalidParams(err.Error())
		}
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		p.mu.Lock()
		p.stopped[string(r.SessionId)] = stop
		p.mu.Unlock()
		return p.play(ctx, string(r.SessionId), r.Prompt)
	}
	return nil, sdk.NewMethodNotFound(method)
}

// play does what the last block says.
func (p *puppet) play(ctx context.Context, session string, prompt []sdk.ContentBlock) (any, *sdk.RequestError) {
	last := ""
	if b := prompt[len(prompt)-1]; b.Text != nil {
		last = b.Text.Text
	}
	verb, rest, _ := strings.Cut(last, " ")
	switch verb {
	case "echo":
		var all []string
		for _, b := range prompt {
			all = append(all, b.Text.Text)
		}
		p.say(session, strings.Join(all, "\n"))
	case "env":
		p.say(session, strings.Join(os.Environ(), "\n"))
	case "stall":
		p.say(session, "waiting")
		<-ctx.Done()
		return sdk.PromptResponse{StopReason: sdk.StopReasonCancelled}, nil
	case "deaf":
		p.say(session, fmt.Sprint(os.Getpid()))
		select {}
	case "die":
		p.say(session, "I am dying")
		fmt.Fprintln(os.Stderr, "out of luck, "+os.Getenv("PUPPET_KEY"))
		os.Exit(3)
	case "fail":
		return nil, &sdk.RequestError{Code: -32603, Message: "no model for " + os.Getenv("PUPPET_KEY")}
	case "child":
		cmd := exec.Command("setsid", "sleep", "1000")
		if err := cmd.Start(); err != nil {
			return nil, sdk.NewInternalError(err.Error())
		}
		p.say(session, fmt.Sprint(cmd.Process.Pid))
	case "plan":
		p.update(session, sdk.SessionUpdate{Plan: &sdk.SessionUpdatePlan{SessionUpdate: "plan", Entries: []sdk.PlanEntry{
			{Content: "look", Status: sdk.PlanEntryStatusCompleted, Priority: sdk.PlanEntryPriorityHigh},
			{Content: "act", Status: sdk.PlanEntryStatusInProgress, Priority: sdk.PlanEntryPriorityHigh},
		}}})
		p.say(session, "planned")
	case "did":
		p.say(session, "looking ")
		p.update(session, sdk.StartToolCall("c1", "List files", sdk.WithStartKind(sdk.ToolKindExecute), sdk.WithStartRawInput(map[string]any{"command": "ls"})))
		p.update(session, sdk.UpdateToolCall("c1", sdk.WithUpdateStatus(sdk.ToolCallStatusCompleted),
			sdk.WithUpdateContent([]sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock("a.txt"))})))
		p.say(session, "done")
		if rest == "stall" {
			<-ctx.Done()
			tell("stopped")
			return sdk.PromptResponse{StopReason: sdk.StopReasonCancelled}, nil
		}
	case "edit":
		p.edit(ctx, session, "c1", rest, rest)
		p.say(session, "finished")
	case "sneak":
		p.edit(ctx, session, "c1", rest, "other-"+rest)
	case "both":
		var wg sync.WaitGroup
		for i, name := range strings.Fields(rest) {
			wg.Go(func() { p.edit(ctx, session, sdk.ToolCallId(fmt.Sprint("c", i)), name, name) })
		}
		wg.Wait()
		p.say(session, "finished")
	case "announce":
		p.update(session, sdk.StartToolCall("c1", "Edit "+rest, sdk.WithStartKind(sdk.ToolKindEdit), sdk.WithStartLocations([]sdk.ToolCallLocation{{Path: p.path(rest)}})))
		p.write(ctx, session, rest)
	case "twice":
		p.edit(ctx, session, "c1", rest, rest)
		p.write(ctx, session, rest)
	case "write":
		p.write(ctx, session, rest)
	case "read":
		got, err := sdk.SendRequest[sdk.ReadTextFileResponse](p.rpc, ctx, sdk.ClientMethodFsReadTextFile,
			sdk.ReadTextFileRequest{SessionId: sdk.SessionId(session), Path: p.path(rest)})
		p.say(session, fmt.Sprint("read: ", got.Content, err))
	case "terminal":
		_, err := sdk.SendRequest[sdk.CreateTerminalResponse](p.rpc, ctx, sdk.ClientMethodTerminalCreate,
			sdk.CreateTerminalRequest{SessionId: sdk.SessionId(session), Command: "ls"})
		p.say(session, fmt.Sprint("terminal: ", err))
	default:
		p.update(session, sdk.SessionUpdate{AgentThoughtChunk: &sdk.SessionUpdateAgentThoughtChunk{SessionUpdate: "agent_thought_chunk", Content: sdk.TextBlock("hm")}})
		for _, word := range strings.SplitAfter("I heard: "+last, " ") {
			p.say(session, word)
		}
	}
	return sdk.PromptResponse{StopReason: sdk.StopReasonEndTurn}, nil
}

// edit asks, writes through the client, and tells.
func (p *puppet) edit(ctx context.Context, session string, id sdk.ToolCallId, name, really string) {
	path := p.path(name)
	for range 300 { // to be heard before what follows
		p.say(session, ".")
	}
	p.update(session, sdk.StartToolCall(id, "Edit "+name, sdk.WithStartKind(sdk.ToolKindEdit), sdk.WithStartLocations([]sdk.ToolCallLocation{{Path: path}})))
	got, err := sdk.SendRequest[sdk.RequestPermissionResponse](p.rpc, ctx, sdk.ClientMethodSessionRequestPermission, sdk.RequestPermissionRequest{
		SessionId: sdk.SessionId(session),
		ToolCall:  sdk.ToolCallUpdate{ToolCallId: id, Content: []sdk.ToolCallContent{sdk.ToolDiffContent(path, "new\n", "old\n")}},
		Options: []sdk.PermissionOption{
			{Kind: sdk.PermissionOptionKindAllowAlways, Name: "Always", OptionId: "always"},
			{Kind: sdk.PermissionOptionKindAllowOnce, Name: "Yes", OptionId: "yes"},
			{Kind: sdk.PermissionOptionKindRejectOnce, Name: "No", OptionId: "no"},
		},
	})
	switch {
	case err != nil || got.Outcome.Selected == nil:
		p.say(session, "cancelled ")
		return
	case got.Outcome.Selected.OptionId != "yes":
		p.update(session, sdk.UpdateToolCall(id, sdk.WithUpdateStatus(sdk.ToolCallStatusFailed)))
		p.say(session, fmt.Sprintf("told %s ", got.Outcome.Selected.OptionId))
		return
	}
	_, err = sdk.SendRequest[sdk.WriteTextFileResponse](p.rpc, ctx, sdk.ClientMethodFsWriteTextFile,
		sdk.WriteTextFileRequest{SessionId: sdk.SessionId(session), Path: p.path(really), Content: "new\n"})
	status, text := sdk.ToolCallStatusCompleted, "edited "+name
	if err != nil {
		status, text = sdk.ToolCallStatusFailed, err.Error()
	}
	p.update(session, sdk.UpdateToolCall(id, sdk.WithUpdateStatus(status), sdk.WithUpdateContent([]sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock(text))})))
}

// write writes through the client without a word.
func (p *puppet) write(ctx context.Context, session, name string) {
	_, err := sdk.SendRequest[sdk.WriteTextFileResponse](p.rpc, ctx, sdk.ClientMethodFsWriteTextFile,
		sdk.WriteTextFileRequest{SessionId: sdk.SessionId(session), Path: p.path(name), Content: "new\n"})
	p.say(session, fmt.Sprint("wrote: ", err))
}

func (p *puppet) path(name string) string {
	here, _ := os.Getwd()
	if filepath.IsAbs(name) {
		return name
	}
	return here + "/" + name // not cleaned: ".." is for the client to refuse
}

func (p *puppet) say(session, text string) { p.update(session, sdk.UpdateAgentMessageText(text)) }

func (p *puppet) update(session string, u sdk.SessionUpdate) {
	_ = p.rpc.SendNotification(context.Background(), sdk.ClientMethodSessionUpdate, sdk.SessionNotification{SessionId: sdk.SessionId(session), Update: u})
}

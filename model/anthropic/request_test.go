package anthropic

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/modeltest/vendor"
)

// body is what is sent for a request, as the vendor takes it.
func body(t *testing.T, c Config, req model.Request) map[string]any {
	t.Helper()
	r, err := opened(t, c).request(req)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := vendor.CheckAnthropic(raw); err != nil {
		t.Errorf("the vendor refuses it: %v\n%s", err, raw)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func use(id string) model.Block {
	return model.Block{Kind: model.BlockToolUse, ToolUse: &model.ToolUse{ID: id, Name: "read_file", Input: json.RawMessage(`{"path":"a"}`)}}
}

func gave(id string) model.Block {
	return model.Block{Kind: model.BlockToolResult, ToolResult: &model.ToolResult{ToolUseID: id, Text: "x", Images: []model.Image{{MediaType: "image/png", Data: []byte{1}}}, IsError: true}}
}

func conversation() model.Request {
	return model.Request{
		System: "Be brief.",
		Tools:  []model.Tool{{Name: "list_files"}, {Name: "read_file", Description: "Reads.", Schema: json.RawMessage(`{"type":"object"}`)}},
		Messages: []model.Message{
			{Role: model.RoleUser, Blocks: []model.Block{
				{Kind: model.BlockText, Text: "look"},
				{Kind: model.BlockImage, Image: &model.Image{MediaType: "image/png", Data: []byte{1, 2}}},
				{Kind: model.BlockImage, Image: &model.Image{MediaType: "image/tiff", Data: []byte{1, 2}}},
			}},
			model.Text(model.RoleAssistant, "I look."),
			{Role: model.RoleAssistant, Blocks: []model.Block{use("toolu_1"), use("functions.read:1")}},
			{Role: model.RoleUser, Blocks: []model.Block{gave("toolu_1"), gave("functions.read:1")}},
			model.Text(model.RoleUser, "hurry"),
		},
	}
}

func TestRequest(t *testing.T) {
	got := body(t, Config{Info: model.Info{MaxOutput: 64_000, ContextWindow: 200_000}, Effort: "low"}, conversation())
	raw, _ := json.MarshalIndent(got, "", "  ")
	const want = `{
  "max_tokens": 32000,
  "messages": [
    {"role": "user", "content": [
      {"type": "text", "text": "look"},
      {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AQI="}},
      {"type": "text", "text": "[a picture of type \"image/tiff\", which cannot be shown here]", "cache_control": {"type": "ephemeral"}}
    ]},
    {"role": "assistant", "content": [
      {"type": "text", "text": "I look."},
      {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {"path": "a"}},
      {"type": "tool_use", "id": "ID", "name": "read_file", "input": {"path": "a"}}
    ]},
    {"role": "user", "content": [
      {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": true, "content": [{"type": "text", "text": "x"}, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AQ=="}}]},
      {"type": "tool_result", "tool_use_id": "ID", "is_error": true, "content": [{"type": "text", "text": "x"}, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AQ=="}}]},
      {"type": "text", "text": "hurry", "cache_control": {"type": "ephemeral"}}
    ]}
  ],
  "model": "claude-test",
  "output_config": {"effort": "low"},
  "stream": true,
  "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
  "tools": [
    {"name": "list_files", "input_schema": {"type": "object"}},
    {"name": "read_file", "description": "Reads.", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}}
  ]
}`
	id := got["messages"].([]any)[1].(map[string]any)["content"].([]any)[2].(map[string]any)["id"].(string)
	var wanted map[string]any
	if err := json.Unmarshal([]byte(strings.ReplaceAll(want, `"ID"`, `"`+id+`"`)), &wanted); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, raw)
	}
}

func TestChoicesAndThinking(t *testing.T) {
	for _, tc := range []struct {
		choice, thinking string
		wantChoice       any
		wantThinking     any
	}{
		{model.ChooseFreely, "", nil, nil},
		{model.ChooseNone, "", map[string]any{"type": "none"}, nil},
		{model.ChooseAny, "", map[string]any{"type": "any"}, nil},
		{"read_file", "", map[string]any{"type": "tool", "name": "read_file"}, nil},
		{model.ChooseFreely, "adaptive", nil, map[string]any{"type": "adaptive"}},
		{model.ChooseFreely, "2048", nil, map[string]any{"type": "enabled", "budget_tokens": 2048.0}},
		{model.ChooseFreely, "999999", nil, map[string]any{"type": "enabled", "budget_tokens": 8191.0}},
		{model.ChooseFreely, "off", nil, map[string]any{"type": "disabled"}},
		{model.ChooseAny, "2048", map[string]any{"type": "any"}, nil}, // the API refuses both together
	} {
		req := conversation()
		req.Messages = req.Messages[:1]
		req.ToolChoice = tc.choice
		got := body(t, Config{Thinking: tc.thinking}, req)
		if diff := cmp.Diff([]any{tc.wantChoice, tc.wantThinking}, []any{got["tool_choice"], got["thinking"]}); diff != "" {
			t.Errorf("%q %q (-want +got):\n%s", tc.choice, tc.thinking, diff)
		}
	}
	// Work that began without a thought goes on without.
	req := conversation()
	if got := body(t, Config{Thinking: "2048"}, req); got["thinking"] != nil {
		t.Errorf("thinking in the midst: %v", got["thinking"])
	}
	for _, bad := range []string{"much", "12", "-1"} {
		if _, err := New(Config{Name: "x", Thinking: bad}); model.KindOf(err) != model.Invalid || !strings.Contains(err.Error(), bad) {
			t.Errorf("thinking %q: %v", bad, err)
		}
	}
}

// A call for which no tool is offered still has to name those of the history.
func TestToolsOfTheHistory(t *testing.T) {
	req := conversation()
	req.Tools = nil
	got := body(t, Config{}, req)
	if tools, _ := json.Marshal(got["tools"]); !strings.Contains(string(tools), `"read_file"`) || len(got["tools"].([]any)) != 1 {
		t.Errorf("tools: %s", tools)
	}
	if diff := cmp.Diff(any(map[string]any{"type": "none"}), got["tool_choice"]); diff != "" {
		t.Errorf("tool_choice: %s", diff)
	}
}

func TestMaxTokens(t *testing.T) {
	long := conversation()
	long.System = strings.Repeat("word ", 100_000)
	for _, tc := range []struct {
		info model.Info
		asks int64
		req  model.Request
		want int64
	}{
		{model.Info{}, 0, conversation(), 8192},
		{model.Info{}, 100, conversation(), 100},
		{model.Info{MaxOutput: 128_000, ContextWindow: 200_000}, 0, conversation(), 32_000},
		{model.Info{MaxOutput: 16_000, ContextWindow: 200_000}, 0, conversation(), 16_000},
		{model.Info{MaxOutput: 64_000}, 60_000, conversation(), 60_000},
		{model.Info{MaxOutput: 64_000}, 90_000, conversation(), 64_000},
		{model.Info{MaxOutput: 64_000, ContextWindow: 150_000}, 0, long, 4096}, // what is left is little
	} {
		tc.req.MaxTokens = tc.asks
		if got := opened(t, Config{Info: tc.info}).maxTokens(tc.req); got != tc.want {
			t.Errorf("%+v, asked for %d: %d, want %d", tc.info, tc.asks, got, tc.want)
		}
	}
}

// Thoughts come back with the next call of the same model, and never with that of
// another: in tool work, in the order of the answer.
func TestThoughtsComeBack(t *testing.T) {
	server := &vendor.Server{Turns: []vendor.Turn{
		{Thinking: []string{"hm"}, Redacted: true, Text: []string{"I look."}, Calls: []vendor.Call{{Name: "read_file", Input: `{}`}}},
		{Text: []string{"done"}},
	}}
	web := httptest.NewServer(server)
	defer web.Close()
	ask := func(name string, req model.Request) model.Message {
		t.Helper()
		var a model.Answer
		m := opened(t, Config{Name: name, BaseURL: web.URL, Thinking: "2000"})
		if err := m.Stream(t.Context(), req, func(e model.Event) error { a.Add(e); return nil }); err != nil {
			t.Fatal(err)
		}
		return a.Message()
	}
	req := conversation()
	req.Messages = req.Messages[:1]
	said := ask("claude-a", req)
	id := said.Blocks[2].ToolUse.ID
	req.Messages = append(req.Messages, said, model.Message{Role: model.RoleUser, Blocks: []model.Block{gave(id)}})
	ask("claude-a", req)
	ask("claude-b", req)
	seen := server.Seen()
	if seen[1].Thoughts != 2 || !strings.Contains(string(seen[1].Body), `"thinking":{"type":"enabled"`) {
		t.Errorf("%d thoughts came back, want 2: %s", seen[1].Thoughts, seen[1].Body)
	}
	if seen[2].Thoughts != 0 || strings.Contains(string(seen[2].Body), `"thinking":{`) {
		t.Errorf("another model got %d thoughts", seen[2].Thoughts)
	}
}

// Whatever a history holds, the vendor takes it.
func TestAnyHistoryIsTaken(t *testing.T) {
	m := opened(t, Config{Thinking: "2000"})
	rapid.Check(t, func(rt *rapid.T) {
		req := model.Request{System: "Be brief.", Messages: vendor.History(rt)}
		if rapid.Bool().Draw(rt, "tools") {
			req.Tools = []model.Tool{{Name: "read_file"}}
		}
		r, err := m.request(req)
		if model.KindOf(err) == model.Invalid {
			return // without words
		}
		raw, err := json.Marshal(r)
		if err != nil {
			rt.Fatal(err)
		}
		if err := vendor.CheckAnthropic(raw); err != nil {
			rt.Fatalf("%v\n%s", err, raw)
		}
	})
}

func TestSecretsStayOut(t *testing.T) {
	const key = "sk-ant-very-secret"
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key `+r.Header.Get("X-Api-Key")+`"}}`, 401)
	}))
	defer web.Close()
	m := opened(t, Config{BaseURL: web.URL, Key: func() string { return key }})
	err := m.Stream(t.Context(), conversation(), func(model.Event) error { return nil })
	if model.KindOf(err) != model.Auth || strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), "ANTHROPIC_API_KEY") {
		t.Errorf("%v", err)
	}
}

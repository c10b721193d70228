package openai

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/internal/wire"
	"github.com/parley-dev/parley/model/modeltest/vendor"
)

func (m *Model) body(req model.Request) ([]byte, error) {
	turns := wire.Turns(req.Messages, m.adapter(), m.config.Name)
	if m.config.API == Responses {
		return json.Marshal(m.responsesRequest(req, turns))
	}
	return json.Marshal(m.chatRequest(req, turns))
}

func conversation() model.Request {
	picture := model.Image{MediaType: "image/png", Data: []byte{1, 2}}
	return model.Request{
		System: "Be brief.", MaxTokens: 500, ToolChoice: "read_file",
		Tools: []model.Tool{{Name: "read_file", Description: "Reads.", Schema: json.RawMessage(`{"type":"object"}`)}},
		Messages: []model.Message{
			{Role: model.RoleUser, Blocks: []model.Block{{Kind: model.BlockText, Text: "look"}, {Kind: model.BlockImage, Image: &picture}}},
			model.Text(model.RoleAssistant, "I look."),
			{Role: model.RoleAssistant, Blocks: []model.Block{
				{Kind: model.BlockToolUse, ToolUse: &model.ToolUse{ID: "call_1", Name: "read_file", Input: json.RawMessage(`{"path":"a"}`)}},
				{Kind: model.BlockToolUse, ToolUse: &model.ToolUse{ID: "call_2", Name: "read_file", Input: json.RawMessage(`"{\"path\":"`)}},
			}},
			{Role: model.RoleUser, Blocks: []model.Block{
				{Kind: model.BlockToolResult, ToolResult: &model.ToolResult{ToolUseID: "call_1", Images: []model.Image{picture}}},
				{Kind: model.BlockToolResult, ToolResult: &model.ToolResult{ToolUseID: "call_2", Text: "no JSON", IsError: true}},
			}},
			model.Text(model.RoleUser, "hurry"),
		},
	}
}

func TestRequest(t *testing.T) {
	const chat = `{
  "model": "gpt-test", "max_tokens": 500, "reasoning_effort": "low", "stream": true, "stream_options": {"include_usage": true},
  "tools": [{"type": "function", "function": {"name": "read_file", "description": "Reads.", "parameters": {"type": "object"}}}],
  "tool_choice": {"type": "function", "function": {"name": "read_file"}},
  "messages": [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AQI="}}]},
    {"role": "assistant", "content": "I look.", "tool_calls": [
      {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\":\"a\"}"}},
      {"id": "call_2", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\":"}}
    ]},
    {"role": "tool", "tool_call_id": "call_1", "content": "The result is shown as a picture."},
    {"role": "tool", "tool_call_id": "call_2", "content": "Error: no JSON"},
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AQI="}}, {"type": "text", "text": "hurry"}]}
  ]
}`
	const responses = `{
  "model": "gpt-test", "instructions": "Be brief.", "max_output_tokens": 500, "store": false, "stream": true,
  "include": ["reasoning.encrypted_content"], "reasoning": {"effort": "low", "summary": "auto"},
  "tools": [{"type": "function", "name": "read_file", "description": "Reads.", "parameters": {"type": "object"}, "strict": false}],
  "tool_choice": {"type": "function", "name": "read_file"},
  "input": [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "look"}, {"type": "input_image", "image_url": "data:image/png;base64,AQI="}]},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
    {"type": "function_call", "call_id": "call_1", "name": "read_file", "arguments": "{\"path\":\"a\"}"},
    {"type": "function_call", "call_id": "call_2", "name": "read_file", "arguments": "{\"path\":"},
    {"type": "function_call_output", "call_id": "call_1", "output": [{"type": "input_text", "text": "The result is shown as a picture."}, {"type": "input_image", "image_url": "data:image/png;base64,AQI="}]},
    {"type": "function_call_output", "call_id": "call_2", "output": "Error: no JSON"},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hurry"}]}
  ]
}`
	for api, want := range map[API]string{Chat: chat, Responses: responses} {
		m := open(Config{BaseURL: "http://vendor.example/v1", API: api, Effort: "low", Summary: "auto", Info: model.Info{Reasoning: true}})
		raw, err := m.body(conversation())
		if err != nil {
			t.Fatal(err)
		}
		if err := vendor.CheckOpenAI(raw); err != nil {
			t.Errorf("%s: the vendor refuses it: %v", api, err)
		}
		var got, wanted any
		if err := json.Unmarshal([]byte(want), &wanted); err != nil {
			t.Fatal(err)
		}
		_ = json.Unmarshal(raw, &got)
		if diff := cmp.Diff(wanted, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", api, diff)
		}
	}
}

func TestToolChoices(t *testing.T) {
	for choice, want := range map[string]string{model.ChooseNone: `"tool_choice":"none"`, model.ChooseAny: `"tool_choice":"required"`} {
		for _, api := range []API{Chat, Responses} {
			req := conversation()
			req.ToolChoice = choice
			if raw, _ := open(Config{API: api}).body(req); !strings.Contains(string(raw), want) {
				t.Errorf("%s: %s lacks %s", api, raw, want)
			}
			req.Tools = nil
			if raw, _ := open(Config{API: api}).body(req); strings.Contains(string(raw), "tool_choice") {
				t.Errorf("%s: a choice among no tools: %s", api, raw)
			}
		}
	}
	for base, want := range map[string]string{"": "max_completion_tokens", "http://local.example/v1": "max_tokens"} {
		if raw, _ := open(Config{API: Chat, BaseURL: base}).body(conversation()); !strings.Contains(string(raw), `"`+want+`":500`) {
			t.Errorf("at %q the limit is not called %s: %s", base, want, raw)
		}
	}
}

// Whatever a history holds, the vendor takes it.
func TestAnyHistoryIsTaken(t *testing.T) {
	for _, api := range []API{Chat, Responses} {
		m := open(Config{API: api, BaseURL: "http://vendor.example/v1"})
		rapid.Check(t, func(rt *rapid.T) {
			req := model.Request{Messages: vendor.History(rt), Tools: []model.Tool{{Name: "read_file"}}}
			if len(wire.Turns(req.Messages, m.adapter(), m.config.Name)) == 0 {
				return // without words
			}
			raw, err := m.body(req)
			if err != nil {
				rt.Fatal(err)
			}
			if err := vendor.CheckOpenAI(raw); err != nil {
				rt.Fatalf("%s: %v\n%s", api, err, raw)
			}
		})
	}
}

// Thoughts come back with the next call of the same model at the same server, and
// never elsewhere.
func TestThoughtsComeBack(t *testing.T) {
	for _, api := range []API{Chat, Responses} {
		server := &vendor.Server{Turns: []vendor.Turn{
			{Thinking: []string{"hm"}, Text: []string{"I look."}, Calls: []vendor.Call{{Name: "read_file", Input: `{}`}}},
			{Text: []string{"done"}},
			{Text: []string{"and again"}},
		}}
		web := httptest.NewServer(server)
		ask := func(name string, req model.Request) model.Message {
			t.Helper()
			var a model.Answer
			m := open(Config{Name: name, BaseURL: web.URL + "/v1", API: api, Info: model.Info{Reasoning: true}})
			if err := m.Stream(t.Context(), req, func(e model.Event) error { a.Add(e); return nil }); err != nil {
				t.Fatal(err)
			}
			return a.Message()
		}
		req := conversation()
		req.Messages, req.ToolChoice = req.Messages[:1], ""
		said := ask("gpt-a", req)
		result := model.Block{Kind: model.BlockToolResult, ToolResult: &model.ToolResult{ToolUseID: said.Blocks[2].ToolUse.ID, Text: "x"}}
		req.Messages = append(req.Messages, said, model.Message{Role: model.RoleUser, Blocks: []model.Block{result}})
		ask("gpt-a", req)
		ask("gpt-b", req)
		req.Messages = append(req.Messages, model.Text(model.RoleAssistant, "done"), model.Text(model.RoleUser, "more"))
		ask("gpt-a", req)
		seen := server.Seen()
		if want := map[API]int{Chat: 0, Responses: 1}[api]; seen[3].Thoughts != want {
			t.Errorf("%s: after the work %d thoughts came back, want %d", api, seen[3].Thoughts, want)
		}
		if seen[1].Thoughts != 1 || seen[2].Thoughts != 0 {
			t.Errorf("%s: %d thoughts came back, want 1; another model got %d", api, seen[1].Thoughts, seen[2].Thoughts)
		}
		web.Close()
	}
}

// A model that cannot see is told that there is a picture, and is not sent it.
func TestPicturesForTheBlind(t *testing.T) {
	for _, api := range []API{Chat, Responses} {
		req := conversation()
		req.ToolChoice = ""
		server := &vendor.Server{Turns: []vendor.Turn{{}, {Text: []string{"ok"}}}}
		web := httptest.NewServer(server)
		for _, sees := range []bool{false, true} {
			m := open(Config{BaseURL: web.URL + "/v1", API: api, Info: model.Info{Name: "x", Images: sees}})
			if err := m.Stream(t.Context(), req, func(model.Event) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		web.Close()
		seen := server.Seen()
		if seen[0].Images != 0 || seen[1].Images != 2 || strings.Count(string(seen[0].Body), "[a picture") != 2 {
			t.Errorf("%s: %d pictures for the blind, %d for who sees: %s", api, seen[0].Images, seen[1].Images, seen[0].Body)
		}
	}
}

func TestOllamaURL(t *testing.T) {
	for host, want := range map[string]string{
		"":                       "http://127.0.0.1:11434/v1",
		"0.0.0.0":                "http://127.0.0.1:11434/v1",
		"box":                    "http://box:11434/v1",
		"box:80":                 "http://box:80/v1",
		":8080":                  "http://127.0.0.1:8080/v1",
		"http://box:11434/":      "http://box:11434/v1",
		"https://ollama.example": "https://ollama.example:443/v1",
		"https://x.example/llm":  "https://x.example:443/llm/v1",
		"http://box:11434/v1":    "http://box:11434/v1",
		"[::1]:11434":            "http://[::1]:11434/v1",
	} {
		if got := OllamaURL(host); got != want {
			t.Errorf("OllamaURL(%q) = %q, want %q", host, got, want)
		}
	}
}

func TestOwn(t *testing.T) {
	for base, want := range map[string]bool{
		"": true, DefaultBaseURL: true, "https://eu.api.openai.com/v1": true,
		"http://localhost/v1": false, "https://api.openai.com.evil.example/v1": false, "https://evilapi.openai.com/v1": false,
	} {
		if Own(base) != want {
			t.Errorf("Own(%q) = %t", base, !want)
		}
	}
}

//go:build vendorsdk

package vendor_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/modeltest/vendor"
)

// The vendors' own clients understand this server: what it speaks is their wire
// format, and not one that only our adapters know. The clients take minutes to
// compile, so this runs when it is asked for: go test -tags vendorsdk.

// said is an answer as each client tells it.
type said struct {
	Text, Thinking string
	Calls          []string
	Stop           string
	Input, Output  int64
}

func turn() vendor.Turn {
	return vendor.Turn{
		Thinking: []string{"생각 ", "first"},
		Text:     []string{"안녕 ", "👩‍👩‍👧"},
		Calls:    []vendor.Call{{Name: "read_file", Input: `{"path":"a b.txt"}`}, {Name: "list_files", Input: `{}`}},
		Usage:    model.Usage{InputTokens: 11, OutputTokens: 5, CacheReadTokens: 3, CacheWriteTokens: 2},
	}
}

func serve(t *testing.T, turns ...vendor.Turn) (url string, client *http.Client) {
	t.Helper()
	web := httptest.NewServer(&vendor.Server{Turns: turns, Key: vendor.Key, Chunk: 11})
	t.Cleanup(web.Close)
	return web.URL, web.Client()
}

func TestAnthropicClient(t *testing.T) {
	url, client := serve(t, turn())
	service := anthropic.NewMessageService(anthropicoption.WithBaseURL(url), anthropicoption.WithHTTPClient(client),
		anthropicoption.WithAPIKey(vendor.Key), anthropicoption.WithMaxRetries(0))
	stream := service.NewStreaming(context.Background(), anthropic.MessageNewParams{
		Model: "claude-test", MaxTokens: 1000,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hi"))},
	})
	var whole anthropic.Message
	for stream.Next() {
		if err := whole.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	got := said{
		Stop:  string(whole.StopReason),
		Input: whole.Usage.InputTokens + whole.Usage.CacheReadInputTokens + whole.Usage.CacheCreationInputTokens, Output: whole.Usage.OutputTokens,
	}
	for _, b := range whole.Content {
		switch b := b.AsAny().(type) {
		case anthropic.TextBlock:
			got.Text += b.Text
		case anthropic.ThinkingBlock:
			got.Thinking += b.Thinking
			if b.Signature != vendor.Sign(b.Thinking) {
				t.Errorf("signature %q", b.Signature)
			}
		case anthropic.ToolUseBlock:
			got.Calls = append(got.Calls, b.Name+" "+string(b.Input))
		}
	}
	if diff := cmp.Diff(expected("tool_use"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestChatClient(t *testing.T) {
	url, client := serve(t, turn())
	service := openai.NewChatCompletionService(option.WithBaseURL(url+"/v1"), option.WithHTTPClient(client),
		option.WithAPIKey(vendor.Key), option.WithMaxRetries(0))
	stream := service.NewStreaming(context.Background(), openai.ChatCompletionNewParams{
		Model: "gpt-test", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hi")},
	})
	var whole openai.ChatCompletionAccumulator
	got := said{}
	for stream.Next() {
		c := stream.Current()
		if !whole.AddChunk(c) {
			t.Fatal("a chunk does not belong to the others")
		}
		for _, choice := range c.Choices {
			var piece string
			_ = json.Unmarshal([]byte(choice.Delta.JSON.ExtraFields["reasoning_content"].Raw()), &piece)
			got.Thinking += piece
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	choice := whole.Choices[0]
	got.Text, got.Stop = choice.Message.Content, choice.FinishReason
	got.Input, got.Output = whole.Usage.PromptTokens, whole.Usage.CompletionTokens
	for _, c := range choice.Message.ToolCalls {
		got.Calls = append(got.Calls, c.Function.Name+" "+c.Function.Arguments)
	}
	if diff := cmp.Diff(expected("tool_calls"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestResponsesClient(t *testing.T) {
	url, client := serve(t, turn())
	service := responses.NewResponseService(option.WithBaseURL(url+"/v1"), option.WithHTTPClient(client),
		option.WithAPIKey(vendor.Key), option.WithMaxRetries(0))
	stream := service.NewStreaming(context.Background(), responses.ResponseNewParams{
		Model: "gpt-test",
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: []responses.ResponseInputItemUnionParam{
			responses.ResponseInputItemParamOfMessage("hi", responses.EasyInputMessageRoleUser),
		}},
	})
	var whole responses.Response
	streamed := ""
	for stream.Next() {
		switch e := stream.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			streamed += e.Delta
		case responses.ResponseCompletedEvent:
			whole = e.Response
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	got := said{Text: whole.OutputText(), Stop: string(whole.Status), Input: whole.Usage.InputTokens, Output: whole.Usage.OutputTokens}
	for _, item := range whole.Output {
		switch item := item.AsAny().(type) {
		case responses.ResponseReasoningItem:
			got.Thinking += item.Summary[0].Text
			if item.EncryptedContent == "" {
				t.Error("the thought is not sealed")
			}
		case responses.ResponseFunctionToolCall:
			got.Calls = append(got.Calls, item.Name+" "+item.Arguments)
		}
	}
	if diff := cmp.Diff(expected("completed"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if streamed != got.Text {
		t.Errorf("streamed %q, whole %q", streamed, got.Text)
	}
}

func expected(stop string) said {
	return said{
		Text: "안녕 👩‍👩‍👧", Thinking: "생각 first", Stop: stop, Input: 16, Output: 5,
		Calls: []string{`read_file {"path":"a b.txt"}`, `list_files {}`},
	}
}

// The vendors' own clients understand how this server refuses.
func TestClientsReadRefusals(t *testing.T) {
	busy := vendor.Turn{Fail: &vendor.Failure{Kind: model.RateLimited, Message: "slow down, please"}}
	url, client := serve(t, busy)
	chat := openai.NewChatCompletionService(option.WithBaseURL(url+"/v1"), option.WithHTTPClient(client),
		option.WithAPIKey(vendor.Key), option.WithMaxRetries(0))
	chats := chat.NewStreaming(context.Background(), openai.ChatCompletionNewParams{
		Model: "gpt-test", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hi")},
	})
	if chats.Next() {
		t.Error("there is an answer")
	}
	if e, ok := chats.Err().(*openai.Error); !ok || e.StatusCode != 429 || e.Code != "rate_limit_exceeded" || e.Message != "slow down, please" {
		t.Errorf("openai: %#v", chats.Err())
	}
	messages := anthropic.NewMessageService(anthropicoption.WithBaseURL(url), anthropicoption.WithHTTPClient(client),
		anthropicoption.WithAPIKey(vendor.Key), anthropicoption.WithMaxRetries(0))
	stream := messages.NewStreaming(context.Background(), anthropic.MessageNewParams{
		Model: "claude-test", MaxTokens: 1000,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hi"))},
	})
	if stream.Next() {
		t.Error("there is an answer")
	}
	if e, ok := stream.Err().(*anthropic.Error); !ok || e.StatusCode != 429 || !strings.Contains(e.RawJSON(), "slow down, please") {
		t.Errorf("anthropic: %#v", stream.Err())
	}
}

package vendor

import (
	"encoding/json"
	"fmt"

	"pgregory.net/rapid"

	"github.com/parley-dev/parley/model"
)

// History draws a history as the port allows it: roles in any order, blank words,
// pictures, thoughts of any adapter, inputs that are no JSON, ids of any form; and
// every call with its result in the next message.
func History(t *rapid.T) []model.Message {
	var out []model.Message
	call := 0
	for range rapid.IntRange(0, 8).Draw(t, "messages") {
		switch rapid.SampledFrom([]string{"user", "assistant", "work"}).Draw(t, "who") {
		case "user":
			out = append(out, model.Message{Role: model.RoleUser, Blocks: words(t)})
		case "assistant":
			out = append(out, model.Message{Role: model.RoleAssistant, Blocks: append(kept(t), words(t)...)})
		case "work":
			calls := model.Message{Role: model.RoleAssistant, Blocks: append(words(t), kept(t)...)}
			results := model.Message{Role: model.RoleUser}
			for range rapid.IntRange(1, 3).Draw(t, "calls") {
				call++
				id := fmt.Sprintf(rapid.SampledFrom([]string{"toolu_%d", "functions.read:%d", "call_%060d"}).Draw(t, "id"), call)
				input := rapid.SampledFrom([]string{`{}`, `{"path":"a"}`, `"{\"path\":"`, `"[1]"`}).Draw(t, "input")
				calls.Blocks = append(calls.Blocks, model.Block{
					Kind: model.BlockToolUse, ToolUse: &model.ToolUse{ID: id, Name: "read_file", Input: json.RawMessage(input)},
				})
				results.Blocks = append(results.Blocks, model.Block{Kind: model.BlockToolResult, ToolResult: &model.ToolResult{
					ToolUseID: id, Text: rapid.SampledFrom([]string{"", " ", "a result"}).Draw(t, "result"), IsError: rapid.Bool().Draw(t, "is error"),
				}})
			}
			out = append(out, calls, results)
		}
	}
	return out
}

func words(t *rapid.T) []model.Block {
	var out []model.Block
	for _, text := range rapid.SliceOfN(rapid.SampledFrom([]string{"", " ", "words", "안녕"}), 0, 2).Draw(t, "texts") {
		out = append(out, model.Block{Kind: model.BlockText, Text: text})
	}
	return out
}

func kept(t *rapid.T) []model.Block {
	blocks := []model.Block{
		{Kind: model.BlockReasoning, Text: "for people"},
		{Kind: model.BlockVendor, Vendor: json.RawMessage(`{"adapter":"another","model":"x","parts":[{"own":{"a":1}}]}`)},
		{Kind: model.BlockVendor, Vendor: json.RawMessage(`"not even an object"`)},
		{Kind: model.BlockVendor, Vendor: json.RawMessage(`{"adapter":"anthropic","model":"claude-test","parts":[{"own":{"type":"thinking","thinking":"hm","signature":"s"}},{"text":true},{"call":"toolu_1"}]}`)},
		{Kind: model.BlockVendor, Vendor: json.RawMessage(`{"adapter":"openai+responses@vendor.example","model":"gpt-test","parts":[{"own":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"}},{"text":true},{"call":"toolu_1"}]}`)},
	}
	return rapid.SliceOfN(rapid.SampledFrom(blocks), 0, 2).Draw(t, "kept")
}

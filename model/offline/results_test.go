package offline

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/parley-dev/parley/model"
)

// What is told of results, and what must not be.
func TestTold(t *testing.T) {
	for _, c := range []struct{ words, tool, input, result, want, not string }{
		{"find x", runCommand, `{"command":"grep x"}`, "./b:1:x\n./a:9:x\n./b:2:x\n[exit code 0]\n", "3 lines in 2 files", "exit code"},
		{"find x", runCommand, `{"command":"grep x"}`, "./a:1:x\n[… 99 bytes left out …]\n./z:1:x\n[exit code 0]\n", "more lines than", "3 lines"},
		{"find x", runCommand, `{"command":"grep x"}`, "grep: ./no: No such file\n[exit code 1]\n", "exit code 1, which means that it failed", "I found"},
		{"find x", runCommand, `{"command":"grep x"}`, "[no output; exit code 0]\n", "no line has that text", "I found"},
		{"run x", runCommand, `{"command":"x"}`, "killed\n[exit code 137, signal: killed]\n", "exit code 137, signal: killed", "was not run"},
		{"run x", runCommand, `{"command":"x"}`, "a person left this out: later", "was not run: a person left this out: later", "exit code"},
		{"run x", runCommand, `{"command":"x"}`, "it took longer than 120s and was stopped", "gave no result: it took longer", "was not run"},
		{"list the files", listFiles, `{}`, "[the folder is empty]\n", "0 files (0 bytes) and 0 folders.\n\nThe tool adds: the folder is empty.", "| name |"},
		{"list the files", listFiles, `{}`, "a|b (1 bytes)\n\"x\\ny\" (2 bytes)\nl (symbolic link)\n", `| a\|b | 1 bytes |`, "| a|b"},
		{"make a plan", proposePlan, `{}`, `[{"id":"1","task":"a","status":"completed","result":{"exit_code":0,"output_bytes":4}},{"id":"2","task":"b","status":"failed","error":"no"},{"id":"3","task":"c","status":"pending"}]`,
			"1 of 3 todos completed, 1 failed, 1 pending", "4 of"},
		{"make a plan", proposePlan, `{}`, `[{"id":"1","task":"a","status":"completed","result":{"exit_code":0,"output_bytes":4}}]`, "What the commands wrote stands where they ran", "wrote:"},
		{"make a plan", proposePlan, `{}`, `[{"id":"1","task":"a","status":"completed","result":{"exit_code":0,"output_bytes":4},"output":"  hi\n[exit code 0]\n"}]`, "a:\n\n      hi", "stands where"},
		{"make a plan", proposePlan, `{}`, `[{"id":"1","task":"a","status":"completed","result":{"pages":3}}]`, `| a | completed | {"pages":3} |`, ""},
		{"make a plan", proposePlan, `{}`, "the plan was rejected: too long", "not carried out: the plan was rejected: too long", "completed"},
	} {
		req := model.Request{Purpose: "turn", Tools: []model.Tool{{Name: c.tool}}, Messages: []model.Message{
			model.Text(model.RoleUser, c.words),
			{Role: model.RoleAssistant, Blocks: []model.Block{{Kind: model.BlockToolUse, ToolUse: &model.ToolUse{ID: "1", Name: c.tool, Input: json.RawMessage(c.input)}}}},
			{Role: model.RoleUser, Blocks: []model.Block{{Kind: model.BlockToolResult, ToolResult: &model.ToolResult{ToolUseID: "1", Text: c.result}}}},
		}}
		got := text(t, req)
		if !strings.Contains(got, c.want) {
			t.Errorf("%q after %q is told as\n%s\nwithout %q", c.words, c.result, got, c.want)
		}
		if c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%q after %q is told as\n%s\nwith %q", c.words, c.result, got, c.not)
		}
	}
}

// A person who speaks while the plan runs hears of the plan first.
func TestRespondAfterSteering(t *testing.T) {
	use := func(id, name, input, result string) []model.Message {
		return []model.Message{
			{Role: model.RoleAssistant, Blocks: []model.Block{{Kind: model.BlockToolUse, ToolUse: &model.ToolUse{ID: id, Name: name, Input: json.RawMessage(input)}}}},
			{Role: model.RoleUser, Blocks: []model.Block{{Kind: model.BlockToolResult, ToolResult: &model.ToolResult{ToolUseID: id, Text: result}}}},
		}
	}
	messages := []model.Message{model.Text(model.RoleUser, "what is here?")}
	messages = append(messages, use("1", recordIntent, `{"intent":{}}`, "noted")...)
	messages = append(messages, use("2", proposePlan, `{}`, `[{"id":"1","task":"a","status":"completed"}]`)...)
	messages = append(messages, model.Text(model.RoleUser, "thanks"))
	first := text(t, model.Request{Purpose: "respond", Messages: messages})
	if !strings.Contains(first, "1 of 1 todo completed") {
		t.Errorf("after the plan it says %q", first)
	}
	messages = append(messages, model.Text(model.RoleAssistant, first), model.Text(model.RoleUser, "thanks"))
	if got := text(t, model.Request{Purpose: "respond", Messages: messages}); got != "You are welcome." {
		t.Errorf("when the plan has been told it says %q", got)
	}
}

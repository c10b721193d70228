package offline

import (
	"encoding/json"

	"github.com/parley-dev/parley/model"
)

// The tools whose meaning is fixed by the server, and those that are planned with.
const (
	askUser      = "ask_user"
	recordIntent = "record_intent"
	proposePlan  = "propose_plan"

	listFiles  = "list_files"
	runCommand = "run_command"
)

// exchange is a call and what it gave.
type exchange struct {
	use    model.ToolUse
	result model.ToolResult
}

// exchanges finds the calls that have a result.
func exchanges(messages []model.Message) []exchange {
	var out []exchange
	uses := map[string]model.ToolUse{}
	for _, m := range messages {
		for _, b := range m.Blocks {
			switch {
			case b.ToolUse != nil:
				uses[b.ToolUse.ID] = *b.ToolUse
			case b.ToolResult != nil:
				if use, ok := uses[b.ToolResult.ToolUseID]; ok {
					out = append(out, exchange{use, *b.ToolResult})
				}
			}
		}
	}
	return out
}

// answer is what the person said, if the call asked them something.
func (e exchange) answer() (words string, ok bool) {
	if e.result.IsError {
		return "", false
	}
	switch e.use.Name {
	case askUser:
		return e.result.Text, true
	case recordIntent:
		var in struct {
			Clarification *question `json:"clarification"`
		}
		if json.Unmarshal(e.use.Input, &in) == nil && in.Clarification != nil {
			return e.result.Text, true
		}
	}
	return "", false
}

// core says that the call was for the server, not for the work itself.
func (e exchange) core() bool {
	return e.use.Name == askUser || e.use.Name == recordIntent || e.use.Name == proposePlan
}

// command is what a run_command was given.
func (e exchange) command() string { return e.input("command") }

// purpose is what a call says that it is for.
func (e exchange) purpose() string { return e.input("description") }

// input is a text that the call was given; "" if it was given none.
func (e exchange) input(name string) string {
	var in map[string]any
	if json.Unmarshal(e.use.Input, &in) != nil {
		return ""
	}
	text, _ := in[name].(string)
	return text
}

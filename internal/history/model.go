package history

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

// Model gives what an agent's model is told of these records: what people said,
// what the agent answered, which tools it asked for and what came of them.
// Text whose writing was interrupted is for people only: the model is asked
// again.
//
// A call and its result are never parted: the results follow the calls at once,
// and what a person said in between follows the results. A call without a
// result gets one that says so; a result whose call is not among the records is
// left out. No id of a call comes twice.
func Model(records []protocol.Record, agent string) []model.Message {
	return Messages(Visible(Tell(records, agent)))
}

// Tell is Model with what the model is told no more: condensing and truncating
// only mark. The same comes out, but for what is hidden, whether all records go
// in or only those of the agent's window.
func Tell(records []protocol.Record, agent string) []Told {
	var m modelFold
	for _, r := range records {
		m.add(r, agent)
	}
	m.close()
	distinct(m.told)
	return m.told
}

// modelFold folds records to messages.
type modelFold struct {
	told    []Told
	from    uint64              // the record from which on everything is told
	first   uint64              // the record of the first thing a person said
	asked   uint64              // the record that asked for the open calls
	open    []protocol.ToolCall // calls whose results have not all come
	results map[string]model.ToolResult
	held    []Told            // said while calls were open
	outputs map[string]string // todo → what its tool gave
}

func (m *modelFold) add(r protocol.Record, agent string) {
	switch d := r.Data.(type) {
	case *protocol.MessageRecord:
		if d.Message.ContextCondense != nil || d.Message.ContextTruncation != nil {
			if r.AgentID == agent {
				m.mark(r, d)
			}
			return
		}
		if msg, ok := spoken(d); ok && (d.Role == protocol.RoleUser || r.AgentID == agent) {
			if m.first == 0 && d.Role == protocol.RoleUser {
				m.first = r.Seq
			}
			m.say(Told{Message: msg, Seq: r.Seq})
		}
	case *protocol.ModelCompleted:
		if r.AgentID == agent && d.Error == nil {
			m.call(r.Seq, d)
		}
	case *protocol.ToolCompleted:
		switch {
		case d.Retry:
		case r.AgentID == agent:
			m.result(d)
		case d.TodoID != "":
			m.note(d)
		}
	}
}

// What a model is told of the results of a plan's todos.
const (
	outputMost  = 4 << 10
	outputsMost = 32 << 10
)

// note keeps what a todo gave until the plan's own result is told.
func (m *modelFold) note(d *protocol.ToolCompleted) {
	if m.outputs == nil {
		m.outputs = map[string]string{}
	}
	m.outputs[d.TodoID] = strings.ToValidUTF8(d.Output[:min(len(d.Output), outputMost)], "")
}

// withOutputs adds to a plan's result what its todos gave, as much as is wise.
func (m *modelFold) withOutputs(result string) string {
	var todos []map[string]any
	if len(m.outputs) == 0 || json.Unmarshal([]byte(result), &todos) != nil {
		return result
	}
	left := outputsMost
	for _, t := range todos {
		id, _ := t["id"].(string)
		if output := m.outputs[id]; output != "" && len(output) <= left {
			t["output"] = output
			left -= len(output)
		}
	}
	m.outputs = nil
	told, err := json.Marshal(todos)
	if err != nil {
		return result
	}
	return string(told)
}

// spoken is a message that a model is told.
func spoken(d *protocol.MessageRecord) (model.Message, bool) {
	if d.Message.Partial || d.Message.Type != protocol.KindSay {
		return model.Message{}, false
	}
	switch {
	case d.Role == protocol.RoleUser:
		words := model.Text(model.RoleUser, d.Message.Text)
		if shown := pictures(d.Message.Images); len(shown) > 0 {
			if d.Message.Text == "" {
				words.Blocks = nil
			}
			words.Blocks = append(words.Blocks, shown...)
		}
		return words, true
	case d.Role == protocol.RoleAssistant && d.Message.Say == protocol.SayText:
		return model.Text(model.RoleAssistant, d.Message.Text), true
	}
	return model.Message{}, false
}

func (m *modelFold) say(msg Told) {
	if len(m.open) > 0 {
		m.held = append(m.held, msg)
		return
	}
	m.told = append(m.told, msg)
}

func (m *modelFold) call(seq uint64, d *protocol.ModelCompleted) {
	m.close()
	var blocks []model.Block
	for _, raw := range d.Vendor {
		blocks = append(blocks, model.Block{Kind: model.BlockVendor, Vendor: raw})
	}
	for _, c := range d.ToolCalls {
		input := c.Input
		if len(input) == 0 {
			input = []byte("{}")
		}
		blocks = append(blocks, model.Block{Kind: model.BlockToolUse, ToolUse: &model.ToolUse{ID: useID(c), Name: c.Tool, Input: input}})
	}
	if len(blocks) > 0 {
		m.told = append(m.told, Told{Message: model.Message{Role: model.RoleAssistant, Blocks: blocks}, Seq: seq})
	}
	m.open, m.asked = d.ToolCalls, seq
	m.results = map[string]model.ToolResult{}
}

// planTool is the call whose result is what became of a plan.
const planTool = "propose_plan"

func useID(c protocol.ToolCall) string {
	if c.UseID != "" {
		return c.UseID
	}
	return c.CallID
}

func (m *modelFold) result(d *protocol.ToolCompleted) {
	i := slices.IndexFunc(m.open, func(c protocol.ToolCall) bool { return c.CallID == d.CallID })
	if i < 0 {
		return
	}
	text := d.Output
	if d.Tool == planTool {
		text = m.withOutputs(text)
	}
	if text == "" && d.Error != nil {
		text = d.Error.Message
	}
	result := model.ToolResult{ToolUseID: useID(m.open[i]), Text: text, IsError: !d.OK}
	for _, b := range pictures(d.Images) {
		result.Images = append(result.Images, *b.Image)
	}
	m.results[d.CallID] = result
	if len(m.results) == len(m.open) {
		m.close()
	}
}

// close puts the results after their calls, and after them what was held back.
func (m *modelFold) close() {
	if len(m.open) == 0 {
		return
	}
	blocks := make([]model.Block, len(m.open))
	for i, c := range m.open {
		result, ok := m.results[c.CallID]
		if !ok {
			result = model.ToolResult{ToolUseID: useID(c), Text: "There is no result: the call did not come to an end.", IsError: true}
		}
		blocks[i] = model.Block{Kind: model.BlockToolResult, ToolResult: &result}
	}
	m.told = append(m.told, Told{Message: model.Message{Role: model.RoleUser, Blocks: blocks}, Seq: m.asked})
	m.told = append(m.told, m.held...)
	m.open, m.results, m.held = nil, nil, nil
}

package agent

import (
	"encoding/json"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

// schema is a tool that the core decides on: the model sees it like any other.
type schema struct {
	name, description, input string
}

var askUser = schema{
	name: "ask_user",
	description: "Ask the person a question and wait for the answer. Use it when only they can know, not for what you can find out." +
		" Give options if there are few possible answers.",
	input: `{"type":"object","required":["question"],"properties":{
		"question":{"type":"string"},
		"input_type":{"enum":["text","choice","multi_choice","number","date","confirm"]},
		"options":{"type":"array","items":{"type":"object","required":["value"],"properties":{"value":{"type":"string"},"label":{"type":"string"}}}},
		"suggestions":{"type":"array","items":{"type":"string"}},
		"default_value":{}}}`,
}

var recordIntent = schema{
	name: "record_intent",
	description: "Say what the person asks for, and whether it takes a plan of several steps. If it is not clear what they mean," +
		" give a clarification instead of guessing.",
	input: `{"type":"object","properties":{
		"intent":{"type":"object","properties":{"domain":{"type":"string"},"category":{"type":"string"},"confidence":{"type":"number"}}},
		"entities":{"type":"array","items":{"type":"object"}},
		"needs_plan":{"type":"boolean"},
		"clarification":{"type":"object","required":["question"],"properties":{
			"ambiguity":{"type":"string"},"question":{"type":"string"},
			"input_type":{"enum":["text","choice","multi_choice","number","date","confirm"]},
			"suggestions":{"type":"array","items":{"type":"string"}}}}}}`,
}

var proposePlan = schema{
	name: "propose_plan",
	description: "Propose a plan for work of several steps. The person sees it before it runs. Each todo is one call of a tool;" +
		" todos that do not depend on each other run at the same time. The result says what became of each.",
	input: `{"type":"object","required":["summary","todos"],"properties":{
		"summary":{"type":"string"},
		"todos":{"type":"array","items":{"type":"object","required":["id","task"],"properties":{
			"id":{"type":"string"},"task":{"type":"string"},"tool":{"type":"string"},"input":{"type":"object"},
			"profile":{"type":"string","description":"Instead of a tool: the mode of a session of its own, for which the task is the goal."},
			"depends_on":{"type":"array","items":{"type":"string"}},"priority":{"type":"integer"},
			"estimated_duration_sec":{"type":"number"},"estimated_cost_usd":{"type":"number"},
			"requires_approval":{"type":"boolean"},"max_retries":{"type":"integer"}}}}}}`,
}

var updateTodos = schema{
	name: "update_todos",
	description: "Keep a list of what you have to do and how far you are, for yourself and for the person who watches." +
		" Give the whole list each time. Use it for work of several steps that needs no plan.",
	input: `{"type":"object","required":["todos"],"properties":{
		"todos":{"type":"array","items":{"type":"object","required":["task"],"properties":{
			"id":{"type":"string"},"task":{"type":"string"},
			"status":{"enum":["pending","in_progress","completed","failed","skipped","cancelled"]}}}}}}`,
}

// offered says which of the core's schemas a call of this purpose may use.
func offered(step session.Step) []schema {
	switch {
	case step.Purpose == session.PurposeIntent:
		return []schema{recordIntent}
	case step.Purpose == session.PurposePlan:
		return []schema{proposePlan}
	case step.Purpose == session.PurposeRespond:
		return nil
	}
	tools := []schema{askUser, updateTodos}
	if step.Pipeline != protocol.PipelineDirect {
		tools = append(tools, proposePlan)
	}
	if step.Depth < deepest {
		tools = append(tools, delegate)
	}
	return tools
}

// forced is the tool that a call of this purpose must use.
func forced(purpose string) string {
	if purpose == session.PurposeIntent || purpose == session.PurposePlan {
		return purpose
	}
	return model.ChooseFreely
}

func (s schema) tool() model.Tool {
	return model.Tool{Name: s.name, Description: s.description, Schema: json.RawMessage(s.input)}
}

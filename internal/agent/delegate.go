package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
	"github.com/parley-dev/parley/tool"
)

// deepest is how many sessions may stand on each other.
const deepest = 3

var delegate = schema{
	name: session.ToolDelegate,
	description: "Hand a part of the work to a session of its own, and get its answer back. Use it for work that stands for itself and would" +
		" fill this conversation with details nobody needs later. The goal must say everything: the other session knows nothing of this one.",
	input: `{"type":"object","required":["goal"],"properties":{
		"goal":{"type":"string","description":"What is to be done, and what the answer should hold."},
		"title":{"type":"string"},
		"mode":{"type":"string","description":"The mode it works in; this session's if left out."},
		"model":{"type":"string"}}}`,
}

type delegation struct {
	Goal  string `json:"goal"`
	Title string `json:"title"`
	Mode  string `json:"mode"`
	Model string `json:"model"`
}

// childID names the session that a call hands its work to: the same after a
// crash, so that it is found again.
func childID(parent, call string) string {
	return protocol.SessionPrefix + uuid.NewSHA1(uuid.NameSpaceOID, []byte(parent+"\n"+call)).String()
}

// delegate carries out a call that hands work to another session.
func (a *Agent) delegate(ctx context.Context, w *engine.Work, input json.RawMessage, emit func(tool.Event)) (tool.Result, error) {
	var d delegation
	if err := json.Unmarshal(input, &d); err != nil || d.Goal == "" {
		return tool.Result{}, &tool.Error{Code: tool.CodeInputInvalid, Message: "delegate needs a goal"}
	}
	if err := a.policy(w.Step).hands(d.Mode); err != nil {
		return tool.Result{}, &tool.Error{Code: tool.CodeInputInvalid, Message: err.Error()}
	}
	above, err := w.Ledger(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	if above.Depth+1 > deepest {
		return tool.Result{}, &tool.Error{Code: tool.CodeExecutionFailed, Message: fmt.Sprintf("work may be handed on %d times; do this part here", deepest)}
	}
	with := protocol.SessionCreated{
		Owner: above.Owner, Title: d.Title, Workspace: above.Workspace, Model: d.Model, Pipeline: protocol.PipelineAuto, Mode: d.Mode,
		AutoApprove: above.AutoApprove, Settings: above.Settings, PlanReview: above.PlanReview, ParentID: w.SessionID, RootID: above.RootID, Depth: above.Depth + 1,
	}
	if with.RootID == "" {
		with.RootID = w.SessionID
	}
	if with.Model == "" {
		with.Model = above.Model
	}
	if with.Mode == "" {
		with.Mode = above.Mode
	}
	id := childID(w.SessionID, w.Step.Tool.ID)
	end, err := w.Delegate(ctx, id, w.Step.Tool.ID, with, d.Goal, func(r protocol.Record) {
		if asks := asked(r); asks != "" {
			emit(tool.Event{Output: fmt.Sprintf("%s asks: %s\n", id, asks)})
		}
	})
	if err != nil {
		return tool.Result{}, err
	}
	summary, _ := json.Marshal(map[string]string{"session_id": id})
	switch e := end.Data.(type) {
	case *protocol.Complete:
		text, err := a.answerOf(ctx, w, id, e)
		return tool.Result{Text: text, Summary: summary}, err
	case *protocol.Failed:
		return tool.Result{Text: "The session " + id + " did not do it: " + e.Error.Message, Summary: summary, IsError: true}, nil
	}
	return tool.Result{}, fmt.Errorf("session %s ended with %s", id, end.Type)
}

// answerOf is what a session answered, the whole of it.
func (a *Agent) answerOf(ctx context.Context, w *engine.Work, id string, e *protocol.Complete) (string, error) {
	if !e.Response.Truncated {
		return e.Response.Text, nil
	}
	m, err := w.Said(ctx, id, e.Response.MessageID)
	if err != nil {
		return "", err
	}
	return m.Message.Text, a.whole(&m.Message.Text, m.Message.TextBlob)
}

// asked is what a record asks of a person; empty if it asks nothing.
func asked(r protocol.Record) string {
	switch d := r.Data.(type) {
	case *protocol.HitlInputRequest:
		return d.Question
	case *protocol.HitlClarification:
		return d.Question
	case *protocol.HitlPlanReview:
		return d.Message
	case *protocol.HitlApprovalRequest:
		return "may " + d.Tool + " run? " + d.Preview
	}
	return ""
}

package session

import (
	"fmt"
	"slices"

	"github.com/parley-dev/parley/protocol"
)

const (
	// autoMost is how many calls in a row may run without asking anybody.
	autoMost = 50
	// mistakesMost is how many calls in a row may be ones that cannot run.
	mistakesMost = 3
)

// The tools that the session itself carries out.
const (
	toolAskUser      = "ask_user"
	toolRecordIntent = "record_intent"
	toolProposePlan  = "propose_plan"
	toolUpdateTodos  = "update_todos"
)

// ToolDelegate hands work to a session below this one. Nobody is asked about it:
// that session asks for itself.
const ToolDelegate = "delegate"

// coreTools are schemas without code: the core decides on them.
var coreTools = map[string]func(s *State, t *Turn, call protocol.ToolCall, e *ModelEnded, d *draft){
	toolAskUser:      (*State).askUser,
	toolRecordIntent: (*State).recordIntent,
	toolProposePlan:  (*State).propose,
	toolUpdateTodos:  (*State).updateTodos,
}

func isCore(tool string) bool {
	switch tool {
	case toolAskUser, toolRecordIntent, toolProposePlan, toolUpdateTodos:
		return true
	}
	return false
}

// approval says what lets a call run: the settings, a remembered choice, or a
// person.
func (s *State) approval(u ToolUse, always []string, l Limits) protocol.Approval {
	if u.Problem != "" {
		return protocol.ApprovalNone
	}
	if isCore(u.Tool) {
		return protocol.ApprovalCore
	}
	switch remembered := s.Ledger.Remembered[u.Tool]; {
	case remembered == protocol.RememberNever:
		return protocol.ApprovalNone
	case u.Guard != "":
		return protocol.ApprovalAsk
	case remembered == protocol.RememberSession, remembered == protocol.RememberAlways:
		return protocol.ApprovalAuto
	}
	switch {
	case u.Allowed, u.Tool == ToolDelegate, u.Class == protocol.ClassRead, slices.Contains(always, u.Tool):
		return protocol.ApprovalAuto
	case !l.AskAll && s.Ledger.approves(u.Class, l.AutoApprove):
		return protocol.ApprovalAuto
	}
	return protocol.ApprovalAsk
}

func (l *Ledger) rememberChoice(d *protocol.HitlResolved) {
	if d.Tool == "" || d.Remember == "" || d.Remember == protocol.RememberOnce {
		return
	}
	if l.Remembered == nil {
		l.Remembered = map[string]protocol.Remember{}
	}
	l.Remembered[d.Tool] = d.Remember
}

// askApproval asks a person whether a call may run.
func (s *State) askApproval(t *Turn, call protocol.ToolCall, preview, guard string, d *draft) {
	id := protocol.ID(protocol.RequestPrefix, d.next)
	reason := fmt.Sprintf("%s is a tool of the class %q, which asks before it acts.", call.Tool, call.Class)
	if guard != "" {
		reason = "This asks in any case: " + guard
	}
	d.add(protocol.TypeHitlApprovalRequest, &protocol.HitlApprovalRequest{
		RequestID: id, CallID: call.CallID, Tool: call.Tool, Class: call.Class, Input: call.Input, Preview: preview,
		Reason:     reason,
		Options:    []string{protocol.ActionApprove, protocol.ActionSkip, protocol.ActionReject},
		TimeoutSec: int(approvalTime.Seconds()), ExpiresAt: protocol.At(d.clock.Add(approvalTime)), TurnID: t.ID,
	})
	text := preview
	if text == "" {
		text = string(call.Input)
	}
	d.ask(t.ID, id, askOf(call.Class), text)
}

// askOf is the kind of message that asks whether a tool of a class may run.
func askOf(class protocol.ToolClass) protocol.Ask {
	switch class {
	case protocol.ClassExecute:
		return protocol.AskCommand
	case protocol.ClassBrowser:
		return protocol.AskBrowserActionLaunch
	case protocol.ClassMCP:
		return protocol.AskUseMCPServer
	}
	return protocol.AskTool
}

// ask appends the message that goes with a request.
func (d *draft) ask(turn, request string, ask protocol.Ask, text string) {
	d.message(protocol.MessageRecord{
		TurnID: turn, RequestID: request, Role: protocol.RoleAssistant,
		Message: protocol.Message{Type: protocol.KindAsk, Ask: ask, Text: text},
	})
}

package session

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// Command asks something of a session. Its type is one of the protocol's
// commands, or one of the effects' answers below.
type Command struct {
	Type protocol.Type
	// Data points to the payload that belongs to the type.
	Data any
	By   Actor
	// Cause makes the command idempotent; nil if the client gave no id.
	Cause *protocol.Cause
	// Open is what is being written at this moment, for commands that end it.
	Open []OpenText
}

// Actor is who asks.
type Actor struct {
	User     string
	ClientID string
}

// OpenText is a message that is being written, as far as it has come.
type OpenText struct {
	OpenID  string
	AgentID string
	Say     protocol.Say
	Text    string
}

// What effects answer. These types never come from outside.
const (
	CreateSession protocol.Type = "effect.create_session" // *protocol.SessionCreated
	ModelBegin    protocol.Type = "effect.model_begin"    // *ModelBegun: about to call
	ModelEnd      protocol.Type = "effect.model_end"      // *ModelEnded: the call is over
	ToolBegin     protocol.Type = "effect.tool_begin"     // *ToolBegun: about to run
	ToolStep      protocol.Type = "effect.tool_step"      // *ToolStepped: how far it is
	ToolEnd       protocol.Type = "effect.tool_end"       // *ToolEnded: the tool is done
	Expire        protocol.Type = "effect.expire"         // *Expired: a request's time is over
	Tick          protocol.Type = "effect.tick"           // nil: the time for a retry has come
	MoveHead      protocol.Type = "effect.move_head"      // *Move: go back, or to another branch
	Suspend       protocol.Type = "effect.suspend"        // *Suspended, or nil for all: what ran runs no more, through a crash or a stop
)

// ModelBegun says that a step's model is about to be called.
type ModelBegun struct {
	TurnID  string
	Purpose string
	Model   string
}

// ModelEnded says how a model call ended.
type ModelEnded struct {
	TurnID        string
	Call          uint64 // sequence of its model_started
	StopReason    string
	Usage         protocol.Usage
	ContextWindow int64
	// Uses are the tools that the model asks for.
	Uses []ToolUse
	// Always are the tools that the owner has allowed for all their sessions.
	Always []string
	// Catalog is the tools that a plan may use.
	Catalog []ToolSpec
	// Limits is what the owner's settings say.
	Limits Limits
	Vendor []json.RawMessage
	Error  *CallError
}

// Limits is what the settings say of calls. Zero numbers are the defaults.
type Limits struct {
	AutoApprove  []string // classes that run without asking, if the session has no list of its own
	AskAll       bool     // no list counts
	AutoMost     int      // calls in a row without a person
	MistakesMost int      // calls in a row that cannot run
}

func (l Limits) auto() int {
	if l.AutoMost > 0 {
		return l.AutoMost
	}
	return autoMost
}

func (l Limits) mistakes() int {
	if l.MistakesMost > 0 {
		return l.MistakesMost
	}
	return mistakesMost
}

// ToolSpec is what the core has to know of a tool.
type ToolSpec struct {
	Name   string
	Class  protocol.ToolClass
	Effect protocol.Effect
}

// ToolUse is a tool that a model asks for, with what is known about the tool.
type ToolUse struct {
	ID      string // the model's own
	Tool    string
	Input   json.RawMessage
	Class   protocol.ToolClass
	Effect  protocol.Effect
	Preview string // what would happen, for the person who is asked
	// Allowed says that the owner's settings let this very call run.
	Allowed bool
	// Guard says why a person has to approve this very call in any case.
	Guard string
	// Problem says why it cannot run: there is no such tool, or its input does
	// not fit.
	Problem string
}

// ToolBegun says that a tool is about to run.
type ToolBegun struct {
	TurnID string
	CallID string
	// ChildID is the session that the call hands the work to.
	ChildID string
}

// ToolStepped says how far a running tool is.
type ToolStepped struct {
	TurnID   string
	CallID   string
	Progress protocol.TodoProgress // without the todo's id
}

// ToolEnded says what came of a tool.
type ToolEnded struct {
	TurnID  string
	CallID  string
	OK      bool
	Output  string
	Summary json.RawMessage
	Images  []string
	Error   *protocol.TurnError
}

// Suspended names the steps that came to an end without a result.
type Suspended struct{ Steps []string }

func (s *Suspended) includes(step string) bool { return s == nil || slices.Contains(s.Steps, step) }

// Expired says that the time of a request is over.
type Expired struct{ RequestID string }

// CallError is why a model call failed.
type CallError struct {
	Code       string
	Message    string
	Retryable  bool
	RetryAfter time.Duration
}

package session

import (
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
	Suspend       protocol.Type = "effect.suspend"        // nil: what ran runs no more, through a crash or a stop
)

// ModelBegun says that a step's model is about to be called.
type ModelBegun struct {
	TurnID string
	Model  string
}

// ModelEnded says how a model call ended.
type ModelEnded struct {
	TurnID        string
	Call          uint64 // sequence of its model_started
	StopReason    string
	Usage         protocol.Usage
	ContextWindow int64
	Error         *CallError
}

// CallError is why a model call failed.
type CallError struct {
	Code       string
	Message    string
	Retryable  bool
	RetryAfter time.Duration
}

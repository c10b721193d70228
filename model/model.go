package model

import (
	"context"
	"encoding/json"
)

// Model is one language model, ready to be called.
type Model interface {
	// Info says what the model is. It does no I/O.
	Info() Info

	// Stream calls the model and gives its answer to yield, piece by piece
	// and in order. It returns when the answer is complete (nil), when the
	// model failed (*Error), or when ctx is done (ctx's error); a context
	// that is done stops the answer also between two pieces that are ready.
	//
	// An error from yield stops the answer, and Stream returns that error.
	// Stream calls yield from one goroutine at a time and never after it
	// returned; it leaves no goroutine behind. It does not change req, and
	// whoever calls does not change it meanwhile.
	Stream(ctx context.Context, req Request, yield func(Event) error) error
}

// Info says what a model is and can do. Zero numbers mean unknown.
type Info struct {
	Name          string `json:"name"`
	ContextWindow int64  `json:"context_window,omitempty"` // tokens, input and output
	MaxOutput     int64  `json:"max_output,omitempty"`     // tokens

	Tools     bool `json:"tools,omitempty"`
	Images    bool `json:"images,omitempty"`
	Reasoning bool `json:"reasoning,omitempty"`

	// Prices in US dollars for a million tokens.
	InputPrice      float64 `json:"input_price,omitempty"`
	OutputPrice     float64 `json:"output_price,omitempty"`
	CacheReadPrice  float64 `json:"cache_read_price,omitempty"`
	CacheWritePrice float64 `json:"cache_write_price,omitempty"`
}

// Cost is what the usage costs at the model's prices, in US dollars.
func (i Info) Cost(u Usage) float64 {
	return (float64(u.InputTokens)*i.InputPrice +
		float64(u.OutputTokens)*i.OutputPrice +
		float64(u.CacheReadTokens)*i.CacheReadPrice +
		float64(u.CacheWriteTokens)*i.CacheWritePrice) / 1e6
}

// Request is everything a model is told for one call.
type Request struct {
	System   string    `json:"system,omitempty"`
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools,omitempty"`
	// ToolChoice is ChooseFreely, ChooseNone, ChooseAny, or the name of the
	// one tool that the model must call.
	ToolChoice string `json:"tool_choice,omitempty"`
	// MaxTokens bounds the answer; zero leaves it to the adapter.
	MaxTokens int64 `json:"max_tokens,omitempty"`

	// The rest are hints. A vendor is not told them; an adapter may use them.

	// Purpose says what the call is for: "turn", "record_intent",
	// "propose_plan", "respond", "condense".
	Purpose string `json:"purpose,omitempty"`
	// Attempt counts the tries of this call from 1; zero is the first too.
	Attempt int `json:"attempt,omitempty"`
	// Workspace is the folder the session works in.
	Workspace string `json:"workspace,omitempty"`
}

// What ToolChoice may be, beside a tool's name.
const (
	ChooseFreely = ""
	ChooseNone   = "none"
	ChooseAny    = "any"
)

// Tool tells a model of a tool that it may call.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Schema is the JSON Schema of the input, an object.
	Schema json.RawMessage `json:"schema,omitempty"`
}

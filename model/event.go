package model

import "encoding/json"

// EventKind says what an event carries.
type EventKind string

const (
	EventTextDelta      EventKind = "text_delta"      // Text
	EventReasoningDelta EventKind = "reasoning_delta" // Text
	EventToolUse        EventKind = "tool_use"        // ToolUse
	EventVendor         EventKind = "vendor"          // Vendor
	EventDone           EventKind = "done"            // StopReason, Usage
)

// Event is one piece of an answer. See the package comment for their order.
type Event struct {
	Kind    EventKind       `json:"kind"`
	Text    string          `json:"text,omitempty"`
	ToolUse *ToolUse        `json:"tool_use,omitempty"`
	Vendor  json.RawMessage `json:"vendor,omitempty"`

	StopReason string `json:"stop_reason,omitempty"`
	Usage      Usage  `json:"usage,omitzero"`
}

// Why an answer ended. An adapter passes on a vendor's word that has no match
// here.
const (
	StopEndTurn   = "end_turn"
	StopToolUse   = "tool_use"
	StopMaxTokens = "max_tokens"
	StopRefusal   = "refusal"
)

// Usage is what a call used.
type Usage struct {
	// InputTokens are those neither read from nor written to a cache.
	InputTokens      int64   `json:"input_tokens"`
	OutputTokens     int64   `json:"output_tokens"`
	CacheReadTokens  int64   `json:"cache_read_tokens,omitempty"`
	CacheWriteTokens int64   `json:"cache_write_tokens,omitempty"`
	CostUSD          float64 `json:"cost_usd,omitempty"`
	// Estimated says that nobody counted the tokens.
	Estimated bool `json:"estimated,omitempty"`
}

// Answer joins events into the message they make. The zero value is ready.
type Answer struct {
	Blocks     []Block
	StopReason string
	Usage      Usage
	// Complete says that Done has come.
	Complete bool

	text []byte // of the block that deltas are being joined into
	open BlockKind
}

// Add takes the next event.
func (a *Answer) Add(e Event) {
	switch e.Kind {
	case EventTextDelta:
		a.join(BlockText, e.Text)
	case EventReasoningDelta:
		a.join(BlockReasoning, e.Text)
	case EventToolUse:
		a.close()
		a.Blocks = append(a.Blocks, Block{Kind: BlockToolUse, ToolUse: e.ToolUse})
	case EventVendor:
		a.close()
		a.Blocks = append(a.Blocks, Block{Kind: BlockVendor, Vendor: e.Vendor})
	case EventDone:
		a.close()
		a.StopReason, a.Usage, a.Complete = e.StopReason, e.Usage, true
	}
}

// Message is what has been said so far; empty text makes no block.
func (a *Answer) Message() Message {
	a.close()
	return Message{Role: RoleAssistant, Blocks: a.Blocks}
}

func (a *Answer) join(kind BlockKind, text string) {
	if a.open != kind {
		a.close()
		a.open = kind
	}
	a.text = append(a.text, text...)
}

func (a *Answer) close() {
	if len(a.text) > 0 {
		a.Blocks = append(a.Blocks, Block{Kind: a.open, Text: string(a.text)})
	}
	a.open, a.text = "", nil
}

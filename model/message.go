package model

import (
	"encoding/json"
	"strings"
)

// Role says who speaks.
type Role string

const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Message is one entry of a model's history. Tool results are blocks of a user
// message. Roles need not alternate: an adapter joins neighbours where its
// vendor demands it. Every tool_use in a history has its tool_result, in the
// next message.
type Message struct {
	Role   Role    `json:"role"`
	Blocks []Block `json:"blocks"`
}

// BlockKind says which field of a block is set.
type BlockKind string

const (
	BlockText       BlockKind = "text"        // Text
	BlockImage      BlockKind = "image"       // Image
	BlockToolUse    BlockKind = "tool_use"    // ToolUse
	BlockToolResult BlockKind = "tool_result" // ToolResult
	BlockReasoning  BlockKind = "reasoning"   // Text: for people; an adapter does not send it
	BlockVendor     BlockKind = "vendor"      // Vendor
)

// Block is a part of a message.
type Block struct {
	Kind       BlockKind   `json:"kind"`
	Text       string      `json:"text,omitempty"`
	Image      *Image      `json:"image,omitempty"`
	ToolUse    *ToolUse    `json:"tool_use,omitempty"`
	ToolResult *ToolResult `json:"tool_result,omitempty"`
	// Vendor is what an adapter gave in a Vendor event, and gets back. It
	// says in itself which adapter wrote it: an adapter passes over what
	// another one left, since a session may change its model.
	Vendor json.RawMessage `json:"vendor,omitempty"`
}

// Image is a picture shown to the model.
type Image struct {
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

// ToolUse is a call of a tool.
type ToolUse struct {
	// ID names the call within its conversation.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Input is a JSON object, or a JSON string with what the model wrote
	// instead of one.
	Input json.RawMessage `json:"input"`
}

// ToolResult is what a call gave.
type ToolResult struct {
	ToolUseID string  `json:"tool_use_id"`
	Text      string  `json:"text,omitempty"`
	Images    []Image `json:"images,omitempty"`
	IsError   bool    `json:"is_error,omitempty"`
}

// Text makes a message of one text block.
func Text(role Role, text string) Message {
	return Message{Role: role, Blocks: []Block{{Kind: BlockText, Text: text}}}
}

// Text joins the message's text blocks, one to a line.
func (m Message) Text() string {
	var texts []string
	for _, b := range m.Blocks {
		if b.Kind == BlockText {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

package exchange

import (
	"encoding/json"
	"slices"

	"github.com/parley-dev/parley/protocol"
)

// The files of a task folder, and what older versions called them.
const (
	rooUI   = "ui_messages.json"
	rooAPI  = "api_conversation_history.json"
	rooItem = "history_item.json"
)

var (
	rooAPINames  = []string{rooAPI, "api_conversation.json", "claude_messages.json"}
	rooItemNames = []string{rooItem, "metadata.json"}
	rooNames     = slices.Concat([]string{rooUI}, rooAPINames, rooItemNames)
)

// FolderFiles are the names of the files that a folder format reads.
func FolderFiles(f Format) []string {
	switch f {
	case Roo:
		return slices.Clone(rooNames)
	case Yaar:
		return []string{yaarMeta, yaarLog}
	}
	return nil
}

// rooTask is a history item: a task as the list of tasks shows it.
type rooTask struct {
	ID          string  `json:"id"`
	RootTaskID  string  `json:"rootTaskId,omitempty"`
	ParentID    string  `json:"parentTaskId,omitempty"`
	Number      float64 `json:"number"`
	Ts          float64 `json:"ts"`
	Task        string  `json:"task"`
	TokensIn    float64 `json:"tokensIn"`
	TokensOut   float64 `json:"tokensOut"`
	CacheWrites float64 `json:"cacheWrites,omitempty"`
	CacheReads  float64 `json:"cacheReads,omitempty"`
	TotalCost   float64 `json:"totalCost"`
	Size        float64 `json:"size,omitempty"`
	Workspace   string  `json:"workspace,omitempty"`
	Mode        string  `json:"mode,omitempty"`
}

// rooMessage is a message of the ui history. Its ts may be written as any number.
type rooMessage struct {
	protocol.Message
	Ts float64 `json:"ts"`
}

// rooTurn is a message of the model history.
type rooTurn struct {
	Role             string          `json:"role,omitempty"`
	Content          json.RawMessage `json:"content,omitempty"`
	Ts               float64         `json:"ts,omitempty"`
	Type             string          `json:"type,omitempty"` // "reasoning": an item of its own
	IsSummary        bool            `json:"isSummary,omitempty"`
	CondenseID       string          `json:"condenseId,omitempty"`
	CondenseParent   string          `json:"condenseParent,omitempty"`
	IsMarker         bool            `json:"isTruncationMarker,omitempty"`
	TruncationID     string          `json:"truncationId,omitempty"`
	TruncationParent string          `json:"truncationParent,omitempty"`
	// Vendor is ours: what a model's adapter wants to see again.
	Vendor []json.RawMessage `json:"parley_vendor,omitempty"`
}

// rooBlock is a part of a turn.
type rooBlock struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   json.RawMessage `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Source    *rooSource      `json:"source,omitempty"`
}

type rooSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

// blocks gives a turn's content, which may be written as one text.
func blocks(content json.RawMessage) ([]rooBlock, error) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []rooBlock{{Type: "text", Text: &text}}, nil
	}
	var list []rooBlock
	err := json.Unmarshal(content, &list)
	return list, err
}

// rooSays and rooAsks are the kinds that Roo Code knows; it shows no message of
// another kind.
var (
	rooSays = []protocol.Say{
		"error", "api_req_started", "api_req_finished", "api_req_retried", "api_req_retry_delayed", "api_req_rate_limit_wait",
		"api_req_deleted", "text", "image", "reasoning", "completion_result", "user_feedback", "user_feedback_diff",
		"command_output", "shell_integration_warning", "mcp_server_request_started", "mcp_server_response", "subtask_result",
		"checkpoint_saved", "rooignore_error", "diff_error", "condense_context", "condense_context_error",
		"sliding_window_truncation", "codebase_search_result", "user_edit_todos", "too_many_tools_warning", "tool",
	}
	rooAsks = []protocol.Ask{
		"followup", "command", "command_output", "completion_result", "tool", "api_req_failed", "resume_task",
		"resume_completed_task", "mistake_limit_reached", "use_mcp_server", "auto_approval_max_req_reached",
	}
)

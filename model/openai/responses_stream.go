package openai

import (
	"encoding/json"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/internal/wire"
)

// responsesTaker reads the events of one response.
type responsesTaker struct {
	model  *Model
	key    string
	req    model.Request
	answer *wire.Answer

	refused  bool
	thoughts bool // some were given
}

type responseEvent struct {
	Type     string          `json:"type"`
	Delta    json.RawMessage `json:"delta"`
	Item     json.RawMessage `json:"item"`
	Response struct {
		Status            string          `json:"status"`
		Error             json.RawMessage `json:"error"`
		IncompleteDetails struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
		Usage *responseUsage `json:"usage"`
	} `json:"response"`
}

type responseUsage struct {
	Input   int64 `json:"input_tokens"`
	Output  int64 `json:"output_tokens"`
	Details struct {
		Cached     int64 `json:"cached_tokens"`
		CacheWrite int64 `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
}

type outputItem struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Take reads the next event. The deltas of a call are passed over: the whole of
// it comes when its item is done.
func (t *responsesTaker) Take(raw wire.Event) (bool, error) {
	var e responseEvent
	if err := json.Unmarshal(raw.Data, &e); err != nil {
		return false, t.model.wire.Unreadable(err)
	}
	switch e.Type {
	case "response.output_text.delta":
		return false, t.answer.Text(text(e.Delta))
	case "response.refusal.delta":
		t.refused = true
		return false, t.answer.Text(text(e.Delta))
	case "response.reasoning_summary_part.added":
		if t.thoughts { // a paragraph of its own
			return false, t.answer.Reasoning("\n\n")
		}
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		t.thoughts = true
		return false, t.answer.Reasoning(text(e.Delta))
	case "response.output_item.done":
		return false, t.item(e.Item)
	case "response.completed", "response.incomplete":
		return true, t.done(e)
	case "response.failed":
		return false, t.model.wire.Failed(wire.ReadFault(e.Response.Error), t.key)
	case "error":
		return false, t.model.wire.Failed(unnamed(wire.ReadFault(raw.Data)), t.key)
	}
	return false, nil
}

// unnamed takes out the word that only says that it is an error.
func unnamed(f wire.Fault) wire.Fault {
	if len(f.Words) > 0 && f.Words[0] == "error" {
		f.Words = f.Words[1:]
	}
	return f
}

// End is a response that nobody completed.
func (t *responsesTaker) End() error { return t.model.wire.Cut() }

func (t *responsesTaker) item(raw json.RawMessage) error {
	var item outputItem
	if err := json.Unmarshal(raw, &item); err != nil {
		return t.model.wire.Unreadable(err)
	}
	switch item.Type {
	case "function_call":
		t.answer.Call(item.CallID, item.Name, item.Arguments)
	case "reasoning":
		if own, ok := kept(raw); ok {
			t.answer.Keep.AddOwn(own)
		}
	}
	return nil
}

// kept is a thought as it is sent again. One that is not encrypted stands at the
// vendor only, where nothing is stored, and cannot be sent again.
func kept(raw json.RawMessage) (json.RawMessage, bool) {
	var item struct {
		Type             string            `json:"type"`
		ID               string            `json:"id"`
		Summary          []json.RawMessage `json:"summary"`
		EncryptedContent string            `json:"encrypted_content"`
	}
	if json.Unmarshal(raw, &item) != nil || item.EncryptedContent == "" {
		return nil, false
	}
	if item.Summary == nil {
		item.Summary = []json.RawMessage{} // demanded, also if empty
	}
	own, err := json.Marshal(item)
	return own, err == nil
}

func (t *responsesTaker) done(e responseEvent) error {
	stop := model.StopEndTurn
	switch reason := e.Response.IncompleteDetails.Reason; {
	case reason == "max_output_tokens":
		stop = model.StopMaxTokens
	case reason == "content_filter" || t.refused:
		stop = model.StopRefusal
	case reason != "":
		stop = reason
	}
	var used model.Usage
	if u := e.Response.Usage; u != nil {
		used = model.Usage{
			InputTokens:     max(0, u.Input-u.Details.Cached-u.Details.CacheWrite),
			OutputTokens:    u.Output,
			CacheReadTokens: u.Details.Cached, CacheWriteTokens: u.Details.CacheWrite,
		}
	}
	return t.answer.Done(stop, used, t.req)
}

func text(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // another kind of delta has no words
	return s
}

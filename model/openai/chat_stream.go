package openai

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/internal/wire"
)

// chatTaker reads the chunks of one chat completion.
type chatTaker struct {
	model  *Model
	key    string
	req    model.Request
	answer *wire.Answer

	calls   []*chatOpen
	thought thought
	finish  string
	refused bool
	usage   model.Usage
}

// chatOpen is a call that is being written.
type chatOpen struct {
	index int
	id    string
	name  string
	input []byte
}

type chunk struct {
	Choices []struct {
		Delta        chatDelta `json:"delta"`
		FinishReason string    `json:"finish_reason"`
	} `json:"choices"`
	Usage *chatUsage      `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type chatDelta struct {
	Content          string            `json:"content"`
	Refusal          string            `json:"refusal"`
	ReasoningContent string            `json:"reasoning_content"`
	Reasoning        json.RawMessage   `json:"reasoning"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details"`
	ToolCalls        []callDelta       `json:"tool_calls"`
}

type callDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

type chatUsage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Details    struct {
		Cached     int64 `json:"cached_tokens"`
		CacheWrite int64 `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CacheHit int64 `json:"prompt_cache_hit_tokens"` // DeepSeek's name
}

// Take reads the next chunk.
func (t *chatTaker) Take(raw wire.Event) (bool, error) {
	data := bytes.TrimSpace(raw.Data)
	if bytes.Equal(data, []byte("[DONE]")) {
		return true, t.End()
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return false, t.model.wire.Unreadable(err)
	}
	if raw.Name == "error" || len(c.Error) > 0 && string(c.Error) != "null" {
		return false, t.model.wire.Failed(wire.ReadFault(data), t.key)
	}
	if c.Usage != nil {
		t.usage = c.Usage.model()
	}
	for _, choice := range c.Choices {
		if err := t.delta(choice.Delta); err != nil {
			return false, err
		}
		if choice.FinishReason != "" {
			t.finish = choice.FinishReason
		}
	}
	return false, nil
}

func (t *chatTaker) delta(d chatDelta) error {
	thinking := d.ReasoningContent
	if thinking == "" {
		_ = json.Unmarshal(d.Reasoning, &thinking) // some put an object there: not words
	} else {
		t.thought.Content += thinking
	}
	t.thought.Details = append(t.thought.Details, d.ReasoningDetails...)
	if err := t.answer.Reasoning(thinking); err != nil {
		return err
	}
	if err := t.answer.Text(d.Content + d.Refusal); err != nil {
		return err
	}
	t.refused = t.refused || d.Refusal != ""
	for _, c := range d.ToolCalls {
		t.call(c)
	}
	return nil
}

// call takes a piece of a call. It belongs to the call of its index; without an
// index, a new id begins a new call.
func (t *chatTaker) call(d callDelta) {
	var open *chatOpen
	if d.Index != nil {
		for _, c := range t.calls {
			if c.index == *d.Index && (d.ID == "" || c.id == "" || c.id == d.ID) {
				open = c
			}
		}
	} else if n := len(t.calls); n > 0 && (d.ID == "" || d.ID == t.calls[n-1].id) && d.Function.Name == "" {
		open = t.calls[n-1]
	}
	if open == nil {
		open = &chatOpen{index: len(t.calls)}
		if d.Index != nil {
			open.index = *d.Index
		}
		t.calls = append(t.calls, open)
	}
	if d.ID != "" {
		open.id = d.ID
	}
	if d.Function.Name != "" {
		open.name = d.Function.Name
	}
	var piece string
	if json.Unmarshal(d.Function.Arguments, &piece) != nil { // an object, given whole
		piece = string(d.Function.Arguments)
	}
	open.input = append(open.input, piece...)
}

// End closes the answer. Whoever gave a reason to stop has ended it, also without
// saying [DONE].
func (t *chatTaker) End() error {
	if t.finish == "" {
		return t.model.wire.Cut()
	}
	if t.thought.Content != "" || len(t.thought.Details) > 0 {
		if own, err := json.Marshal(t.thought); err == nil {
			t.answer.Keep.Parts = append([]wire.Part{{Own: own}}, t.answer.Keep.Parts...)
		}
	}
	for i, c := range t.calls {
		if c.id == "" {
			c.id = t.madeID(i)
		}
		t.answer.Call(c.id, c.name, string(c.input))
	}
	stop := stopOf(t.finish)
	if t.refused {
		stop = model.StopRefusal
	}
	return t.answer.Done(stop, t.usage, t.req)
}

// madeID names a call that the server left without a name: the same for the same
// request, and another for every other.
func (t *chatTaker) madeID(i int) string {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode(t.req.Messages) // what cannot be encoded counts by its absence
	return fmt.Sprintf("call_%x_%d", h.Sum(nil)[:8], i+1)
}

func (u *chatUsage) model() model.Usage {
	cached := max(u.Details.Cached, u.CacheHit)
	return model.Usage{
		InputTokens:     max(0, u.Prompt-cached-u.Details.CacheWrite),
		OutputTokens:    u.Completion,
		CacheReadTokens: cached, CacheWriteTokens: u.Details.CacheWrite,
	}
}

func stopOf(reason string) string {
	switch reason {
	case "stop", "eos":
		return model.StopEndTurn
	case "tool_calls", "function_call":
		return model.StopToolUse
	case "length":
		return model.StopMaxTokens
	case "content_filter":
		return model.StopRefusal
	}
	return reason
}

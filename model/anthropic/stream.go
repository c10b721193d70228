package anthropic

import (
	"encoding/json"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/internal/wire"
)

// taker reads the events of one answer.
type taker struct {
	model  *Model
	key    string
	req    model.Request
	answer wire.Answer

	open  open
	stop  string
	usage usage
}

// open is the block that is being written.
type open struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`

	whole json.RawMessage // as it came, for kinds that come whole
	input []byte
}

// usage as it is told, in parts: at the start and, again, at the end.
type usage struct {
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
}

type event struct {
	Type    string `json:"type"`
	Message struct {
		Usage usage `json:"usage"`
	} `json:"message"`
	ContentBlock json.RawMessage `json:"content_block"`
	Delta        delta           `json:"delta"`
	Usage        usage           `json:"usage"`
}

type delta struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	PartialJSON string `json:"partial_json"`
	Thinking    string `json:"thinking"`
	Signature   string `json:"signature"`
	StopReason  string `json:"stop_reason"`
}

// known are the kinds of events that are read. Others are passed over, as the
// vendor asks of clients: nobody knows what is in them.
var known = map[string]bool{
	"message_start": true, "content_block_start": true, "content_block_delta": true, "content_block_stop": true,
	"message_delta": true, "message_stop": true, "error": true,
}

// Take reads the next event.
func (t *taker) Take(raw wire.Event) (bool, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw.Data, &head); err != nil {
		return false, t.model.wire.Unreadable(err)
	}
	if !known[head.Type] {
		return false, nil
	}
	var e event
	if err := json.Unmarshal(raw.Data, &e); err != nil {
		return false, t.model.wire.Unreadable(err)
	}
	switch e.Type {
	case "message_start":
		t.usage.add(e.Message.Usage)
	case "content_block_start":
		t.open = open{whole: e.ContentBlock}
		if err := json.Unmarshal(e.ContentBlock, &t.open); err != nil {
			return false, t.model.wire.Unreadable(err)
		}
		return false, t.begin()
	case "content_block_delta":
		return false, t.delta(e.Delta)
	case "content_block_stop":
		t.end()
	case "message_delta":
		t.usage.add(e.Usage)
		if e.Delta.StopReason != "" {
			t.stop = stopOf(e.Delta.StopReason)
		}
	case "message_stop":
		if t.stop == "" {
			t.stop = model.StopEndTurn
		}
		return true, t.answer.Done(t.stop, t.usage.model(), t.req)
	case "error":
		return false, t.model.wire.Failed(wire.ReadFault(raw.Data), t.key)
	}
	return false, nil
}

// End is an answer without message_stop.
func (t *taker) End() error { return t.model.wire.Cut() }

// begin gives what a block starts with, which is mostly nothing.
func (t *taker) begin() error {
	switch t.open.Type {
	case "text":
		return t.answer.Text(t.open.Text)
	case "thinking":
		return t.answer.Reasoning(t.open.Thinking)
	}
	return nil
}

func (t *taker) delta(d delta) error {
	switch d.Type {
	case "text_delta":
		return t.answer.Text(d.Text)
	case "thinking_delta":
		t.open.Thinking += d.Thinking
		return t.answer.Reasoning(d.Thinking)
	case "signature_delta":
		t.open.Signature += d.Signature
	case "input_json_delta":
		t.open.input = append(t.open.input, d.PartialJSON...)
	}
	return nil
}

// end closes a block.
func (t *taker) end() {
	switch t.open.Type {
	case "tool_use":
		input := string(t.open.input)
		if input == "" && len(t.open.Input) > 0 {
			input = string(t.open.Input)
		}
		t.answer.Call(t.open.ID, t.open.Name, input)
	case "thinking":
		if t.open.Signature == "" {
			break // nobody takes back a thought that is not signed
		}
		own, err := json.Marshal(struct {
			Type      string `json:"type"`
			Thinking  string `json:"thinking"`
			Signature string `json:"signature"`
		}{"thinking", t.open.Thinking, t.open.Signature})
		if err == nil {
			t.answer.Keep.AddOwn(own)
		}
	case "redacted_thinking":
		t.answer.Keep.AddOwn(t.open.whole)
	}
	t.open = open{}
}

func (u *usage) add(more usage) {
	for _, f := range []struct{ to, from **int64 }{
		{&u.Input, &more.Input}, {&u.Output, &more.Output},
		{&u.CacheRead, &more.CacheRead}, {&u.CacheWrite, &more.CacheWrite},
	} {
		if *f.from != nil {
			*f.to = *f.from
		}
	}
}

func (u *usage) model() model.Usage {
	n := func(p *int64) int64 {
		if p == nil {
			return 0
		}
		return *p
	}
	return model.Usage{
		InputTokens: n(u.Input), OutputTokens: n(u.Output), CacheReadTokens: n(u.CacheRead), CacheWriteTokens: n(u.CacheWrite),
	}
}

func stopOf(reason string) string {
	switch reason {
	case "stop_sequence":
		return model.StopEndTurn
	case "model_context_window_exceeded":
		return model.StopMaxTokens
	}
	return reason // the others are the port's own words, or nobody's
}

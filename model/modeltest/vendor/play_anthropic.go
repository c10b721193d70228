package vendor

import (
	"strings"

	"github.com/parley-dev/parley/model"
)

// playAnthropic plays a turn as Anthropic does.
func playAnthropic(s *stream, seen Seen, t Turn) error {
	p := anthropicPlayer{s: s, seen: seen}
	u := t.usage()
	p.event("message_start", object{"message": object{
		"id": id("msg_", seen, 0), "type": "message", "role": "assistant", "model": seen.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil,
		"usage": object{
			"input_tokens": u.InputTokens, "cache_creation_input_tokens": u.CacheWriteTokens,
			"cache_read_input_tokens": u.CacheReadTokens, "output_tokens": 1,
		},
	}})
	p.event("ping", object{})
	if len(t.Thinking) > 0 {
		p.start(object{"type": "thinking", "thinking": "", "signature": ""})
		for _, piece := range t.Thinking {
			p.delta(object{"type": "thinking_delta", "thinking": piece})
		}
		p.delta(object{"type": "signature_delta", "signature": Sign(t.thought())})
		p.stop()
	}
	if t.Redacted {
		p.start(object{"type": "redacted_thinking", "data": "redacted_" + Sign("")})
		p.stop()
	}
	if len(t.Text) > 0 {
		p.start(object{"type": "text", "text": ""})
		err := s.text(t, func(piece string) error {
			p.delta(object{"type": "text_delta", "text": piece})
			return p.err
		}, func(f fault) error { return s.event("error", f.anthropicBody()) })
		if err == errOver {
			return nil
		}
		if err != nil {
			return err
		}
		p.stop()
	}
	p.calls(t)
	p.event("message_delta", object{
		"delta": object{"stop_reason": anthropicStop(t), "stop_sequence": nil},
		"usage": object{"output_tokens": u.OutputTokens},
	})
	p.event("message_stop", object{})
	return p.err
}

// anthropicPlayer remembers the first error, so that a turn reads as it is sent.
type anthropicPlayer struct {
	s     *stream
	seen  Seen
	index int
	err   error
}

func (p *anthropicPlayer) event(name string, data object) {
	if p.err == nil {
		data["type"] = name
		p.err = p.s.event(name, data)
	}
}

func (p *anthropicPlayer) start(block object) {
	p.event("content_block_start", object{"index": p.index, "content_block": block})
}

func (p *anthropicPlayer) delta(d object) {
	p.event("content_block_delta", object{"index": p.index, "delta": d})
}

func (p *anthropicPlayer) stop() {
	p.event("content_block_stop", object{"index": p.index})
	p.index++
}

func (p *anthropicPlayer) calls(t Turn) {
	for i, c := range t.Calls {
		p.start(object{"type": "tool_use", "id": id("toolu_", p.seen, i), "name": c.Name, "input": object{}})
		p.delta(object{"type": "input_json_delta", "partial_json": ""})
		if strings.TrimSpace(c.Input) != "{}" {
			for _, piece := range pieces(c.Input) {
				p.delta(object{"type": "input_json_delta", "partial_json": piece})
			}
		}
		p.stop()
	}
}

func anthropicStop(t Turn) string {
	switch {
	case t.Stop != "":
		return t.Stop
	case len(t.Calls) > 0:
		return model.StopToolUse
	}
	return model.StopEndTurn
}

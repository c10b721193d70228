package vendor

import "github.com/parley-dev/parley/model"

// playChat plays a turn as a server of chat completions does.
func playChat(s *stream, seen Seen, t Turn) error {
	p := chatPlayer{s: s, seen: seen}
	p.delta(object{"role": "assistant", "content": "", "refusal": nil})
	for _, piece := range t.Thinking {
		p.delta(object{"reasoning_content": piece})
	}
	err := s.text(t, func(piece string) error {
		p.delta(object{"content": piece})
		return p.err
	}, func(f fault) error { return s.event("", object{"error": f.openaiBody()}) })
	if err == errOver {
		return nil
	}
	if err != nil {
		return err
	}
	for i, c := range t.Calls {
		p.delta(object{"tool_calls": []object{{
			"index": i, "id": id("call_", seen, i), "type": "function", "function": object{"name": c.Name, "arguments": ""},
		}}})
	}
	p.arguments(t)
	p.chunk([]object{{"index": 0, "delta": object{}, "logprobs": nil, "finish_reason": chatStop(t)}}, nil)
	u := t.usage()
	prompt := u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens
	p.chunk([]object{}, object{
		"prompt_tokens": prompt, "completion_tokens": u.OutputTokens, "total_tokens": prompt + u.OutputTokens,
		"prompt_tokens_details": object{"cached_tokens": u.CacheReadTokens, "cache_write_tokens": u.CacheWriteTokens},
	})
	if p.err != nil {
		return p.err
	}
	return s.send([]byte("data: [DONE]\n\n"))
}

type chatPlayer struct {
	s    *stream
	seen Seen
	err  error
}

func (p *chatPlayer) delta(d object) {
	p.chunk([]object{{"index": 0, "delta": d, "logprobs": nil, "finish_reason": nil}}, nil)
}

func (p *chatPlayer) chunk(choices []object, usage object) {
	if p.err != nil {
		return
	}
	data := object{
		"id": id("chatcmpl-", p.seen, 0), "object": "chat.completion.chunk", "created": 1700000000, "model": p.seen.Model,
		"choices": choices, "usage": nil,
	}
	if usage != nil {
		data["usage"] = usage
	}
	p.err = p.s.event("", data)
}

// arguments writes those of all calls in turn, a piece of each: calls that are
// made together may come mixed.
func (p *chatPlayer) arguments(t Turn) {
	left := make([][]string, len(t.Calls))
	for i, c := range t.Calls {
		left[i] = pieces(c.Input)
	}
	for more := true; more; {
		more = false
		for i := range left {
			if len(left[i]) == 0 {
				continue
			}
			p.delta(object{"tool_calls": []object{{"index": i, "function": object{"arguments": left[i][0]}}}})
			left[i], more = left[i][1:], true
		}
	}
}

func chatStop(t Turn) string {
	switch {
	case t.Stop == model.StopMaxTokens:
		return "length"
	case t.Stop == model.StopRefusal:
		return "content_filter"
	case t.Stop != "":
		return t.Stop
	case len(t.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

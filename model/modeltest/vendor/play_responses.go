package vendor

import (
	"encoding/base64"
	"strings"

	"github.com/parley-dev/parley/model"
)

// playResponses plays a turn as OpenAI's Responses API does.
func playResponses(s *stream, seen Seen, t Turn) error {
	p := responsesPlayer{s: s, seen: seen}
	p.event("response.created", object{"response": p.response("in_progress", nil)})
	p.event("response.in_progress", object{"response": p.response("in_progress", nil)})
	if len(t.Thinking) > 0 {
		p.thinking(t)
	}
	if len(t.Text) > 0 {
		err := p.text(t)
		if err == errOver {
			return nil
		}
		if err != nil {
			return err
		}
	}
	for i, c := range t.Calls {
		p.call(i, c)
	}
	u := t.usage()
	input := u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens
	end := p.response("completed", object{
		"input_tokens": input, "output_tokens": u.OutputTokens, "total_tokens": input + u.OutputTokens,
		"input_tokens_details":  object{"cached_tokens": u.CacheReadTokens, "cache_write_tokens": u.CacheWriteTokens},
		"output_tokens_details": object{"reasoning_tokens": 0},
	})
	switch t.Stop {
	case model.StopMaxTokens:
		end["status"], end["incomplete_details"] = "incomplete", object{"reason": "max_output_tokens"}
	case model.StopRefusal:
		end["status"], end["incomplete_details"] = "incomplete", object{"reason": "content_filter"}
	}
	p.event("response."+end["status"].(string), object{"response": end})
	return p.err
}

type responsesPlayer struct {
	s      *stream
	seen   Seen
	index  int // of the item
	output []object
	err    error
}

func (p *responsesPlayer) event(name string, data object) {
	if p.err == nil {
		data["type"], data["sequence_number"] = name, p.s.count
		p.err = p.s.event(name, data)
	}
}

func (p *responsesPlayer) response(status string, usage object) object {
	r := object{
		"id": id("resp_", p.seen, 0), "object": "response", "created_at": 1700000000, "status": status, "model": p.seen.Model,
		"error": nil, "incomplete_details": nil, "output": append([]object{}, p.output...), "usage": nil, "store": false,
	}
	if usage != nil {
		r["usage"] = usage
	}
	return r
}

// item sends one thing of the output: it is added, written and done.
func (p *responsesPlayer) item(begun, done object, write func() error) error {
	p.event("response.output_item.added", object{"output_index": p.index, "item": begun})
	if err := write(); err != nil {
		return err
	}
	p.event("response.output_item.done", object{"output_index": p.index, "item": done})
	p.output = append(p.output, done)
	p.index++
	return p.err
}

func (p *responsesPlayer) thinking(t Turn) {
	name, whole := id("rs_", p.seen, 0), t.thought()
	begun := object{"id": name, "type": "reasoning", "summary": []any{}, "encrypted_content": ""}
	done := object{
		"id": name, "type": "reasoning", "encrypted_content": seal(whole),
		"summary": []object{{"type": "summary_text", "text": whole}},
	}
	_ = p.item(begun, done, func() error {
		at := func(more object) object {
			more["item_id"], more["output_index"], more["summary_index"] = name, p.index, 0
			return more
		}
		p.event("response.reasoning_summary_part.added", at(object{"part": object{"type": "summary_text", "text": ""}}))
		for _, piece := range t.Thinking {
			p.event("response.reasoning_summary_text.delta", at(object{"delta": piece}))
		}
		p.event("response.reasoning_summary_text.done", at(object{"text": whole}))
		p.event("response.reasoning_summary_part.done", at(object{"part": object{"type": "summary_text", "text": whole}}))
		return p.err
	})
}

func (p *responsesPlayer) text(t Turn) error {
	name := id("msg_", p.seen, 1)
	message := func(status string, content ...object) object {
		return object{"id": name, "type": "message", "role": "assistant", "status": status, "content": append([]object{}, content...)}
	}
	part := func(text string) object { return object{"type": "output_text", "text": text, "annotations": []any{}} }
	whole := strings.Join(t.Text, "")
	at := func(more object) object {
		more["item_id"], more["output_index"], more["content_index"] = name, p.index, 0
		return more
	}
	return p.item(message("in_progress"), message("completed", part(whole)), func() error {
		p.event("response.content_part.added", at(object{"part": part("")}))
		err := p.s.text(t, func(piece string) error {
			p.event("response.output_text.delta", at(object{"delta": piece, "logprobs": []any{}}))
			return p.err
		}, p.fail)
		if err != nil {
			return err
		}
		p.event("response.output_text.done", at(object{"text": whole, "logprobs": []any{}}))
		p.event("response.content_part.done", at(object{"part": part(whole)}))
		return p.err
	})
}

// fail tells a failure inside an answer, in the way of its kind.
func (p *responsesPlayer) fail(f fault) error {
	said := object{"code": f.openai.code, "message": f.openai.message}
	if f.openai.code == "server_error" || f.openai.code == "rate_limit_exceeded" {
		failed := p.response("failed", nil)
		failed["error"] = said
		p.event("response.failed", object{"response": failed})
		return p.err
	}
	said["param"] = nil
	p.event("error", said)
	return p.err
}

func (p *responsesPlayer) call(i int, c Call) {
	name := id("fc_", p.seen, i)
	item := func(status, arguments string) object {
		return object{
			"id": name, "type": "function_call", "status": status, "call_id": id("call_", p.seen, i), "name": c.Name, "arguments": arguments,
		}
	}
	_ = p.item(item("in_progress", ""), item("completed", c.Input), func() error {
		for _, piece := range pieces(c.Input) {
			p.event("response.function_call_arguments.delta", object{"item_id": name, "output_index": p.index, "delta": piece})
		}
		p.event("response.function_call_arguments.done", object{
			"item_id": name, "output_index": p.index, "name": c.Name, "arguments": c.Input,
		})
		return p.err
	})
}

// seal hides a thought from everybody but this server.
func seal(thought string) string {
	return "sealed_" + base64.StdEncoding.EncodeToString([]byte(Sign(thought)+thought))
}

package acp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/parley-dev/parley/model"
)

// said is a history as an agent needs it.
type said struct {
	mark     mark
	messages []model.Message
	words    [][]model.Block // what people said, message by message
	heard    []uint64        // marks of them
	last     int             // how many of them stand before the last answer
	answered int             // how many messages end with the last answer
}

// read sorts a history.
func read(messages []model.Message) said {
	s := said{messages: messages}
	for i, m := range messages {
		if m.Role == model.RoleAssistant {
			s.last, s.answered = len(s.words), i+1
		}
		var words []model.Block
		for _, b := range m.Blocks {
			switch {
			case b.Kind == model.BlockVendor && m.Role == model.RoleAssistant:
				var k marked
				if json.Unmarshal(b.Vendor, &k) == nil && k.ACP != nil {
					s.mark = *k.ACP
				}
			case m.Role == model.RoleUser && (b.Kind == model.BlockText || b.Image != nil):
				words = append(words, b)
			}
		}
		if len(words) > 0 {
			s.words, s.heard = append(s.words, words), append(s.heard, fingerprint(words))
		}
	}
	return s
}

func fingerprint(words []model.Block) uint64 {
	h := fnv.New64a()
	for _, b := range words {
		fmt.Fprintf(h, "%d:%s", len(b.Text), b.Text)
		if b.Image != nil {
			h.Write(b.Image.Data)
		}
	}
	return h.Sum64()
}

// empty says that nobody said anything.
func (s said) empty() bool {
	for _, words := range s.words {
		for _, b := range words {
			if b.Image != nil || strings.TrimSpace(b.Text) != "" {
				return false
			}
		}
	}
	return true
}

// since is what people said after the first n messages of theirs.
func (s said) since(n int, images bool) []sdk.ContentBlock {
	var blocks []sdk.ContentBlock
	for _, words := range s.words[n:] {
		for _, b := range words {
			switch {
			case b.Image != nil && images:
				blocks = append(blocks, sdk.ImageBlock(base64.StdEncoding.EncodeToString(b.Image.Data), b.Image.MediaType))
			case b.Image != nil:
				blocks = append(blocks, sdk.TextBlock("[a picture that you cannot look at]"))
			default:
				blocks = append(blocks, sdk.TextBlock(b.Text))
			}
		}
	}
	return blocks
}

// goOn is what an agent is told that was stopped in the midst of its work.
const goOn = "Go on with what you were doing."

// whole is all of it, for an agent that knows nothing: the past as text, and what
// it is to answer.
func (s said) whole(images bool) []sdk.ContentBlock {
	news := s.since(s.last, images)
	if len(news) == 0 {
		news = []sdk.ContentBlock{sdk.TextBlock(goOn)}
	}
	if s.answered == 0 {
		return news
	}
	past := transcript(s.messages[:s.answered])
	if rest := s.messages[s.answered:]; len(rest) > 0 {
		past += transcript(results(rest))
	}
	return append([]sdk.ContentBlock{sdk.TextBlock(
		"You take over a conversation in this folder that was begun before. What you did in it is done. So far:\n\n" +
			latest(past, pastMost) + "\n\nThat was the past. Now:")}, news...)
}

// results are the messages without what people said.
func results(messages []model.Message) []model.Message {
	var out []model.Message
	for _, m := range messages {
		var blocks []model.Block
		for _, b := range m.Blocks {
			if b.ToolResult != nil {
				blocks = append(blocks, b)
			}
		}
		out = append(out, model.Message{Role: m.Role, Blocks: blocks})
	}
	return out
}

// How much of the past a fresh agent is given, and of each call in it.
const (
	pastMost = 256 << 10
	callMost = 4 << 10
)

var speakers = map[model.Role]string{model.RoleUser: "Person", model.RoleAssistant: "You"}

// transcript writes messages down.
func transcript(messages []model.Message) string {
	var out strings.Builder
	for _, m := range messages {
		for _, b := range m.Blocks {
			switch {
			case b.Kind == model.BlockText && b.Text != "":
				fmt.Fprintf(&out, "%s: %s\n\n", speakers[m.Role], b.Text)
			case b.Image != nil:
				fmt.Fprintf(&out, "%s: [a picture]\n\n", speakers[m.Role])
			case b.ToolUse != nil:
				fmt.Fprintf(&out, "You used %s: %s\n\n", b.ToolUse.Name, first(usedFor(*b.ToolUse), callMost))
			case b.ToolResult != nil && b.ToolResult.IsError:
				fmt.Fprintf(&out, "That failed: %s\n\n", first(b.ToolResult.Text, callMost))
			case b.ToolResult != nil:
				fmt.Fprintf(&out, "That gave: %s\n\n", first(b.ToolResult.Text, callMost))
			}
		}
	}
	return out.String()
}

// usedFor says what a call was for.
func usedFor(call model.ToolUse) string {
	var d deed
	if _, ok := acts[call.Name]; ok && json.Unmarshal(call.Input, &d) == nil {
		return d.about()
	}
	return string(call.Input)
}

// first is the beginning of a text.
func first(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " […]"
}

// latest is the end of a text.
func latest(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return "[…] " + strings.ToValidUTF8(text[len(text)-most:], "")
}

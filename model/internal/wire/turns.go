package wire

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-dev/parley/model"
)

// goOn stands where a vendor demands a person's words and there are none.
const goOn = "Go on."

// Turns gives a history as vendors want it: roles alternate, a person begins and
// speaks last, results stand before other words, and nothing is blank. What only
// people see is left out, and what this adapter kept for this model is restored.
func Turns(messages []model.Message, adapter, name string) []model.Message {
	var said []model.Message
	for _, m := range joined(messages) {
		m.Blocks = sendable(m.Blocks)
		if m.Role == model.RoleAssistant {
			m.Blocks = Restore(m.Blocks, adapter, name)
		}
		if len(m.Blocks) > 0 {
			said = append(said, m)
		}
	}
	if len(said) == 0 {
		return nil
	}
	if said[0].Role == model.RoleAssistant {
		said = append([]model.Message{model.Text(model.RoleUser, goOn)}, said...)
	}
	if said[len(said)-1].Role == model.RoleAssistant {
		said = append(said, model.Text(model.RoleUser, goOn))
	}
	out := joined(said)
	for i := range out {
		if out[i].Role == model.RoleUser {
			out[i].Blocks = resultsFirst(out[i].Blocks)
		}
	}
	return out
}

// joined makes one message of neighbours that speak in the same role.
func joined(messages []model.Message) []model.Message {
	var out []model.Message
	for _, m := range messages {
		if n := len(out); n > 0 && out[n-1].Role == m.Role {
			out[n-1].Blocks = append(out[n-1].Blocks, m.Blocks...)
			continue
		}
		out = append(out, model.Message{Role: m.Role, Blocks: slices.Clone(m.Blocks)})
	}
	return out
}

func sendable(blocks []model.Block) []model.Block {
	var out []model.Block
	for _, b := range blocks {
		blank := b.Kind == model.BlockText && strings.TrimSpace(b.Text) == ""
		if b.Kind != model.BlockReasoning && !blank {
			out = append(out, b)
		}
	}
	return out
}

func resultsFirst(blocks []model.Block) []model.Block {
	var results, rest []model.Block
	for _, b := range blocks {
		if b.Kind == model.BlockToolResult {
			results = append(results, b)
		} else {
			rest = append(rest, b)
		}
	}
	return append(results, rest...)
}

// Blind puts words in the place of pictures, for a model that cannot see.
func Blind(turns []model.Message) []model.Message {
	out := make([]model.Message, len(turns))
	for i, t := range turns {
		out[i] = model.Message{Role: t.Role, Blocks: slices.Clone(t.Blocks)}
		for j, b := range out[i].Blocks {
			switch {
			case b.Kind == model.BlockImage:
				out[i].Blocks[j] = model.Block{Kind: model.BlockText, Text: Unseen(*b.Image)}
			case b.Kind == model.BlockToolResult && len(b.ToolResult.Images) > 0:
				told := *b.ToolResult
				for _, img := range told.Images {
					told.Text = strings.TrimPrefix(told.Text+"\n"+Unseen(img), "\n")
				}
				told.Images = nil
				out[i].Blocks[j].ToolResult = &told
			}
		}
	}
	return out
}

// Unseen says that there is a picture.
func Unseen(img model.Image) string {
	return fmt.Sprintf("[a picture of type %q, which cannot be shown here]", img.MediaType)
}

var plainID = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// CallID is the id as every vendor takes it: another vendor may have made it, by
// rules of its own.
func CallID(id string) string {
	const most = 40 // OpenAI's limit, the narrowest
	if len(id) <= most && plainID.MatchString(id) {
		return id
	}
	return fmt.Sprintf("call_%x", sha256.Sum256([]byte(id)))[:most]
}

// Input is what a model wrote as a call's input. If that is no JSON object, it
// is passed on as a JSON string, so that it can be kept and refused.
func Input(text string) json.RawMessage {
	if strings.TrimSpace(text) == "" {
		return json.RawMessage(`{}`)
	}
	if IsObject([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(text) // a string always can be
	return quoted
}

// IsObject says whether the text is a whole JSON object.
func IsObject(text []byte) bool {
	return json.Valid(text) && strings.HasPrefix(strings.TrimSpace(string(text)), "{")
}

// Arguments is the input as the model wrote it.
func Arguments(input json.RawMessage) string {
	var text string
	if json.Unmarshal(input, &text) == nil {
		return text
	}
	if len(input) == 0 {
		return "{}"
	}
	return string(input)
}

// Object is the input for a vendor that takes objects only.
func Object(input json.RawMessage) json.RawMessage {
	if IsObject(input) {
		return input
	}
	wrapped, _ := json.Marshal(map[string]string{"unreadable_input": Arguments(input)})
	return wrapped
}

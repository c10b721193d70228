package wire

import (
	"encoding/json"
	"slices"

	"github.com/parley-dev/parley/model"
)

// Keep is what an adapter wants to see again: the vendor's own blocks, and where
// they stood among the words and calls of their answer. Histories keep words and
// calls apart from it, so the order is kept here.
type Keep struct {
	Adapter string `json:"adapter"`
	Model   string `json:"model"`
	Parts   []Part `json:"parts"`
}

// Part is one block of an answer: words, a call, or the vendor's own.
type Part struct {
	Text bool            `json:"text,omitempty"`
	Call string          `json:"call,omitempty"`
	Own  json.RawMessage `json:"own,omitempty"`
}

// AddText notes that words come here.
func (k *Keep) AddText() {
	if n := len(k.Parts); n == 0 || !k.Parts[n-1].Text {
		k.Parts = append(k.Parts, Part{Text: true})
	}
}

// AddCall notes that a call comes here.
func (k *Keep) AddCall(id string) { k.Parts = append(k.Parts, Part{Call: id}) }

// AddOwn keeps a block of the vendor's own.
func (k *Keep) AddOwn(raw json.RawMessage) { k.Parts = append(k.Parts, Part{Own: slices.Clone(raw)}) }

// Event carries what is kept; ok is false if there is nothing to keep.
func (k *Keep) Event() (e model.Event, ok bool) {
	if !slices.ContainsFunc(k.Parts, func(p Part) bool { return p.Own != nil }) {
		return model.Event{}, false
	}
	raw, err := json.Marshal(k)
	return model.Event{Kind: model.EventVendor, Vendor: raw}, err == nil
}

// Restore puts the blocks of an assistant's turn in the order in which they were
// answered, with the vendor's own among them as vendor blocks. What another
// adapter or another model left is passed over: no vendor reads it.
func Restore(blocks []model.Block, adapter, name string) []model.Block {
	var texts, calls []model.Block
	var parts []Part
	for _, b := range blocks {
		switch b.Kind {
		case model.BlockVendor:
			var k Keep
			if json.Unmarshal(b.Vendor, &k) == nil && k.Adapter == adapter && k.Model == name {
				parts = append(parts, k.Parts...)
			}
		case model.BlockToolUse:
			calls = append(calls, b)
		case model.BlockText, model.BlockImage:
			texts = append(texts, b)
		}
	}
	if len(parts) == 0 {
		return slices.DeleteFunc(slices.Clone(blocks), func(b model.Block) bool { return b.Kind == model.BlockVendor })
	}
	return trimOwn(arrange(parts, texts, calls))
}

func arrange(parts []Part, texts, calls []model.Block) []model.Block {
	var out []model.Block
	for _, p := range parts {
		switch {
		case p.Own != nil:
			out = append(out, model.Block{Kind: model.BlockVendor, Vendor: p.Own})
		case p.Text && len(texts) > 0:
			out, texts = append(out, texts[0]), texts[1:]
		case p.Call != "":
			i := slices.IndexFunc(calls, func(b model.Block) bool { return b.ToolUse.ID == p.Call })
			if i >= 0 {
				out = append(out, calls[i])
				calls = slices.Delete(slices.Clone(calls), i, i+1)
			}
		}
	}
	// What the notes do not know stands before the first call.
	first := slices.IndexFunc(out, func(b model.Block) bool { return b.Kind == model.BlockToolUse })
	if first < 0 {
		first = len(out)
	}
	return append(slices.Insert(out, first, texts...), calls...)
}

// trimOwn cuts off what nothing follows: thoughts that led to nothing are taken
// back by no vendor.
func trimOwn(blocks []model.Block) []model.Block {
	for len(blocks) > 0 && blocks[len(blocks)-1].Kind == model.BlockVendor {
		blocks = blocks[:len(blocks)-1]
	}
	return blocks
}

package exchange

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"math"
	"slices"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

func writeRoo(ctx context.Context, w io.Writer, e *export) error {
	out := packed{zip.NewWriter(w)}
	files := []struct {
		name  string
		write func(io.Writer) error
	}{
		{rooUI, func(w io.Writer) error { return e.rooUI(ctx, w) }},
		{rooAPI, func(w io.Writer) error { return e.rooAPI(ctx, w) }},
		{rooItem, func(w io.Writer) error { return encode(w, e.rooItem()) }},
	}
	for _, f := range files {
		if err := out.file(f.name, f.write); err != nil {
			return err
		}
	}
	return out.Close()
}

func (e *export) rooItem() rooTask {
	return rooTask{
		ID: e.ID, Number: 1, Ts: float64(e.last.UnixMilli()), Task: e.title,
		TokensIn: float64(e.usage.InputTokens), TokensOut: float64(e.usage.OutputTokens),
		CacheWrites: float64(e.usage.CacheWriteTokens), CacheReads: float64(e.usage.CacheReadTokens), TotalCost: e.usage.CostUSD,
		Size: float64(e.bytes), Workspace: e.created.Workspace, Mode: e.mode,
	}
}

func (e *export) rooUI(ctx context.Context, w io.Writer) error {
	l := list{w: w}
	err := e.visible(ctx, func(r protocol.Record) error {
		d, ok := r.Data.(*protocol.MessageRecord)
		if !ok || told(d) {
			return nil
		}
		return l.add(rooShown(d.Message))
	})
	if err != nil {
		return err
	}
	return l.close()
}

// rooShown gives a message in kinds that Roo Code knows.
func rooShown(m protocol.Message) protocol.Message {
	if m.Type == protocol.KindSay && !slices.Contains(rooSays, m.Say) {
		m.Say = protocol.SayText
	}
	if m.Type == protocol.KindAsk && !slices.Contains(rooAsks, m.Ask) {
		m.Ask = protocol.AskTool
	}
	if m.APIProtocol != "openai" && m.APIProtocol != "anthropic" {
		m.APIProtocol = ""
	}
	if len(m.Checkpoint) > 0 && m.Checkpoint[0] != '{' {
		m.Checkpoint = nil
	}
	return m
}

func (e *export) rooAPI(ctx context.Context, w io.Writer) error {
	l := list{w: w}
	marks := slices.Clone(e.marks)
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(a.keeps, b.keeps) })
	// upto writes the marks that stand before a record.
	upto := func(seq uint64) error {
		for ; len(marks) > 0 && marks[0].keeps <= seq; marks = marks[1:] {
			if err := l.add(e.rooMark(marks[0])); err != nil {
				return err
			}
		}
		return nil
	}
	first := true
	err := e.told(ctx, func(t turnOf) error {
		if err := upto(t.seq); err != nil {
			return err
		}
		turn := rooTurnOf(t)
		if string(turn.Content) == "[]" {
			return nil // a message that says nothing is refused by most vendors
		}
		turn.CondenseParent, turn.TruncationParent = e.hiddenBy(t.seq)
		if first && turn.Role == "user" {
			turn.TruncationParent = "" // what a person asked for first is never cut off
		}
		first = false
		return l.add(turn)
	})
	if err != nil {
		return err
	}
	if err := upto(math.MaxUint64); err != nil {
		return err
	}
	return l.close()
}

// hiddenBy names the first summary and the first truncation that hide what
// stands at a place.
func (e *export) hiddenBy(place uint64) (condense, truncation string) {
	for _, m := range e.marks {
		switch {
		case m.keeps <= place:
		case m.ContextCondense != nil && condense == "":
			condense = m.id()
		case m.ContextTruncation != nil && truncation == "":
			truncation = m.id()
		}
	}
	return condense, truncation
}

// rooMark gives the turn that stands for what a mark hides.
func (e *export) rooMark(m mark) rooTurn {
	turn := rooTurn{Role: "user", Ts: float64(m.Ts)}
	var text string
	if m.ContextCondense != nil {
		text, turn.IsSummary, turn.CondenseID = m.ContextCondense.Summary, true, m.id()
	} else {
		text, turn.IsMarker, turn.TruncationID = "[Messages before this one are hidden to save room.]", true, m.id()
	}
	turn.CondenseParent, _ = e.hiddenBy(m.keeps)
	turn.Content, _ = json.Marshal(text) // a string always encodes
	return turn
}

// rooTurnOf gives a model message in the shape of Anthropic's API.
func rooTurnOf(t turnOf) rooTurn {
	turn := rooTurn{Role: string(t.message.Role), Ts: float64(t.at.UnixMilli())}
	content := []rooBlock{}
	for _, b := range t.message.Blocks {
		switch {
		case b.Kind == model.BlockText && b.Text != "":
			content = append(content, rooBlock{Type: "text", Text: &b.Text})
		case b.ToolUse != nil:
			content = append(content, rooBlock{Type: "tool_use", ID: b.ToolUse.ID, Name: b.ToolUse.Name, Input: b.ToolUse.Input})
		case b.ToolResult != nil:
			text, _ := json.Marshal(b.ToolResult.Text) // a string always encodes
			content = append(content, rooBlock{Type: "tool_result", ToolUseID: b.ToolResult.ToolUseID, Content: text, IsError: b.ToolResult.IsError})
		case b.Image != nil:
			content = append(content, rooBlock{Type: "image", Source: &rooSource{
				Type: "base64", MediaType: b.Image.MediaType, Data: base64.StdEncoding.EncodeToString(b.Image.Data),
			}})
		case b.Kind == model.BlockVendor:
			turn.Vendor = append(turn.Vendor, b.Vendor)
		}
	}
	turn.Content, _ = json.Marshal(content) // made of strings and of JSON that was read
	return turn
}

// list writes a JSON list as it comes.
type list struct {
	w    io.Writer
	more bool
}

func (l *list) add(v any) error {
	sep := ",\n"
	if !l.more {
		sep, l.more = "[", true
	}
	var b bytes.Buffer
	b.WriteString(sep)
	if err := encode(&b, v); err != nil {
		return err
	}
	_, err := l.w.Write(bytes.TrimSuffix(b.Bytes(), []byte{'\n'}))
	return err
}

func (l *list) close() error {
	end := "]\n"
	if !l.more {
		end = "[]\n"
	}
	_, err := io.WriteString(l.w, end)
	return err
}

func encode(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

package exchange

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/parley-dev/parley/protocol"
)

// A task folder tells a conversation twice: as people saw it and as the model
// heard it. Here each is told once. Where both say the same words, one message
// record is both; the rest of the model's side becomes calls, results, and
// words that only the model is told. The order of either side is kept.

// merge puts both sides into one sequence of records.
type merge struct {
	*rooFolder
	*draft
	matches map[place]int
	shown   int   // how many messages of the ui history are in
	began   []int // for each turn that is in, how many records were before it
	calls   []protocol.ToolCall
}

func (m *merge) run() {
	bounds := m.bounds()
	for i := range m.api {
		turn := &m.api[i]
		at := millis(turn.Ts)
		for m.shown < bounds[i] && at > 0 && m.ui[m.shown].Message.Ts <= at {
			m.show(m.shown + 1)
		}
		m.began = append(m.began, len(m.records))
		switch {
		case turn.IsSummary || turn.IsMarker:
			m.mark(turn, i)
		default:
			m.turn(turn, i)
		}
	}
	m.show(len(m.ui))
}

// bounds says for each turn which message is the first that it, or one after
// it, is shown by: those before may come earlier.
func (m *merge) bounds() []int {
	bounds := make([]int, len(m.api))
	for i := range bounds {
		bounds[i] = len(m.ui)
	}
	for p, k := range m.matches {
		bounds[p.turn] = min(bounds[p.turn], k)
	}
	for i := len(bounds) - 2; i >= 0; i-- {
		bounds[i] = min(bounds[i], bounds[i+1])
	}
	return bounds
}

// show puts messages in that the model does not hear, up to one.
func (m *merge) show(upto int) {
	for ; m.shown < upto; m.shown++ {
		msg := m.ui[m.shown].Message
		m.keep(&msg)
		m.draft.message(m.viewer(&msg), msg, rooUI, m.uiAt[m.shown])
	}
}

// keep says in a message that tells of a condensing or a truncation which
// record is the first that it leaves to the model: that of the turn after the
// summary, or the next one.
func (m *merge) keep(msg *protocol.Message) {
	from := protocol.MessageID(uint64(len(m.records)) + 2)
	turnAfter := func(is func(*rooTurn) bool) (*rooTurn, string) {
		for i := range m.began {
			if turn := &m.api[i]; is(turn) {
				if i+1 < len(m.began) {
					return turn, protocol.MessageID(uint64(m.began[i+1]) + 1)
				}
				return turn, from
			}
		}
		return nil, from
	}
	if c := msg.ContextCondense; c != nil {
		turn, id := turnAfter(func(t *rooTurn) bool { return t.IsSummary && t.CondenseID == c.CondenseID })
		if c.KeepsFrom = id; turn != nil && c.Summary == "" {
			c.Summary = textOf(turn)
		}
		c.CondenseID = cmp.Or(c.CondenseID, protocol.MessageID(uint64(len(m.records))+1)) // what has none hides nothing
	}
	if c := msg.ContextTruncation; c != nil {
		_, c.KeepsFrom = turnAfter(func(t *rooTurn) bool { return t.IsMarker && t.TruncationID == c.TruncationID })
		c.TruncationID = cmp.Or(c.TruncationID, protocol.MessageID(uint64(len(m.records))+1))
	}
}

// viewer is who speaks in a message that no turn of the model history has. If
// there is no model history, the messages are all that a model can be told.
func (m *merge) viewer(msg *protocol.Message) protocol.Role {
	person := msg.Say == protocol.SayUserFeedback || msg.Say == protocol.SayUserFeedbackDiff || msg.Say == protocol.SayText && m.shown == 0
	switch {
	case msg.Say == protocol.SayError:
		return protocol.RoleSystem
	case person && m.alone:
		return protocol.RoleUser
	case person, msg.Say == protocol.SayText && !m.alone:
		return "" // the model was told it in other words, or not at all
	}
	return protocol.RoleAssistant
}

func (m *merge) turn(turn *rooTurn, i int) {
	list, err := blocks(turn.Content)
	if err != nil {
		m.report.entry(m.apiFile, m.apiAt[i], "left out: its content is neither a text nor a list of blocks")
		return
	}
	at := millis(turn.Ts)
	var uses []protocol.ToolCall
	pictured := false // a message with pictures is in: they are the turn's
	for j, b := range list {
		if k, ok := m.matches[place{i, j}]; ok {
			pictured = pictured || len(m.ui[k].Images) > 0
		}
		switch b.Type {
		case "text":
			if b.Text != nil {
				m.words(place{i, j}, protocol.Role(turn.Role), at, *b.Text)
			}
		case "tool_use":
			if c, ok := m.use(b, i); ok {
				uses = append(uses, c)
			}
		case "tool_result":
			m.result(b, i, at)
		case "image":
			if _, ok := m.matches[place{i, j}]; ok {
				m.words(place{i, j}, protocol.Role(turn.Role), at, "")
			} else if !pictured {
				m.report.entry(m.apiFile, m.apiAt[i], "a picture is left out: no message shows it")
			}
		default:
			m.report.entry(m.apiFile, m.apiAt[i], "a block of the kind %.40q is not told to models here", b.Type)
		}
	}
	if turn.Role == "assistant" && (len(uses) > 0 || len(turn.Vendor) > 0) {
		m.calls = m.draft.calls(at, uses, turn.Vendor)
	}
}

// words puts a text of the model history in: as the message that shows it, if
// there is one.
func (m *merge) words(p place, role protocol.Role, at int64, text string) {
	k, ok := m.matches[p]
	if !ok {
		if text != "" {
			m.draft.tell(role, at, text)
		}
		return
	}
	m.show(k)
	m.draft.message(role, m.ui[k].Message, rooUI, m.uiAt[k])
	m.shown = k + 1
}

func (m *merge) use(b rooBlock, i int) (protocol.ToolCall, bool) {
	var object map[string]json.RawMessage
	if b.Name == "" || b.ID == "" || len(b.Input) > 0 && json.Unmarshal(b.Input, &object) != nil {
		m.report.entry(m.apiFile, m.apiAt[i], "a tool call is left out: it lacks a name, an id, or an object as input")
		return protocol.ToolCall{}, false
	}
	return protocol.ToolCall{UseID: b.ID, Tool: b.Name, Input: b.Input}, true
}

func (m *merge) result(b rooBlock, i int, at int64) {
	for k, c := range m.calls {
		if c.UseID != b.ToolUseID {
			continue
		}
		m.calls = append(m.calls[:k:k], m.calls[k+1:]...)
		m.draft.start(at, c)
		m.draft.end(at, c, !b.IsError, m.resultText(b, i), nil)
		return
	}
	m.report.entry(m.apiFile, m.apiAt[i], "a result is left out: no call %.60q waits for it", b.ToolUseID)
}

func (m *merge) resultText(b rooBlock, i int) string {
	if len(b.Content) == 0 {
		return ""
	}
	list, err := blocks(b.Content)
	if err != nil {
		m.report.entry(m.apiFile, m.apiAt[i], "the content of a result cannot be read")
		return ""
	}
	var texts []string
	for _, part := range list {
		if part.Type == "text" && part.Text != nil {
			texts = append(texts, *part.Text)
		} else {
			m.report.entry(m.apiFile, m.apiAt[i], "of a result, a part of the kind %.40q is left out", part.Type)
		}
	}
	return strings.Join(texts, "\n")
}

// mark makes a message of a summary or a truncation that the ui history does
// not tell of. One that it does tell of stands at its own place.
func (m *merge) mark(turn *rooTurn, i int) {
	for k := range m.ui {
		c, t := m.ui[k].ContextCondense, m.ui[k].ContextTruncation
		if turn.IsSummary && c != nil && c.CondenseID == turn.CondenseID || !turn.IsSummary && t != nil && t.TruncationID == turn.TruncationID {
			return
		}
	}
	msg := protocol.Message{Ts: millis(turn.Ts), Type: protocol.KindSay, Say: protocol.SayCondenseContext}
	if turn.IsSummary {
		msg.ContextCondense = &protocol.Condensed{Summary: textOf(turn), CondenseID: turn.CondenseID}
	} else {
		msg.Say, msg.ContextTruncation = protocol.SaySlidingWindowTruncation, &protocol.Truncated{TruncationID: turn.TruncationID}
		for k := range m.api {
			if turn.TruncationID != "" && m.api[k].TruncationParent == turn.TruncationID {
				msg.ContextTruncation.MessagesRemoved++
			}
		}
	}
	m.keep(&msg)
	m.draft.message(protocol.RoleSystem, msg, m.apiFile, m.apiAt[i])
}

func textOf(turn *rooTurn) string {
	list, err := blocks(turn.Content)
	if err != nil {
		return ""
	}
	var texts []string
	for _, b := range list {
		if b.Type == "text" && b.Text != nil {
			texts = append(texts, *b.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

package offline

import (
	"fmt"
	"strings"

	"github.com/parley-dev/parley/model"
)

// Long conversations are shown from their end.
const (
	mostShown = 50
	shownText = 160
)

// recall lists what the person said before.
func recall(a ask) string {
	var lines []string
	for _, m := range a.earlier {
		if m.Role == model.RoleUser && said(m) {
			lines = append(lines, "“"+spoken(a, m)+"”")
		}
	}
	if len(lines) == 0 {
		return a.say("Nothing: this is your first message here.", "없습니다. 이것이 여기서 하신 첫 말씀입니다.")
	}
	head := fmt.Sprintf(a.say("Before this message you said %s:", "이 메시지 전에 하신 말씀은 %s입니다:"),
		a.say(plural(len(lines), "thing"), fmt.Sprintf("%d가지", len(lines))))
	return head + numbered(a, lines)
}

// conversation lists what both sides said before.
func conversation(a ask) string {
	lines := transcript(a, a.earlier)
	if len(lines) == 0 {
		return a.say("Nothing has been said before this message.", "이 메시지 전에는 오간 말이 없습니다.")
	}
	return a.say("This is the conversation before this message:", "이 메시지 전까지의 대화입니다:") + numbered(a, lines)
}

// condense writes what takes the place of a long history. Its own first
// sentence says how it was made.
func condense(messages []model.Message, a ask) string {
	return intro(a) + " " + a.say("This summary lists the messages and shortens each:",
		"이 요약은 메시지를 나열하고 하나하나 줄인 것입니다:") + numbered(a, transcript(a, messages))
}

func transcript(a ask, messages []model.Message) []string {
	var lines []string
	for _, m := range messages {
		switch {
		case m.Role == model.RoleAssistant:
			lines = append(lines, a.say("Assistant: ", "도우미: ")+spoken(a, m))
		case said(m):
			lines = append(lines, a.say("You: ", "사용자: ")+spoken(a, m))
		}
	}
	return lines
}

// spoken is a message in one line.
func spoken(a ask, m model.Message) string {
	if text := excerpt(clean(m.Text()), shownText); text != "" {
		return text
	}
	var tools []string
	for _, b := range m.Blocks {
		if b.ToolUse != nil {
			tools = append(tools, b.ToolUse.Name)
		}
	}
	if len(tools) > 0 {
		return fmt.Sprintf(a.say("(called %s)", "(%s 사용)"), strings.Join(tools, ", "))
	}
	return a.say("(no text)", "(글 없음)")
}

func numbered(a ask, lines []string) string {
	var b strings.Builder
	first := max(0, len(lines)-mostShown)
	if first > 0 {
		b.WriteString(" " + fmt.Sprintf(a.say("(the last %d of %d)", "(전체 %[2]d개 중 마지막 %[1]d개)"), mostShown, len(lines)))
	}
	b.WriteString("\n")
	for i := first; i < len(lines); i++ {
		fmt.Fprintf(&b, "\n%d. %s", i+1, lines[i])
	}
	return b.String()
}

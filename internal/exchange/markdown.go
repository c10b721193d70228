package exchange

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/parley-dev/parley/protocol"
)

// writeMarkdown writes what was said and done, for people.
func writeMarkdown(ctx context.Context, w io.Writer, e *export) error {
	out := bufio.NewWriter(w)
	title := e.title
	if title == "" {
		title = e.ID
	}
	fmt.Fprintf(out, "# %s\n\nSession `%s`, %s\n", oneLine(title), e.ID, e.began.UTC().Format("2006-01-02 15:04 MST"))
	m := transcript{out: out}
	err := e.visible(ctx, func(r protocol.Record) error {
		m.add(r)
		_, err := out.Write(nil) // a writer that has failed says so here
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// transcript writes records as paragraphs.
type transcript struct {
	out   *bufio.Writer
	voice string // who spoke last
}

func (m *transcript) add(r protocol.Record) {
	switch d := r.Data.(type) {
	case *protocol.MessageRecord:
		m.message(r, d)
	case *protocol.ToolStarted:
		m.speak("Tool", r)
		fmt.Fprintf(m.out, "\n`%s`\n", oneLine(strings.ReplaceAll(d.Tool, "`", "'")))
		m.fence("json", string(d.Input))
	case *protocol.ToolCompleted:
		if d.Retry {
			return
		}
		m.speak("Tool", r)
		text := d.Output
		if d.Error != nil {
			text = strings.TrimSpace(d.Error.Message + "\n" + d.Output)
		}
		m.fence("", text)
	}
}

var voices = map[protocol.Role]string{protocol.RoleUser: "User", protocol.RoleAssistant: "Assistant"}

func (m *transcript) message(r protocol.Record, d *protocol.MessageRecord) {
	msg := &d.Message
	text := msg.Text
	if c := msg.ContextCondense; c != nil && text == "" {
		text = c.Summary
	}
	if told(d) || msg.Say == protocol.SayCheckpointSaved || strings.TrimSpace(text) == "" && len(msg.Images) == 0 {
		return
	}
	voice := voices[d.Role]
	if voice == "" {
		voice = "System"
	}
	m.speak(voice, r)
	fmt.Fprintln(m.out)
	switch {
	case msg.Say == protocol.SayReasoning:
		for line := range strings.Lines(text) {
			fmt.Fprintf(m.out, "> %s\n", strings.TrimRight(line, "\n"))
		}
	case d.Role == protocol.RoleUser || msg.Say == protocol.SayText || msg.Say == protocol.SayCompletionResult:
		fmt.Fprintln(m.out, strings.TrimRight(text, "\n"))
	default:
		kind := string(msg.Say)
		if msg.Type == protocol.KindAsk {
			kind = string(msg.Ask)
		}
		fmt.Fprintf(m.out, "*%s*\n", strings.ReplaceAll(kind, "_", " "))
		m.fence("", text)
	}
	if msg.Partial {
		fmt.Fprintln(m.out, "\n*(interrupted)*")
	}
	if n := len(msg.Images); n > 0 {
		fmt.Fprintf(m.out, "\n*(%d images)*\n", n)
	}
}

// speak writes a heading when somebody else begins to speak.
func (m *transcript) speak(voice string, r protocol.Record) {
	if voice == m.voice {
		return
	}
	m.voice = voice
	fmt.Fprintf(m.out, "\n## %s\n\n<sub>%s</sub>\n", voice, r.Time.UTC().Format("2006-01-02 15:04:05"))
}

// fence writes a text that is not Markdown, whatever marks it holds.
func (m *transcript) fence(kind, text string) {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return
	}
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	fmt.Fprintf(m.out, "\n%s%s\n%s\n%s\n", marks, kind, text, marks)
}

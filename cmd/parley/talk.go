package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-dev/parley/client"
	"github.com/parley-dev/parley/protocol"
)

// someTurn is waited for when one was running before the talk began.
const someTurn = "the turn that was running"

// talk is a conversation in a terminal or a pipe.
type talk struct {
	*program
	conn   *client.Conn
	prompt string

	first   *line // typed before there was a session
	texts   client.Texts
	printed map[string]string  // open message → what of it is on the screen
	current string             // the open message that was written last
	turns   map[string]string  // turn → the message that started it
	waiting string             // the message whose turn has not ended; "" if none
	open    []protocol.Request // what is asked
	known   bool               // the session's state has come: a line can be understood
	ended   bool               // no more lines come
	failed  bool               // the last turn did not do what was asked
}

// run goes on until the lines are at their end and all is answered.
func (t *talk) run(ctx context.Context, events <-chan client.Event, lines <-chan line) error {
	if t.first == nil {
		fmt.Fprint(t.err, t.prompt)
	}
	for {
		in := lines
		if !t.known || t.ended || !t.person() && t.waiting != "" && len(t.open) == 0 {
			in = nil // not now; a person's words are taken at once
		}
		if t.known && t.first != nil {
			l := *t.first
			t.first = nil
			if err := t.take(ctx, l, true); err != nil {
				return err
			}
			continue
		}
		select {
		case event := <-events:
			if err := t.show(event); err != nil {
				return err
			}
		case l, ok := <-in:
			if err := t.take(ctx, l, ok); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if t.ended && (t.waiting == "" || t.person()) {
			return t.verdict()
		}
		if t.ended && len(t.open) > 0 {
			fmt.Fprintf(t.err, "\nthe agent waits for an answer; go on with: parley chat%s --session %s\n", t.where(), t.conn.Session())
			return exitCode(3)
		}
	}
}

// verdict is how the program ends.
func (t *talk) verdict() error {
	if t.failed && !t.person() {
		return exitCode(1)
	}
	return nil
}

// where names the server that was talked to, for a command that goes on.
func (p *program) where() string {
	if p.config.server != "" {
		return " --server " + p.config.server
	}
	return " --data " + p.config.data
}

// take treats a line: a message, or the answer to what is asked.
func (t *talk) take(ctx context.Context, l line, ok bool) error {
	switch {
	case l.err != nil:
		return l.err
	case !ok:
		t.ended = true
		return nil
	case strings.TrimSpace(l.text) == "/stop":
		_, err := t.conn.Send(ctx, protocol.TypeControlCancel, protocol.ControlCancel{Reason: "stopped in chat"})
		return t.refused(err)
	case len(t.open) > 0:
		kind, data, ok := reply(t.open[0], l.text)
		if !ok {
			fmt.Fprint(t.err, "y, n, s or a, please: ")
			return nil
		}
		if _, err := t.conn.Send(ctx, kind, data); err != nil {
			return t.refused(err)
		}
		t.open = t.open[1:] // it is answered, though the record may still be on its way
		return nil
	}
	accepted, err := t.conn.SendMessage(ctx, l.text)
	if refused := new(protocol.Error); t.person() && errors.As(err, &refused) {
		return t.refused(err)
	}
	t.waiting = accepted
	return err
}

// refused tells of what the server did not take; the talk goes on.
func (t *talk) refused(err error) error {
	if err != nil {
		fmt.Fprintf(t.err, "not taken: %s\n%s", explain(err), t.prompt)
	}
	return nil
}

// show prints what came, and keeps track of what is asked and what has ended.
func (t *talk) show(event client.Event) error {
	if t.json {
		if err := t.printEvent(event); err != nil {
			return err
		}
	}
	for _, text := range t.texts.Apply(event) {
		t.showText(text, event)
	}
	before := len(t.open)
	if t.open = openRequests(t.open, event); len(t.open) > before || before == 0 && len(t.open) > 0 {
		t.showRequest(t.open[len(t.open)-1])
	}
	switch d := event.Data.(type) {
	case *protocol.SessionState:
		t.known = true
		if t.waiting == "" && d.TaskState != protocol.TaskStateIdle {
			t.waiting = someTurn
		}
	case *protocol.TurnStarted:
		t.turns[d.TurnID] = d.Input
	case *protocol.MessageAccepted:
		if d.Steered {
			t.turns[d.TurnID] = event.MessageID
		}
	case *protocol.Complete:
		t.failed = false
		t.turnEnded(d.TurnID)
	case *protocol.Failed:
		t.failed = true
		if !t.json {
			fmt.Fprintf(t.err, "%s: %s\n", map[bool]string{true: "the turn was cancelled", false: "the turn failed"}[d.Status == protocol.StatusCancelled], d.Error.Message)
		}
		t.turnEnded(d.TurnID)
	}
	return nil
}

func (t *talk) turnEnded(turn string) {
	input := t.turns[turn]
	delete(t.turns, turn)
	if input == t.waiting || t.waiting == someTurn {
		t.waiting = ""
		fmt.Fprint(t.err, t.prompt)
	}
}

// showText writes what is new of a message. One that was cut off and is written
// anew stands as two, the first marked.
func (t *talk) showText(text client.Text, event client.Event) {
	if t.json || text.Say == protocol.SayReasoning {
		return
	}
	before := t.printed[text.OpenID]
	if before == "" && t.current != "" && t.current != text.OpenID {
		fmt.Fprintln(t.out)
	}
	switch more, ok := strings.CutPrefix(text.Text, before); {
	case ok:
		fmt.Fprint(t.out, more)
	case strings.HasPrefix(before, text.Text): // the last words before a crash: seen, not kept
	default:
		fmt.Fprint(t.out, "\n"+text.Text)
	}
	t.printed[text.OpenID], t.current = text.Text, text.OpenID
	if !text.Done {
		return
	}
	delete(t.printed, text.OpenID)
	t.current = ""
	if m, ok := event.Data.(*protocol.MessageRecord); ok && m.Message.Partial {
		fmt.Fprint(t.out, " … (interrupted)")
	}
	if !strings.HasSuffix(text.Text, "\n") {
		fmt.Fprintln(t.out)
	}
}

// showRequest puts a question to the person at the terminal.
func (t *talk) showRequest(r protocol.Request) {
	if t.json {
		return
	}
	switch r.Type {
	case protocol.TypeHitlPlanReview:
		fmt.Fprintf(t.err, "\nThe agent proposes a plan: %s\n", r.Plan.Summary)
		for _, todo := range r.Plan.Todos {
			fmt.Fprintf(t.err, "  %s  %s", todo.ID, todo.Task)
			if len(todo.DependsOn) > 0 {
				fmt.Fprintf(t.err, " (after %s)", strings.Join(todo.DependsOn, ", "))
			}
			fmt.Fprintf(t.err, "\n      %s\n", callText(todo.Tool, todo.Input))
		}
		fmt.Fprint(t.err, "Run it? y, n, or say what to change: ")
	case protocol.TypeHitlApprovalRequest:
		what := r.Tool + ": " + r.Preview
		if r.Todo != nil {
			what = r.Todo.Task + "\n" + callText(r.Todo.Tool, r.Todo.Input)
		}
		fmt.Fprintf(t.err, "\n%s\n%s\nAllow it? y, n, s to leave it out, a for always in this session: ", what, r.Reason)
	default:
		fmt.Fprintf(t.err, "\n%s\n", r.Question)
		for i, o := range r.Options {
			name := o.Label
			if name == "" {
				name = o.Value
			}
			fmt.Fprintf(t.err, "  %d  %s\n", i+1, name)
		}
		if len(r.Suggestions) > 0 {
			fmt.Fprintf(t.err, "  (for example %s)\n", strings.Join(r.Suggestions, ", "))
		}
		fmt.Fprint(t.err, "Your answer: ")
	}
}

// callText is a call as a person reads it before they allow it.
func callText(tool string, input json.RawMessage) string {
	var shell struct {
		Command string `json:"command"`
	}
	if json.Unmarshal(input, &shell) == nil && shell.Command != "" {
		return tool + ": " + shell.Command
	}
	return tool + " " + string(input)
}

// reply makes the answer to a request of what somebody typed. An approval takes
// its own words only: what was not understood is no answer.
func reply(r protocol.Request, words string) (kind protocol.Type, data any, ok bool) {
	words = strings.TrimSpace(words)
	yes, no := saysYes(words), saysNo(words)
	switch r.Type {
	case protocol.TypeHitlPlanReview:
		a := protocol.HitlPlanResponse{RequestID: r.RequestID, Action: protocol.ActionModify, Instruction: words}
		if yes || no {
			a = protocol.HitlPlanResponse{RequestID: r.RequestID, Action: pick(yes, protocol.ActionApprove, protocol.ActionReject)}
		}
		return protocol.TypeHitlPlanResponse, a, true
	case protocol.TypeHitlApprovalRequest:
		a := protocol.HitlApprovalResponse{RequestID: r.RequestID, TodoID: r.TodoID}
		switch {
		case yes:
			a.Action = protocol.ActionApprove
		case no:
			a.Action = protocol.ActionReject
		case strings.EqualFold(words, "a"):
			a.Action, a.Remember = protocol.ActionApprove, protocol.RememberSession
		case strings.EqualFold(words, "s"):
			a.Action = protocol.ActionSkip
		default:
			return "", nil, false
		}
		return protocol.TypeHitlApprovalResponse, a, true
	case protocol.TypeHitlClarification:
		return protocol.TypeHitlClarificationResponse, protocol.HitlClarificationResponse{RequestID: r.RequestID, Value: valueOf(r, words)}, true
	}
	return protocol.TypeHitlInputResponse, protocol.HitlInputResponse{RequestID: r.RequestID, Value: valueOf(r, words)}, true
}

func pick(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}

func saysYes(words string) bool {
	switch strings.ToLower(words) {
	case "y", "yes", "예", "네", "ㅇ":
		return true
	}
	return false
}

func saysNo(words string) bool {
	switch strings.ToLower(words) {
	case "n", "no", "아니오", "아니요", "ㄴ":
		return true
	}
	return false
}

// valueOf reads words as the kind of value that a request asks for. Options can
// be named by their number.
func valueOf(r protocol.Request, words string) json.RawMessage {
	one := func(w string) string {
		w = strings.TrimSpace(w)
		if n, err := strconv.Atoi(w); err == nil && n >= 1 && n <= len(r.Options) {
			return r.Options[n-1].Value
		}
		return w
	}
	var value any = words
	switch r.InputType {
	case protocol.InputConfirm:
		value = saysYes(words)
	case protocol.InputNumber:
		value = json.Number(words)
	case protocol.InputChoice:
		value = one(words)
	case protocol.InputMultiChoice:
		var picked []string
		for w := range strings.SplitSeq(words, ",") {
			picked = append(picked, one(w))
		}
		value = picked
	}
	raw, err := json.Marshal(value)
	if err != nil {
		raw, _ = json.Marshal(words) // not a number: the server says so
	}
	return raw
}

// requestOf gives the request that a record opens.
func requestOf(event client.Event) (protocol.Request, bool) {
	r := protocol.Request{Type: event.Type}
	switch d := event.Data.(type) {
	case *protocol.HitlPlanReview:
		r.RequestID, r.Plan = d.RequestID, &d.Plan
	case *protocol.HitlApprovalRequest:
		r.RequestID, r.TodoID, r.Todo, r.Tool, r.Preview, r.Reason = d.RequestID, d.TodoID, d.Todo, d.Tool, d.Preview, d.Reason
		if r.Preview == "" {
			r.Preview = string(d.Input)
		}
	case *protocol.HitlInputRequest:
		r.RequestID, r.Question, r.InputType, r.Options, r.Suggestions = d.RequestID, d.Question, d.InputType, d.Options, d.Suggestions
	case *protocol.HitlClarification:
		r.RequestID, r.Question, r.InputType, r.Suggestions = d.RequestID, d.Question, d.InputType, d.Suggestions
	default:
		return r, false
	}
	return r, true
}

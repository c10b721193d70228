package main

import (
	"context"
	"encoding/json"
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

	texts   client.Texts
	turns   map[string]string  // turn → the message that started it
	waiting string             // the message whose turn has not ended; "" if none
	open    []protocol.Request // what is asked
	known   bool               // the session's state has come: a line can be understood
	ended   bool               // no more lines come
}

// run goes on until the lines are at their end and all is answered.
func (t *talk) run(ctx context.Context, events <-chan client.Event, lines <-chan line) error {
	fmt.Fprint(t.err, t.prompt)
	for {
		in := lines
		if !t.known || t.ended || t.waiting != "" && len(t.open) == 0 {
			in = nil // not now
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
		if t.ended && t.waiting == "" {
			return nil
		}
		if t.ended && len(t.open) > 0 {
			fmt.Fprintf(t.err, "the agent waits for an answer; go on with: parley chat --session %s\n", t.conn.Session())
			return exitCode(3)
		}
	}
}

// take treats a line: a message, or the answer to what is asked.
func (t *talk) take(ctx context.Context, l line, ok bool) error {
	switch {
	case l.err != nil:
		return l.err
	case !ok:
		t.ended = true
		return nil
	case len(t.open) > 0:
		kind, data := reply(t.open[0], l.text)
		if _, err := t.conn.Send(ctx, kind, data); err != nil {
			fmt.Fprintln(t.err, "not taken:", protocol.AsError(err).Message)
			return nil
		}
		t.open = t.open[1:] // it is answered, though the record may still be on its way
		return nil
	}
	accepted, err := t.conn.SendMessage(ctx, l.text)
	t.waiting = accepted
	return err
}

// show prints what came, and keeps track of what is asked and what has ended.
func (t *talk) show(event client.Event) error {
	if t.json {
		if err := t.printEvent(event); err != nil {
			return err
		}
	}
	for _, text := range t.texts.Apply(event) {
		t.showText(text)
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
		t.turnEnded(d.TurnID)
	case *protocol.Failed:
		if !t.json {
			fmt.Fprintf(t.err, "the turn %s: %s\n", d.Status, d.Error.Message)
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

func (t *talk) showText(text client.Text) {
	if t.json || text.Say == protocol.SayReasoning {
		return
	}
	if text.Replaced {
		fmt.Fprint(t.out, "\n")
	}
	fmt.Fprint(t.out, text.Added)
	if text.Done && !strings.HasSuffix(text.Text, "\n") {
		fmt.Fprint(t.out, "\n")
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
			fmt.Fprintln(t.err)
		}
		fmt.Fprint(t.err, "Run it? y, n, or say what to change: ")
	case protocol.TypeHitlApprovalRequest:
		what := r.Preview
		if r.Todo != nil {
			what = r.Todo.Task
		}
		fmt.Fprintf(t.err, "\n%s: %s\n%s\nAllow it? y, n, s to leave it out, a for always in this session: ", r.Tool, what, r.Reason)
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

// reply makes the answer to a request of what somebody typed.
func reply(r protocol.Request, words string) (protocol.Type, any) {
	words = strings.TrimSpace(words)
	yes, no := saysYes(words), saysNo(words)
	switch r.Type {
	case protocol.TypeHitlPlanReview:
		a := protocol.HitlPlanResponse{RequestID: r.RequestID, Action: protocol.ActionModify, Instruction: words}
		if yes || no {
			a = protocol.HitlPlanResponse{RequestID: r.RequestID, Action: pick(yes, protocol.ActionApprove, protocol.ActionReject)}
		}
		return protocol.TypeHitlPlanResponse, a
	case protocol.TypeHitlApprovalRequest:
		a := protocol.HitlApprovalResponse{RequestID: r.RequestID, TodoID: r.TodoID, Action: protocol.ActionReject, Reason: words}
		switch {
		case yes:
			a.Action, a.Reason = protocol.ActionApprove, ""
		case strings.EqualFold(words, "a"):
			a.Action, a.Reason, a.Remember = protocol.ActionApprove, "", protocol.RememberSession
		case strings.EqualFold(words, "s"):
			a.Action, a.Reason = protocol.ActionSkip, ""
		case no:
			a.Reason = ""
		}
		return protocol.TypeHitlApprovalResponse, a
	case protocol.TypeHitlClarification:
		return protocol.TypeHitlClarificationResponse, protocol.HitlClarificationResponse{RequestID: r.RequestID, Value: valueOf(r, words)}
	}
	return protocol.TypeHitlInputResponse, protocol.HitlInputResponse{RequestID: r.RequestID, Value: valueOf(r, words)}
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

package session_test

//go:generate go test . -run Matrix -update

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

var update = flag.Bool("update", false, "write docs/transitions.md anew")

// situation is one way to be in a status.
type situation struct {
	status protocol.Status
	what   string
	make   func(t testing.TB) *bench
}

// situations holds at least one for each status; those with several things that
// a command can be about are told apart.
func situations() []situation {
	asks := func(kind protocol.Type, besides ...session.ToolUse) func(t testing.TB) *bench {
		return func(t testing.TB) *bench {
			b := opened(t, kind, besides...)
			b.must(t, says("later", protocol.WhenQueue))
			return b
		}
	}
	paused := func(make func(t testing.TB) *bench) func(t testing.TB) *bench {
		return func(t testing.TB) *bench {
			b := make(t)
			b.must(t, pause())
			return b
		}
	}
	model := func(t testing.TB) *bench {
		b := benchOf(t, protocol.PipelineAuto)
		b.must(t, says("later", protocol.WhenQueue))
		b.call(t)
		return b
	}
	plan := func(t testing.TB) *bench {
		b := planRuns(t, todo("runs", "act"), todo("failed", "act"), todo("asked", "act", "approve"), todo("waits", "act", "after runs"))
		b.ends(t, "failed", false)
		b.starts(t, "runs")
		b.must(t, says("later", protocol.WhenQueue))
		return b
	}
	stuck := func(t testing.TB) *bench {
		b := planRuns(t, todo("failed", "act"), todo("waits", "act", "after failed"))
		b.ends(t, "failed", false)
		return b
	}
	look := use("l", "look", `{}`)
	return []situation{
		{protocol.StatusIdle, "nobody has said anything yet", func(t testing.TB) *bench { return newBench(t) }},
		{protocol.StatusExecuting, "the model is being called, a message waits", model},
		{protocol.StatusExecuting, "a plan runs: one todo runs, one failed, one asks, one waits", plan},
		{protocol.StatusExecuting, "a tool runs, and a plan review is open", asks(protocol.TypeHitlPlanReview, look)},
		{protocol.StatusExecuting, "a tool runs, and an input request is open", asks(protocol.TypeHitlInputRequest, look)},
		{protocol.StatusExecuting, "a tool runs, and a clarification is open", asks(protocol.TypeHitlClarification, look)},
		{protocol.StatusWaiting, "a plan review is open", asks(protocol.TypeHitlPlanReview)},
		{protocol.StatusWaiting, "an approval of a tool call is open", asks(protocol.TypeHitlApprovalRequest)},
		{protocol.StatusWaiting, "an input request is open", asks(protocol.TypeHitlInputRequest)},
		{protocol.StatusWaiting, "a clarification is open", asks(protocol.TypeHitlClarification)},
		{protocol.StatusWaiting, "the plan is stuck: a todo failed and nothing else can run", stuck},
		{protocol.StatusPaused, "paused while the model was being called", paused(model)},
		{protocol.StatusPaused, "paused while the plan ran", paused(plan)},
		{protocol.StatusPaused, "paused while a plan review was open", paused(asks(protocol.TypeHitlPlanReview))},
		{protocol.StatusPaused, "paused while an input request was open", paused(asks(protocol.TypeHitlInputRequest))},
		{protocol.StatusPaused, "paused while a clarification was open", paused(asks(protocol.TypeHitlClarification))},
		{protocol.StatusCompleted, "the last turn has ended well", func(t testing.TB) *bench {
			b := benchOf(t, protocol.PipelineAuto)
			b.answer(t, "done")
			return b
		}},
		{protocol.StatusFailed, "the last turn has failed", func(t testing.TB) *bench {
			b := benchOf(t, protocol.PipelineAuto)
			turn, call := b.call(t)
			b.must(t, session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{TurnID: turn, Call: call, Error: &session.CallError{Code: "MODEL_AUTH_FAILED"}}})
			b.must(t, input(b.asked(t, protocol.TypeHitlInputRequest).RequestID, "false"))
			return b
		}},
		{protocol.StatusCancelled, "the last turn was cancelled while its plan ran", func(t testing.TB) *bench {
			b := planRuns(t, todo("runs", "act"))
			b.must(t, session.Command{Type: protocol.TypeControlCancel, Data: &protocol.ControlCancel{}})
			return b
		}},
	}
}

// payload gives a command something to be about: what the situation has of it,
// else a name of nothing.
func payload(s *session.State, of protocol.Spec) any {
	request := func(kind protocol.Type) string {
		for _, o := range s.Requests.Open {
			if o.Type == kind {
				return o.RequestID
			}
		}
		return "hitl_0000000000"
	}
	of1 := func(status ...protocol.TodoStatus) string {
		if p := s.Plans.Current; p != nil {
			for _, it := range p.Todos {
				if slices.Contains(status, it.Status) {
					return it.ID
				}
			}
			return p.Todos[0].ID
		}
		return "none"
	}
	switch d := of.New().(type) {
	case *protocol.UserMessage:
		d.Content = "words"
		return d
	case *protocol.QueueEdit:
		d.Remove = []string{"msg_0000000000"}
		if len(s.Queue.Items) > 0 {
			d.Remove[0] = s.Queue.Items[0].MessageID
		}
		return d
	case *protocol.HitlPlanResponse:
		d.RequestID, d.Action = request(protocol.TypeHitlPlanReview), protocol.ActionApprove
		return d
	case *protocol.HitlApprovalResponse:
		d.RequestID, d.Action = request(protocol.TypeHitlApprovalRequest), protocol.ActionApprove
		return d
	case *protocol.DialogFeedback:
		d.RequestID, d.Confirmed = request(protocol.TypeHitlApprovalRequest), true
		return d
	case *protocol.HitlInputResponse:
		d.RequestID, d.Value = request(protocol.TypeHitlInputRequest), []byte(`"end"`)
		return d
	case *protocol.UserPromptResponse:
		d.RequestID, d.Text = request(protocol.TypeHitlInputRequest), "end"
		return d
	case *protocol.HitlClarificationResponse:
		d.RequestID, d.Value = request(protocol.TypeHitlClarification), []byte(`"this"`)
		return d
	case *protocol.ControlRetry:
		d.TodoID = of1(protocol.TodoStatusFailed)
		return d
	case *protocol.ControlSkip:
		d.TodoID = of1(protocol.TodoStatusInProgress, protocol.TodoStatusPending)
		return d
	case *protocol.PlanEdit:
		d.Changes = []protocol.PlanChange{{Action: protocol.ChangeAdd, TodoID: "new", Task: words("more"), Tool: words("act")}}
		return d
	case *protocol.UpdateSession:
		d.Title = words("a title")
		return d
	case *protocol.SetProvider:
		d.Model = "script/other"
		return d
	default:
		return d
	}
}

// outcome is a cell: what comes of a command in the situations of a status.
func outcome(t *testing.T, of protocol.Spec, status protocol.Status) string {
	var yes bool
	var codes []string
	for _, s := range situations() {
		if s.status != status {
			continue
		}
		b := s.make(t)
		if got := b.state.Status(); got != status {
			t.Fatalf("%s: the session is %s, not %s", s.what, got, status)
		}
		_, err := b.state.Decide(session.Command{Type: of.Type, Data: payload(&b.state, of), By: ann}, b.now)
		if err == nil {
			yes = true
			continue
		}
		e := protocol.AsError(err)
		if strings.Contains(e.Message, "not built") {
			return "not built"
		}
		if code := fmt.Sprint(int(e.Code)); !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	slices.Sort(codes)
	cell := strings.Join(codes, " or ")
	switch {
	case yes && cell != "":
		return "yes, else " + cell
	case yes:
		return "yes"
	}
	return cell
}

const matrixHead = `<!-- Made from the core by ` + "`go generate ./internal/session`" + `; do not edit. -->

# What is allowed when

What becomes of each command in each status of a session. The cells are what ` + "`internal/session`" + ` decides, tried in the
situations listed below; a test fails while this page is not what it decides.

- *yes*: it is taken.
- a number: it is refused with that error, and nothing changes ([the errors](reference.md#errors)).
- *yes, else 5003*: it depends on what is there. It is taken if what it is about is there (an open request of its kind, a
  plan, a failed todo), else refused with that number.

`

// The document says what the core decides.
func TestMatrix(t *testing.T) {
	var page strings.Builder
	page.WriteString(matrixHead + "| command |")
	for _, status := range protocol.Statuses() {
		fmt.Fprintf(&page, " %s |", status)
	}
	page.WriteString("\n|" + strings.Repeat(" --- |", len(protocol.Statuses())+1) + "\n")
	var notBuilt []string
	for _, of := range protocol.Table() {
		if of.Family != protocol.Command || of.Type == protocol.TypeAuth || of.Type == protocol.TypePong {
			continue
		}
		row := fmt.Sprintf("| `%s` |", of.Type)
		for _, status := range protocol.Statuses() {
			row += " " + outcome(t, of, status) + " |"
		}
		if strings.Contains(row, "not built") {
			notBuilt = append(notBuilt, fmt.Sprintf("`%s`", of.Type))
			continue
		}
		page.WriteString(row + "\n")
	}
	fmt.Fprintf(&page, "\n`auth` and `pong` belong to a connection and never come to a session.\n")
	if len(notBuilt) > 0 {
		fmt.Fprintf(&page, "Known and not built, so refused with 1003 in every status: %s.\n", strings.Join(notBuilt, ", "))
	}
	page.WriteString(matrixFoot)
	for _, s := range situations() {
		fmt.Fprintf(&page, "- **%s**: %s\n", s.status, s.what)
	}
	const path = "../../docs/transitions.md"
	if *update {
		if err := os.WriteFile(path, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if was, err := os.ReadFile(path); err != nil || string(was) != page.String() {
		t.Errorf("docs/transitions.md is stale (%v): run `go generate ./internal/session`", err)
	}
}

const matrixFoot = `
A ` + "`user_message`" + ` starts a turn when none runs, is steered into the one that runs, and waits in the queue while the session
is paused; ` + "`when`" + ` may say otherwise. Queue edits are refused with 1003 when they name a message that does not wait.
The last three statuses say how the last turn ended; the session takes new messages all the same. A session that does not
exist answers everything with 3001.

## The situations

`

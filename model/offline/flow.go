package offline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-dev/parley/model"
)

// reply finds the intent and does what the call is for.
func (m *Model) reply(req model.Request) (reply, error) {
	if past := req.Messages; req.Purpose == "condense" && len(past) > 0 {
		req.Messages = past[:len(past)-1] // the last one only asks for the summary
		return say(condense(req.Messages, newAsk(req))), nil
	}
	a := newAsk(req)
	in := m.find(&a)
	r, err := m.choose(req, a, in)
	r.text = strings.ToValidUTF8(r.text, "\uFFFD") // results may hold anything
	if err != nil || r.text == "" || introduced(req.Messages) || strings.HasPrefix(r.text, intro(a)) {
		return r, err
	}
	r.text = intro(a) + "\n\n" + r.text
	return r, nil
}

// choose keeps to the tool that the request demands, if it does.
func (m *Model) choose(req model.Request, a ask, in intent) (reply, error) {
	switch want := req.ToolChoice; {
	case want == model.ChooseFreely || want == model.ChooseNone:
		if req.Purpose == "respond" {
			return say(respond(req.Messages, a, in)), nil
		}
		return m.turn(a, in), nil
	case want == model.ChooseAny:
	case !a.offers(want):
		return reply{}, invalid("the request demands the tool %q and does not offer it", want)
	case want == recordIntent:
		a.purpose = recordIntent
		return reply{calls: []call{record(a, in)}}, nil
	case want == proposePlan:
		a.purpose = proposePlan
		return m.propose(a, in), nil
	default:
		a.tools = slices.DeleteFunc(slices.Clone(a.tools), func(t model.Tool) bool { return t.Name != want })
	}
	if r := m.turn(a, in); len(r.calls) > 0 {
		return r, nil
	}
	if a.offers(askUser) {
		return reply{calls: []call{asking(question{Question: a.say("What should I do?", "무엇을 할까요?"), InputType: "text"})}}, nil
	}
	return reply{}, invalid("no rule of the offline model calls the tool that this request demands (%s); choose another model", req.ToolChoice)
}

func invalid(format string, args ...any) error {
	return &model.Error{Kind: model.Invalid, Message: fmt.Sprintf(format, args...)}
}

// turn is the next step of free work: it looks at what the last call gave.
func (m *Model) turn(a ask, in intent) reply {
	if len(a.since) == 0 {
		return m.begin(a, in)
	}
	last := a.since[len(a.since)-1]
	switch last.use.Name {
	case recordIntent:
		return m.begin(a, in)
	case askUser:
		if last.result.IsError {
			return say(fmt.Sprintf(a.say("I asked, and got no answer: %s", "여쭈었지만 답을 듣지 못했습니다: %s"), last.result.Text))
		}
		return m.begin(a, in)
	case proposePlan:
		if _, ok := instruction(last); ok && a.offers(proposePlan) {
			return m.propose(a, in)
		}
		return say(report(a, last))
	}
	done := slices.DeleteFunc(slices.Clone(a.since), exchange.core)
	if j := in.work(a); j != nil && !j.quick && !last.result.IsError && len(done) < len(j.todos) && !a.offers(proposePlan) {
		if next := j.todos[len(done)]; a.offers(next.Tool) {
			return step(a, next)
		}
	}
	return say(told(a, in, done))
}

// begin answers the person's words: with words, a question, a call or a plan.
func (m *Model) begin(a ask, in intent) reply {
	j := in.work(a)
	switch {
	case j == nil:
		return say(in.answer(a))
	case j.missing != nil && a.offers(askUser):
		return reply{calls: []call{asking(*j.missing)}}
	case j.missing != nil && len(a.tools) > 0:
		return say(j.missing.Ambiguity + " " + j.missing.Question)
	case j.missing == nil && !j.quick && a.offers(proposePlan):
		r := m.propose(a, in)
		r.text = a.say("I propose a plan for this.", "이 일을 위한 계획을 제안합니다.")
		return r
	case j.missing == nil && a.offers(j.todos[0].Tool):
		return step(a, j.todos[0])
	}
	return say(in.answer(a))
}

// step makes the call of a todo and says so.
func step(a ask, t todo) reply {
	return reply{text: fmt.Sprintf("%s (%s).", t.Task, t.Tool), calls: []call{t.call()}}
}

// asking puts a question in the middle of the work. What is suggested may be
// picked; of a choice it must be.
func asking(q question) call {
	input := map[string]any{"question": q.Question, "input_type": q.InputType}
	var options []map[string]string
	for _, s := range q.Suggestions {
		options = append(options, map[string]string{"value": s, "label": s})
	}
	if options != nil {
		input["options"] = options
	}
	return call{tool: askUser, input: input}
}

// record says what is asked, or asks back.
func record(a ask, in intent) call {
	j := in.work(a)
	if j != nil && j.missing != nil {
		q := *j.missing
		q.InputType = "text"
		return call{tool: recordIntent, input: map[string]any{"clarification": q}}
	}
	domain, category, confidence := "conversation", in.name, 0.9
	entities, plan := []entity{}, false
	switch {
	case j != nil:
		domain, category, confidence, entities = j.domain, j.category, 0.95, append(entities, j.entities...)
		// Where what is asked is recorded, tools run in plans only.
		plan = !slices.ContainsFunc(j.todos, func(t todo) bool { return !a.mayUse(t.Tool) })
	case len(in.patterns) == 0:
		confidence = 0.3
	}
	return call{tool: recordIntent, input: map[string]any{
		"intent":   map[string]any{"domain": domain, "category": category, "confidence": confidence},
		"entities": entities, "needs_plan": plan,
	}}
}

// propose makes a plan, or changes the one that was proposed and says how.
func (m *Model) propose(a ask, in intent) reply {
	for i := len(a.since) - 1; i >= 0; i-- {
		if words, ok := instruction(a.since[i]); ok {
			p, notes := m.changed(a, a.since[i], words)
			return reply{text: notes, calls: []call{{tool: proposePlan, input: p}}}
		}
	}
	j := in.work(a)
	if j == nil || j.missing != nil || len(j.todos) == 0 {
		j = demoPlanJob(a)
	}
	return reply{calls: []call{{tool: proposePlan, input: plan{Summary: j.summary, Todos: j.todos}}}}
}

// respond tells what was done, or answers where nothing had to be done.
func respond(messages []model.Message, a ask, in intent) string {
	calls := a.since
	if !slices.ContainsFunc(calls, func(e exchange) bool { return e.use.Name == recordIntent }) {
		calls = exchanges(messages[finished(messages):]) // the person spoke while the plan ran
	}
	for i := len(calls) - 1; i >= 0; i-- {
		if calls[i].use.Name == proposePlan {
			return report(a, calls[i])
		}
	}
	return in.answer(a)
}

// finished is where the messages after the last whole answer begin.
func finished(messages []model.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == model.RoleAssistant && messages[i].Text() != "" &&
			(i+1 == len(messages) || messages[i+1].Role != model.RoleAssistant) {
			return i + 1
		}
	}
	return 0
}

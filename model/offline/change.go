package offline

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// wantsChange is how the server says that a person wants another plan.
const wantsChange = "The person wants this changed: "

// instruction is what a person wants changed in a plan.
func instruction(e exchange) (words string, ok bool) {
	words, ok = strings.CutPrefix(e.result.Text, wantsChange)
	words, _, _ = strings.Cut(words, "\nPropose the whole plan again.")
	return strings.TrimSpace(words), ok && e.use.Name == proposePlan
}

var (
	clause = regexp.MustCompile(`(?i)[,;.\n]\s+|,|;|\n|\s+(?:and|but|then)\s+|\s*그리고\s*`)
	// A Korean verb that goes on ends a clause and belongs to it.
	goingOn  = regexp.MustCompile(`((?:주|하|빼|넣)고)\s+`)
	leading  = regexp.MustCompile(`(?i)^(?:and|but|then|please)\s+`)
	removing = regexp.MustCompile(`(?i)\b(?:remove|drop|delete|skip|omit|without|exclude|leave\s+out|don'?t|do\s+not)\b:?\s+(?P<what>.+)$|^no\s+(?P<what2>.+)$|^(?P<what3>.+?)\s*(?:빼|제외|삭제|제거|없이|지워|생략)`)
	adding   = regexp.MustCompile(`(?i)^(?:please\s+)?(?:also|add|include|plus)\b:?\s+(?:also\s+|add\s+|include\s+)?(?P<what>.+?)(?:\s+(?:as\s+well|too|also))?$|^(?P<what2>.+?)\s*(?:추가|넣어|넣고|포함|더해)`)
	particle = regexp.MustCompile(`(?:은|는|을|를|이|가|도|만)$`)
	number   = regexp.MustCompile(`(?i)^(?:(?:step|todo|task|number|no\.?|#)[\s_]*)?0*(\d{1,3})\s*(?:번(?:째)?)?$`)
	filler   = regexp.MustCompile(`(?i)^(?:the|a|an|step|todo|task|part|please|that|which|it|of|one|단계|작업|좀)$`)
)

// changed applies what a person wants changed, clause by clause, and notes what
// it did, for the person and in the plan's summary.
func (m *Model) changed(a ask, e exchange, words string) (p plan, notes string) {
	var old plan
	if json.Unmarshal(e.use.Input, &old) != nil {
		return plan{}, a.say("The plan to change cannot be read.", "바꿀 계획을 읽을 수 없습니다.")
	}
	a.korean = korean(nameless(words)) || a.korean && !strings.ContainsAny(words, "abcdefghijklmnopqrstuvwxyz")
	d := editing{plan: plan{Summary: firstSentences(old.Summary), Todos: slices.Clone(old.Todos)}, next: 1}
	for _, t := range old.Todos {
		if n, err := strconv.Atoi(strings.TrimPrefix(t.ID, "todo_")); err == nil {
			d.next = max(d.next, n+1)
		}
	}
	for _, part := range clauses(words) {
		d.notes = append(d.notes, m.apply(a, &d, part))
	}
	notes = strings.Join(d.notes, " ")
	d.plan.Summary += changeMark + notes
	return d.plan, notes
}

// changeMark stands between a summary and what was changed last.
const changeMark = " — "

func firstSentences(summary string) string {
	first, _, _ := strings.Cut(summary, changeMark)
	return first
}

// clauses parts an instruction. What is quoted in it stays whole.
func clauses(words string) []string {
	var kept []string
	masked := quoted.ReplaceAllStringFunc(strings.ReplaceAll(words, "\x00", ""), func(q string) string {
		kept = append(kept, q)
		return "\x00"
	})
	var out []string
	for _, part := range clause.Split(goingOn.ReplaceAllString(masked, "$1\n"), -1) {
		for strings.Contains(part, "\x00") {
			part = strings.Replace(part, "\x00", kept[0], 1)
			kept = kept[1:]
		}
		part = leading.ReplaceAllString(strings.Trim(part, " \t.!"), "")
		if part != "" {
			out = append(out, part)
		}
	}
	return out
}

// editing is a plan while it is changed.
type editing struct {
	plan     plan
	next     int // number of the next new todo
	removing bool
	notes    []string
}

// apply does one change and says what it did. A clause without a verb goes on
// with what the one before took out: “drop the sizes and the types”.
func (m *Model) apply(a ask, p *editing, part string) string {
	before := p.removing
	p.removing = false
	if what := group(removing, part); what != "" {
		p.removing = true
		return p.remove(a, what)
	}
	if what := group(adding, part); what != "" {
		return p.add(a, m.extra(a, what))
	}
	if before && len(p.meant(part)) > 0 {
		p.removing = true
		return p.remove(a, part)
	}
	return fmt.Sprintf(a.say("I did not understand “%s” and kept the plan.", "“%s”은(는) 이해하지 못해 계획을 그대로 두었습니다."), excerpt(part, 80))
}

func group(re *regexp.Regexp, text string) string {
	m := re.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return strings.TrimSpace(strings.Join(m[1:], ""))
}

// remove drops the todos that the words mean; what depended on one now depends
// on what that depended on.
func (p *editing) remove(a ask, what string) string {
	meant := p.meant(what)
	if len(meant) == 0 {
		return fmt.Sprintf(a.say("No todo is about “%s”, so I kept the plan.", "“%s”에 관한 작업이 없어 계획을 그대로 두었습니다."), excerpt(what, 80))
	}
	if len(meant) == len(p.plan.Todos) {
		return a.say("I kept the plan, as nothing would be left of it.", "남는 작업이 없게 되므로 계획을 그대로 두었습니다.")
	}
	var tasks []string
	for _, t := range meant {
		// Taking out another may have changed what it depends on.
		gone := p.plan.Todos[slices.IndexFunc(p.plan.Todos, func(o todo) bool { return o.ID == t.ID })]
		tasks = append(tasks, "“"+gone.Task+"”")
		p.plan.Todos = slices.DeleteFunc(p.plan.Todos, func(t todo) bool { return t.ID == gone.ID })
		for i := range p.plan.Todos {
			t := &p.plan.Todos[i]
			if !slices.Contains(t.DependsOn, gone.ID) {
				continue
			}
			rest := slices.DeleteFunc(slices.Clone(t.DependsOn), func(id string) bool { return id == gone.ID })
			for _, id := range gone.DependsOn {
				if !slices.Contains(rest, id) {
					rest = append(rest, id)
				}
			}
			t.DependsOn = rest
		}
	}
	return fmt.Sprintf(a.say("Left out: %s.", "뺀 작업: %s."), strings.Join(tasks, ", "))
}

// meant finds the todos that words speak of: by number, by all of the words, or
// else the one that shares most of them.
func (p *editing) meant(what string) []todo {
	if m := number.FindStringSubmatch(particle.ReplaceAllString(what, "")); m != nil {
		n, _ := strconv.Atoi(m[1])
		for i, t := range p.plan.Todos {
			if t.ID == todoID(n) || !slices.ContainsFunc(p.plan.Todos, func(t todo) bool { return t.ID == todoID(n) }) && i+1 == n {
				return []todo{t}
			}
		}
	}
	words := stems(what)
	var all []todo
	var best todo
	most := 0
	for _, t := range p.plan.Todos {
		shared := 0
		for _, w := range words {
			if strings.Contains(strings.ToLower(t.Task), w) {
				shared++
			}
		}
		if shared > 0 && shared == len(words) {
			all = append(all, t)
		}
		if shared > most {
			best, most = t, shared
		}
	}
	if len(all) == 0 && most > 0 {
		all = []todo{best}
	}
	return all
}

// stems are the words that carry meaning, without endings.
func stems(text string) []string {
	var out []string
	for _, w := range strings.Fields(strings.ToLower(strings.Trim(text, `"'“”.!?`))) {
		if filler.MatchString(w) {
			continue
		}
		if bare := particle.ReplaceAllString(w, ""); utf8.RuneCountInString(bare) > 1 {
			w = bare
		}
		if len(w) > 4 {
			w = strings.TrimSuffix(strings.TrimSuffix(w, "ing"), "s")
		}
		if utf8.RuneCountInString(w) > 1 {
			out = append(out, w)
		}
	}
	return out
}

// extra is the todo that words ask for: what an intent understands, or else a
// search for them.
func (m *Model) extra(a ask, what string) todo {
	b := a
	b.text, b.answer, b.since = what, "", nil
	if in := m.find(&b); in.job != nil {
		if j := in.job(b); j != nil && j.missing == nil && len(j.todos) > 0 && a.mayUse(j.todos[0].Tool) {
			return j.todos[0]
		}
	}
	what = particle.ReplaceAllString(strings.TrimRight(what, " .!?"), "")
	word := what
	if words := stems(what); len(words) > 0 {
		word = slices.MaxFunc(words, func(x, y string) int { return utf8.RuneCountInString(x) - utf8.RuneCountInString(y) })
	}
	return shell(fmt.Sprintf(a.say("%s: find the lines with “%s”", "%s: “%s”이(가) 있는 줄 찾기"), excerpt(what, 60), word), search(word, "."))
}

// add puts a todo into the plan. It waits for nothing; the last todo, if it
// joins others, waits for it too.
func (p *editing) add(a ask, t todo) string {
	t.ID, t.DependsOn, t.Priority = todoID(p.next), []string{}, 6
	p.next++
	last := len(p.plan.Todos) - 1
	if last >= 0 && len(p.plan.Todos[last].DependsOn) > 0 {
		p.plan.Todos[last].DependsOn = append(slices.Clone(p.plan.Todos[last].DependsOn), t.ID)
		p.plan.Todos = slices.Insert(p.plan.Todos, last, t)
	} else {
		p.plan.Todos = append(p.plan.Todos, t)
	}
	return fmt.Sprintf(a.say("Added: “%s”.", "더한 작업: “%s”."), t.Task)
}

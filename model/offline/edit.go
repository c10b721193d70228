package offline

import (
	"fmt"
	"regexp"
	"strings"
)

var replacing = regexp.MustCompile(`(?is)^(?:please\s+)?(?:replace|change)\s+(?P<old>.+?)\s+(?:with|by|to|into)\s+(?P<new>.+)$|^(?P<old2>.+?)(?:을|를)\s+(?P<new2>.+?)(?:으로|로)\s*(?:바꿔|교체|변경).*$`)

// plainFile is a name that nothing but the words before it tells from other words.
var plainFile = regexp.MustCompile(`(?i)^(?:the\s+)?file\s+(?:called\s+|named\s+)?(\S+)$`)

// editJob changes a file. What is not said is asked for: the line to add.
func editJob(a ask) *job {
	path := named(a.args["target"])
	if m := plainFile.FindStringSubmatch(a.args["target"]); path == "" && m != nil {
		path = m[1]
	}
	old, line := unquoted(a.args["old"]), unquoted(a.args["new"])
	if a.answer != "" && !vague.MatchString(path) {
		line = unquoted(a.answer)
		if m := replacing.FindStringSubmatch(a.answer); m != nil {
			old, line = unquoted(m[1]+m[3]), unquoted(m[2]+m[4])
		}
	} else if a.answer != "" {
		path = a.target()
	}
	switch {
	case vague.MatchString(path):
		return wanting(workspaceDomain, "edit", a.say("It is not said which file.", "어느 파일인지 말씀하지 않으셨습니다."),
			a.say("Which file should be changed?", "어느 파일을 바꿀까요?"), known(a)...)
	case line == "":
		return wanting(workspaceDomain, "edit", a.say("It is not said what should be changed.", "무엇을 바꿀지 말씀하지 않으셨습니다."),
			fmt.Sprintf(a.say("What should be changed in %s? Give a line to add at its end, or say \"replace A with B\".",
				"%s에서 무엇을 바꿀까요? 끝에 더할 줄을 쓰거나 \"A를 B로 바꿔\"라고 하세요."), path))
	}
	j := &job{domain: workspaceDomain, category: "edit", entities: append(pathEntity(path), entity{Type: "text", Value: line, Confidence: 0.9})}
	do := a.writing(old, line, path)
	j.summary = do.Task
	j.todos = stages([]todo{do}, []todo{shell(fmt.Sprintf(a.say("Show the end of %s", "%s의 끝 보기"), path), "tail -n 5 < "+file(path))})
	j.quick = true
	return j
}

// writing is the todo that changes the file.
func (a ask) writing(old, text, path string) todo {
	var t todo
	switch {
	case old != "":
		task := fmt.Sprintf(a.say("Replace “%s” with “%s” in %s", "%[3]s에서 “%[1]s”을(를) “%[2]s”(으)로 바꾸기"), excerpt(old, 40), excerpt(text, 40), path)
		t = change(task, replaceText(old, text, path))
		if a.takes("edit_file", "path", "old_text", "new_text") {
			t = newTodo(task, "edit_file", map[string]any{"path": path, "old_text": old, "new_text": text})
		}
	case a.args["whole"] != "":
		task := fmt.Sprintf(a.say("Write the file %s", "파일 %s 쓰기"), path)
		t = change(task, writeText(text, path))
		if a.takes("write_file", "path", "content") {
			t = newTodo(task, "write_file", map[string]any{"path": path, "content": strings.TrimRight(text, "\n") + "\n"})
		}
	default:
		t = change(fmt.Sprintf(a.say("Add a line to %s", "%s에 한 줄 더하기"), path), appendLine(text, path))
	}
	t.Approval = true
	return t
}

// fetchJob reads a page, if there is a tool for that.
func fetchJob(a ask) *job {
	url := strings.TrimRight(a.args["url"], ".,;)>\"'`")
	task := fmt.Sprintf(a.say("Fetch %s", "%s 가져오기"), url)
	return &job{
		domain: "web", category: "fetch", entities: []entity{{Type: "url", Value: url, Confidence: 0.98}}, summary: task, quick: true,
		todos: stages([]todo{newTodo(task, "fetch_url", map[string]any{"url": url})}),
	}
}

// demoPlanJob is a plan in which nothing happens, for looking at plans.
func demoPlanJob(a ask) *job {
	last := change(a.say("Say that it is done", "끝났다고 말하기"), "echo done")
	return &job{
		domain: "demo", category: "plan",
		summary: a.say("A plan to look at: a listing, two short waits at the same time, and a last step that asks first.",
			"살펴보기 위한 계획입니다: 목록 하나, 동시에 도는 짧은 기다림 둘, 먼저 묻는 마지막 단계."),
		todos: stages(
			[]todo{listTodo(a.say("List the files", "파일 나열"), ".")},
			[]todo{
				shell(a.say("Wait on the left", "왼쪽에서 기다리기"), "sleep 0.2 && echo left"),
				shell(a.say("Wait on the right", "오른쪽에서 기다리기"), "sleep 0.2 && echo right"),
			},
			[]todo{last},
		),
	}
}

// demoAskJob asks something, for looking at questions.
func demoAskJob(a ask) *job {
	if a.answer != "" {
		return nil
	}
	j := wanting("demo", "question", a.say("You asked to be asked.", "물어봐 달라고 하셨습니다."),
		a.say("What would you like to drink?", "무엇을 마시고 싶으세요?"),
		a.say("tea", "차"), a.say("coffee", "커피"), a.say("water", "물"))
	j.missing.InputType = "choice"
	return j
}

func demoAsked(a ask) string {
	if a.answer == "" {
		return needTools(a)
	}
	return fmt.Sprintf(a.say("You answered: %s. That was all I wanted to know.", "이렇게 답하셨습니다: %s. 제가 알고 싶은 것은 그것뿐이었습니다."), a.answer)
}

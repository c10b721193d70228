package offline

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

const workspaceDomain = "workspace"

// target is the file or folder that the person means; "" if they did not say.
func (a ask) target() string {
	if a.answer == "" {
		return named(a.text)
	}
	if name := named(a.answer); name != "" {
		return name
	}
	return unquoted(a.answer)
}

// targets are answers to the question which file or folder is meant.
func (a ask) targets(more ...string) []string {
	return append(append(known(a), a.say("this folder", "이 폴더")), more...)
}

func pathEntity(path string) []entity {
	kind := "file"
	if path == "." || strings.HasSuffix(path, "/") {
		kind = "folder"
	}
	return []entity{{Type: kind, Value: path, Confidence: 0.95}}
}

var inside = regexp.MustCompile(`(?i)\b(?:in|of|under|inside)\s+([^\s"]+?)[.?!]*$|^ls\s+(\S+)$|^(\S+?)(?:의|에\s*있는)\s+파일`)

// lookJob shows a folder.
func lookJob(a ask) *job {
	path := a.target()
	if path == "" {
		path = place(group(inside, a.text))
	}
	return &job{
		domain: workspaceDomain, category: "look_around", entities: pathEntity(path), quick: true,
		summary: fmt.Sprintf(a.say("List what is in %s, and count its kinds of files.", "%s에 무엇이 있는지 나열하고 파일 종류를 셉니다."), a.shown(path)),
		todos: stages([]todo{
			listTodo(fmt.Sprintf(a.say("List the files of %s", "%s의 파일 나열"), a.shown(path)), path),
			shell(a.say("Count the kinds of files", "파일 종류 세기"), fileTypes(path)),
		}),
	}
}

var lastMessage = regexp.MustCompile(`(?i)\b(?:my )?(?:last|previous) message\b|방금 한 말|지난 메시지`)

// summariseJob plans a summary of a file or folder. A text that came with the
// words needs no tools.
func summariseJob(a ask) *job {
	if a.args["text"] != "" || lastMessage.MatchString(a.answer) {
		return nil
	}
	path := a.target()
	if path == "" && !vague.MatchString(a.args["target"]) {
		path = a.args["target"]
	}
	if path == "" {
		var more []string
		if a.argOrEarlier("") != "" {
			more = append(more, a.say("my last message", "방금 한 말"))
		}
		return wanting(workspaceDomain, "summarise",
			a.say("It is not said what should be summarised.", "무엇을 요약할지 말씀하지 않으셨습니다."),
			a.say("What should I summarise? Name a file or a folder.", "무엇을 요약할까요? 파일이나 폴더 이름을 알려 주세요."), a.targets(more...)...)
	}
	return measureJob(a, "summarise", path)
}

// analyseJob is like summariseJob, but what is named may also be a topic that
// the files speak of.
func analyseJob(a ask) *job {
	path := a.target()
	if path == "" {
		return wanting("analysis", "analyse",
			a.say("It is not said what should be analysed.", "분석할 대상이 명시되지 않았습니다."),
			a.say("What should I analyse? Name a file or a folder, or a word to look for.", "무엇을 분석할까요? 파일이나 폴더 이름, 또는 찾을 말을 알려 주세요."),
			a.targets()...)
	}
	if named(path) == "" && path != "." {
		j := searchJob(a, path, ".")
		j.domain, j.category = "analysis", "topic"
		return j
	}
	j := measureJob(a, "analyse", path)
	j.domain = "analysis"
	return j
}

// measureJob takes the measures that fit what is at a path.
func measureJob(a ask, category, path string) *job {
	j := &job{domain: workspaceDomain, category: category, entities: pathEntity(path)}
	switch {
	case isTable(path):
		j.category += "_table"
		j.summary = fmt.Sprintf(a.say("Look at the table %s: its columns, rows and first lines at the same time, then its numbers.",
			"표 %s의 열, 행, 첫 줄을 동시에 살펴보고, 이어서 숫자를 정리합니다."), path)
		j.todos = stages([]todo{
			shell(a.say("Read the column names", "열 이름 읽기"), columns(path)),
			shell(a.say("Count the rows", "행 수 세기"), rows(path)),
			a.reading(a.say("Show the first lines", "첫 줄 보기"), path),
		}, []todo{shell(a.say("Put together the number columns", "숫자 열 정리"), numbers(path))})
	case path == "." || strings.HasSuffix(path, "/") || suffixed.FindString(path) != path:
		j.category += "_folder"
		j.summary = fmt.Sprintf(a.say("Look at %s: its lines, sizes and kinds of files at the same time, then the totals.",
			"%s의 줄 수, 크기, 파일 종류를 동시에 살펴보고, 이어서 합계를 냅니다."), a.shown(path))
		var first []todo
		if path == "." || strings.HasSuffix(path, "/") {
			first = []todo{listTodo(a.say("List the files", "파일 나열"), path)}
		}
		j.todos = stages(first, []todo{
			shell(a.say("Count the lines", "줄 수 세기"), longestFiles(path)),
			shell(a.say("Measure the sizes", "크기 재기"), largestFiles(path)),
			shell(a.say("Count the kinds of files", "파일 종류 세기"), fileTypes(path)),
		}, []todo{shell(a.say("Put together the totals", "합계 정리"), totals(path))})
	default:
		j.category += "_file"
		j.summary = fmt.Sprintf(a.say("Look at the file %s: its size and first lines at the same time, then its frequent words.",
			"파일 %s의 분량과 첫 줄을 동시에 살펴보고, 이어서 자주 나오는 낱말을 셉니다."), path)
		j.todos = stages([]todo{
			shell(a.say("Count lines and words", "줄과 낱말 세기"), sizes(path)),
			a.reading(a.say("Show the first lines", "첫 줄 보기"), path),
		}, []todo{shell(a.say("Put together the frequent words", "자주 나오는 낱말 정리"), frequentWords(path))})
	}
	return j
}

// reading is a todo that reads the beginning of a file.
func (a ask) reading(task, path string) todo {
	if a.takes("read_file", "path") {
		return newTodo(task, "read_file", map[string]any{"path": path})
	}
	return shell(task, firstLinesOf(path, "10"))
}

// readJob shows a file.
func readJob(a ask) *job {
	path := a.target()
	if path == "" {
		return wanting(workspaceDomain, "read", a.say("It is not said which file.", "어느 파일인지 말씀하지 않으셨습니다."),
			a.say("Which file should I show?", "어느 파일을 보여 드릴까요?"), known(a)...)
	}
	task := fmt.Sprintf(a.say("Show %s", "%s 보기"), path)
	t := shell(task, firstLinesOf(path, "100"))
	if a.takes("read_file", "path") {
		t = newTodo(task, "read_file", map[string]any{"path": path})
	}
	return &job{domain: workspaceDomain, category: "read", entities: pathEntity(path), summary: task, quick: true, todos: stages([]todo{t})}
}

var wordsBefore = regexp.MustCompile(`(?i)^(?:(?:all|every|the|any|some)\s+)*(?:(?:words?|text|string|lines?|phrase|occurrences?)\s+(?:of\s+|with\s+|containing\s+)?)?`)

// findJob looks for text.
func findJob(a ask) *job {
	text := unquoted(wordsBefore.ReplaceAllString(a.args["pattern"], ""))
	if a.answer != "" {
		text = unquoted(a.answer)
	}
	if vague.MatchString(text) {
		return wanting(workspaceDomain, "find", a.say("It is not said what to look for.", "무엇을 찾을지 말씀하지 않으셨습니다."),
			a.say("Which text should I look for?", "어떤 말을 찾을까요?"), "TODO", "error")
	}
	return searchJob(a, text, place(a.args["target"]))
}

func searchJob(a ask, text, path string) *job {
	text = oneLine(text)
	found := newTodo(fmt.Sprintf(a.say("Find the lines with “%s”", "“%s”이(가) 있는 줄 찾기"), text), "search_files", map[string]any{"pattern": text, "path": path})
	if !a.takes("search_files", "pattern", "path") {
		found = shell(found.Task, search(text, path))
	}
	return &job{
		domain: workspaceDomain, category: "find", quick: true,
		entities: append([]entity{{Type: "pattern", Value: text, Confidence: 0.95}}, pathEntity(path)...),
		summary: fmt.Sprintf(a.say("Find “%s” in %s: the lines and the files at the same time, then the total.",
			"%[2]s에서 “%[1]s” 찾기: 줄과 파일을 동시에 찾고, 이어서 합계를 냅니다."), text, a.shown(path)),
		todos: stages([]todo{
			found,
			shell(a.say("Count the lines in each file", "파일마다 줄 수 세기"), searchCounts(text, path)),
		}, []todo{shell(a.say("Put together the total", "합계 정리"), searchTotal(text, path))}),
	}
}

// runJob runs the person's own command, as they wrote it.
func runJob(a ask) *job {
	command := code(cmp.Or(a.answer, a.args["command"]))
	first, _, _ := strings.Cut(command, " ")
	unclear := article.MatchString(first) || !strings.ContainsFunc(command, func(r rune) bool { return r < unicode.MaxASCII && r > ' ' })
	if vague.MatchString(command) || a.answer == "" && unclear {
		return wanting(workspaceDomain, "run", a.say("It is not said which command.", "어떤 명령인지 말씀하지 않으셨습니다."),
			a.say("Which command should I run?", "어떤 명령을 실행할까요?"), "ls -la", "pwd", "date")
	}
	task := fmt.Sprintf(a.say("Run %s", "%s 실행"), excerpt(command, 60))
	return &job{
		domain: workspaceDomain, category: "run", entities: []entity{{Type: "command", Value: command, Confidence: 0.95}},
		summary: task, quick: true, todos: stages([]todo{change(task, command)}),
	}
}

var codeSpan = regexp.MustCompile("`([^`\n]+)`")

// code is a command without the marks around it. Several are run one after the
// other.
func code(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\x00", ""))
	if fenced, ok := strings.CutPrefix(text, "```"); ok {
		_, body, _ := strings.Cut(fenced, "\n") // after the name of a language
		body, _, _ = strings.Cut(body, "```")
		return strings.TrimSpace(body)
	}
	if strings.HasPrefix(text, "`") {
		var all []string
		for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
			all = append(all, m[1])
		}
		return strings.Join(all, " && ")
	}
	if m := quoted.FindString(text); m == text && strings.Contains(text, " ") {
		return unquoted(text)
	}
	return text
}

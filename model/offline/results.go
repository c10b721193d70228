package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Of long results the beginning is shown.
const (
	mostEntries = 40
	mostLines   = 40
	mostMatches = 20
)

// told says what calls gave, in words that come from their results only.
func told(a ask, in intent, done []exchange) string {
	var parts []string
	for _, e := range done {
		if why := e.purpose(); why != "" && len(done) > 1 {
			parts = append(parts, "**"+why+"**")
		}
		switch {
		case e.use.Name == listFiles && !e.result.IsError:
			parts = append(parts, tellListing(a, readListing(e.result.Text)))
		case e.use.Name == runCommand:
			parts = append(parts, tellCommand(a, in, e))
		case e.result.IsError:
			parts = append(parts, refused(a, e))
		default:
			parts = append(parts, fmt.Sprintf(a.say("%s gave:", "%s의 결과:"), e.use.Name)+"\n\n"+indented(a, e.result.Text, mostLines))
		}
	}
	return strings.Join(parts, "\n\n")
}

// refused tells of a call that gave nothing.
func refused(a ask, e exchange) string {
	return fmt.Sprintf(a.say("%s did not work: %s", "%s 도구를 쓰지 못했습니다: %s"), e.use.Name, strings.TrimSpace(e.result.Text)) +
		a.say("\n\nNothing else was done.", "\n\n그 밖에는 아무것도 하지 않았습니다.")
}

// listing is what list_files gave.
type listing struct {
	entries []listed
	notes   string
}

type listed struct {
	name   string
	folder bool
	size   int64
	what   string // the size or the kind, as it was given
}

var listedFile = regexp.MustCompile(`^(.*) \((?:(\d+) bytes|[a-z ]+)\)$`)

func readListing(text string) listing {
	var l listing
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch m := listedFile.FindStringSubmatch(line); {
		case line == "":
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			l.notes = line[1 : len(line)-1]
		case strings.HasSuffix(line, "/"):
			l.entries = append(l.entries, listed{name: line, folder: true})
		case m != nil:
			size, _ := strconv.ParseInt(m[2], 10, 64) // a link has none
			l.entries = append(l.entries, listed{name: m[1], size: size, what: line[len(m[1])+2 : len(line)-1]})
		default:
			l.entries = append(l.entries, listed{name: line})
		}
	}
	return l
}

func tellListing(a ask, l listing) string {
	files, folders, size := 0, 0, int64(0)
	for _, e := range l.entries {
		if e.folder {
			folders++
		} else {
			files++
		}
		size += e.size
	}
	text := fmt.Sprintf(a.say("I found %s (%d bytes) and %s.", "%s(%d바이트)와 %s를 찾았습니다."),
		a.say(plural(files, "file"), fmt.Sprintf("파일 %d개", files)), size, a.say(plural(folders, "folder"), fmt.Sprintf("폴더 %d개", folders)))
	if len(l.entries) > 0 {
		text += "\n\n" + a.say("| name | size |", "| 이름 | 크기 |") + "\n| --- | --- |"
	}
	for _, e := range l.entries[:min(len(l.entries), mostEntries)] {
		what := e.what
		if size, ok := strings.CutSuffix(what, " bytes"); ok {
			what = size + a.say(" bytes", "바이트")
		}
		if e.folder {
			what = a.say("folder", "폴더")
		}
		text += "\n| " + cell(e.name) + " | " + what + " |"
	}
	if more := len(l.entries) - mostEntries; more > 0 {
		text += "\n\n" + fmt.Sprintf(a.say("%d more are not shown.", "%d개는 보이지 않았습니다."), more)
	}
	if l.notes != "" {
		text += "\n\n" + fmt.Sprintf(a.say("The tool adds: %s.", "도구가 덧붙인 말: %s."), l.notes)
	}
	return text
}

// cell is a text in a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}

// denied is how the server says that a person did not let a call run.
var denied = regexp.MustCompile(`^(?:a person (?:does not want|left) this|nobody answered|a person said that)`)

// leftOut stands in output of which only the beginning and the end were kept.
var leftOut = regexp.MustCompile(`(?m)^\[… \d+ bytes left out …\]$`)

var exitCode = regexp.MustCompile(`\[(?:no output; )?exit code (\d+)([^\]\n]*)\]\n?$`)

// tellCommand says how a command ended and what it wrote.
func tellCommand(a ask, in intent, e exchange) string {
	m := exitCode.FindStringSubmatchIndex(e.result.Text)
	if m == nil {
		why := a.say("The command gave no result: %s", "명령의 결과가 없습니다: %s")
		if denied.MatchString(e.result.Text) {
			why = a.say("The command was not run: %s.", "명령을 실행하지 않았습니다: %s.")
		}
		return fmt.Sprintf(why, strings.TrimSpace(e.result.Text)) + "\n\n" + indented(a, e.command(), mostLines)
	}
	code, more := e.result.Text[m[2]:m[3]], e.result.Text[m[4]:m[5]]
	output := strings.TrimRight(e.result.Text[:m[0]], "\n")
	if in.name == "find" && code == "0" {
		return tellMatches(a, output)
	}
	text := fmt.Sprintf(a.say("The command ended with exit code %s%s", "명령이 종료 코드 %s%s(으)로 끝났습니다"), code, more)
	if code != "0" {
		text += a.say(", which means that it failed", ". 실패했다는 뜻입니다")
	}
	if output == "" {
		return text + a.say(", and wrote nothing.", ". 출력은 없습니다.")
	}
	return text + a.say(". It wrote:", ". 출력:") + "\n\n" + indented(a, output, mostLines)
}

// tellMatches counts the lines of a search by file.
func tellMatches(a ask, output string) string {
	if output == "" {
		return a.say("I looked, and no line has that text.", "찾아보았지만 그 말이 있는 줄은 없습니다.")
	}
	if leftOut.MatchString(output) { // then nobody can count
		return a.say("I found more lines than can be shown:", "모두 보여 드릴 수 없을 만큼 많은 줄을 찾았습니다:") + "\n\n" + indented(a, output, mostMatches)
	}
	lines := strings.Split(output, "\n")
	slices.SortStableFunc(lines, func(x, y string) int { return strings.Compare(fileOf(x), fileOf(y)) })
	counts, order := map[string]int{}, []string{}
	for _, line := range lines {
		name := fileOf(line)
		if counts[name] == 0 {
			order = append(order, name)
		}
		counts[name]++
	}
	text := fmt.Sprintf(a.say("I found %s in %s.", "%[2]s에서 %[1]s을 찾았습니다."),
		a.say(plural(len(lines), "line"), fmt.Sprintf("%d줄", len(lines))), a.say(plural(len(order), "file"), fmt.Sprintf("파일 %d개", len(order))))
	text += "\n\n" + a.say("| file | lines |", "| 파일 | 줄 |") + "\n| --- | --- |"
	for _, name := range order[:min(len(order), mostEntries)] {
		text += fmt.Sprintf("\n| %s | %d |", cell(name), counts[name])
	}
	return text + "\n\n" + indented(a, strings.Join(lines, "\n"), mostMatches)
}

func fileOf(line string) string {
	name, _, _ := strings.Cut(line, ":")
	return name
}

// indented shows text as it is, and how much is not shown.
func indented(a ask, text string, most int) string {
	lines := strings.Split(strings.TrimRight(strings.ToValidUTF8(text, "\uFFFD"), "\n"), "\n")
	out := "    " + strings.Join(lines[:min(len(lines), most)], "\n    ")
	if more := len(lines) - most; more > 0 {
		out += "\n\n" + fmt.Sprintf(a.say("(%d more lines)", "(%d줄 더 있음)"), more)
	}
	return out
}

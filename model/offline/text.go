package offline

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

func echo(a ask) string { return a.args["text"] }

func summarise(a ask) string {
	text := a.argOrEarlier("text")
	if text == "" {
		return nothingToRead(a)
	}
	return a.say("By its measures: ", "분량으로 보면: ") + measure(a, text) + firstLines(a, text)
}

func countWords(a ask) string {
	text := a.argOrEarlier("text")
	if text == "" {
		return nothingToRead(a)
	}
	return measure(a, text)
}

func nothingToRead(a ask) string {
	return a.say("There is no text to look at yet. Put it after a colon: \"summarise: …\".",
		"아직 살펴볼 글이 없습니다. 쌍점 뒤에 써 주세요: \"요약: …\".")
}

// measure says how much text there is.
func measure(a ask, text string) string {
	words, letters, lines := len(strings.Fields(text)), utf8.RuneCountInString(text), strings.Count(text, "\n")+1
	if a.korean {
		return fmt.Sprintf("단어 %d개, 글자 %d자, %d줄.", words, letters, lines)
	}
	return fmt.Sprintf("%s, %s, %s.", plural(words, "word"), plural(letters, "character"), plural(lines, "line"))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// firstLines shows how the text begins.
func firstLines(a ask, text string) string {
	const most, width = 3, 120
	var b strings.Builder
	b.WriteString(a.say(" It begins:\n", " 이렇게 시작합니다:\n"))
	shown := 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if shown == most {
			break
		}
		b.WriteString("\n> " + excerpt(line, width))
		shown++
	}
	return b.String()
}

func list(a ask) string {
	var b strings.Builder
	n := 0
	for _, item := range strings.FieldsFunc(a.args["text"], func(r rune) bool { return strings.ContainsRune(",;\n，、", r) }) {
		item = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(item), "-*• "))
		if item == "" {
			continue
		}
		n++
		fmt.Fprintf(&b, "%d. %s\n", n, item)
	}
	if n == 0 {
		return nothingToRead(a)
	}
	return strings.TrimRight(b.String(), "\n")
}

func count(a ask) string {
	const most = 10_000
	from, errFrom := strconv.Atoi(a.args["from"])
	if a.args["from"] == "" {
		from, errFrom = 1, nil
	}
	to, errTo := strconv.Atoi(a.args["n"])
	if errFrom != nil || errTo != nil || to < from || to-from >= most {
		return fmt.Sprintf(a.say("I count upwards, and at most %d numbers at a time.", "저는 위로만, 한 번에 %d개까지 셉니다."), most)
	}
	var b strings.Builder
	for i := from; i <= to; i++ {
		if i > from {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(i))
	}
	return b.String() + "."
}

package offline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// outcome is what became of a todo, as the server tells it.
type outcome struct {
	ID     string          `json:"id"`
	Task   string          `json:"task"`
	Status string          `json:"status"`
	Result json.RawMessage `json:"result"`
	Output string          `json:"output"`
	Error  string          `json:"error"`
}

// report tells how a plan went, from what the server says of its todos.
func report(a ask, e exchange) string {
	var all []outcome
	if json.Unmarshal([]byte(e.result.Text), &all) != nil {
		return fmt.Sprintf(a.say("The plan was not carried out: %s", "계획을 실행하지 않았습니다: %s"), strings.TrimSpace(e.result.Text))
	}
	counts := map[string]int{}
	for _, o := range all {
		counts[o.Status]++
	}
	text := fmt.Sprintf(a.say("The plan has ended: %d of %s completed", "계획이 끝났습니다: 작업 %[2]s 중 %[1]d개 완료"),
		counts["completed"], a.say(plural(len(all), "todo"), fmt.Sprintf("%d개", len(all))))
	for _, status := range []string{"failed", "skipped", "cancelled", "pending"} {
		if n := counts[status]; n > 0 {
			text += ", " + fmt.Sprintf(a.say("%d %s", "%d개 %s"), n, a.status(status))
		}
	}
	text += ".\n\n" + a.say("| todo | status | result |", "| 작업 | 상태 | 결과 |") + "\n| --- | --- | --- |"
	for _, o := range all {
		text += "\n| " + cell(o.Task) + " | " + a.status(o.Status) + " | " + cell(o.told(a)) + " |"
	}
	if slices.ContainsFunc(all, outcome.silent) {
		text += "\n\n" + a.say("What the commands wrote stands where they ran.", "명령의 출력은 실행된 자리에 있습니다.")
	}
	for _, o := range all {
		if output := strings.Trim(exitCode.ReplaceAllString(o.Output, ""), "\n"); output != "" {
			text += "\n\n" + o.Task + ":\n\n" + indented(a, output, mostLines)
		}
	}
	return text
}

var statusKorean = map[string]string{
	"completed": "완료", "failed": "실패", "skipped": "건너뜀", "cancelled": "취소됨", "pending": "대기", "in_progress": "진행 중",
}

func (a ask) status(s string) string {
	if k, ok := statusKorean[s]; ok && a.korean {
		return k
	}
	return strings.ReplaceAll(s, "_", " ")
}

// facts are what the tools say of a result.
type facts struct {
	ExitCode *int   `json:"exit_code"`
	Bytes    int64  `json:"output_bytes"`
	Path     string `json:"path"`
	Files    *int   `json:"files"`
	Folders  int    `json:"folders"`
	Output   string `json:"output"`
}

func (o outcome) facts() facts {
	var f facts
	if json.Unmarshal(o.Result, &f) != nil {
		return facts{}
	}
	return f
}

// silent says that something was written which is not in the report.
func (o outcome) silent() bool { return o.Output == "" && o.facts().Bytes > 0 }

// told is what is known of a todo, in a few words.
func (o outcome) told(a ask) string {
	if o.Error != "" {
		return excerpt(o.Error, 200)
	}
	f := o.facts()
	switch {
	case f.ExitCode != nil:
		return fmt.Sprintf(a.say("exit code %d, %d bytes of output", "종료 코드 %d, 출력 %d바이트"), *f.ExitCode, f.Bytes)
	case f.Files != nil:
		return fmt.Sprintf(a.say("%s and %s in %s", "%[3]s에 %[1]s, %[2]s"), a.say(plural(*f.Files, "file"), fmt.Sprintf("파일 %d개", *f.Files)),
			a.say(plural(f.Folders, "folder"), fmt.Sprintf("폴더 %d개", f.Folders)), f.Path)
	case f.Output != "":
		return excerpt(f.Output, 200)
	}
	var short bytes.Buffer
	if len(o.Result) == 0 || json.Compact(&short, o.Result) != nil {
		return ""
	}
	return excerpt(short.String(), 200)
}

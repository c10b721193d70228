package offline

import (
	"testing"

	"github.com/parley-dev/parley/model"
)

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"summarise data.csv":                "data.csv",
		"data.csv를 요약해줘":                    "data.csv",
		"리뷰.csv를 요약해줘":                      "리뷰.csv",
		"summarise src/deep/":               "src/deep/",
		"summarise ./a-b/c_d.tar.gz please": "./a-b/c_d.tar.gz",
		"summarise \"my file\"":             "my file",
		"summarise `x y.csv`":               "x y.csv",
		"summarise this folder":             ".",
		"summarise the whole project":       ".",
		"what is here?":                     ".",
		"summarise the src folder":          "src",
		"summarise the folder called src":   "src",
		"src 폴더 요약해줘":                       "src",
		"이 폴더 요약해줘":                         ".",
		"여기 요약해줘":                           ".",
		"summarise it":                      "",
		"리뷰 분석해줘":                           "",
		"it costs 3.14 or so":               "",
	} {
		if got := named(text); got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}

func TestLookedAt(t *testing.T) {
	for text, want := range map[string]string{
		"list the files":           ".",
		"list the files in src":    "src",
		"list the files of src/a?": "src/a",
		"ls src":                   "src",
		"what is in here?":         ".",
		"show me all the files in the current directory": ".",
		"src의 파일 목록 보여줘":                                 "src",
		"파일 목록 보여줘":                                      ".",
	} {
		a := newAsk(model.Request{Messages: []model.Message{model.Text(model.RoleUser, text)}})
		in := unpaced.find(&a)
		if in.name != "look" {
			t.Errorf("%q is taken for %s", text, in.name)
			continue
		}
		if got := in.job(a).entities[0].Value; got != want {
			t.Errorf("%q looks at %q, want %q", text, got, want)
		}
	}
}

func TestCode(t *testing.T) {
	for text, want := range map[string]string{
		"ls -la":                 "ls -la",
		"`ls -la`":               "ls -la",
		"`make`, then `ls`":      "make && ls",
		"echo `date`":            "echo `date`",
		`"ls -la"`:               "ls -la",
		`"prog"`:                 `"prog"`,
		"```sh\nls\npwd\n```":    "ls\npwd",
		"echo a\x00b":            "echo ab",
		"echo 'it''s' \"a b\" c": "echo 'it''s' \"a b\" c",
	} {
		if got := code(text); got != want {
			t.Errorf("%q is the command %q, want %q", text, got, want)
		}
	}
}

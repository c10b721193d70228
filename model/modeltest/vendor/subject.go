package vendor

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/modeltest"
)

// Key is what the server of a Subject demands.
const Key = "key-for-tests"

// Subject is an adapter's subject for the conformance suite: open makes the model
// that calls this server. Everything is sent in packets of a few bytes, so that
// characters, words and events are cut anywhere.
func Subject(t *testing.T, open func(url string, client *http.Client) model.Model) modeltest.Subject {
	t.Helper()
	arrived, gate := make(chan struct{}), make(chan struct{})
	var once sync.Once
	server := &Server{Key: Key, Chunk: 7}
	server.Pick = func(seen Seen) (Turn, bool) {
		if len(seen.Results) > 0 {
			return Turn{Text: []string{"Done: ", seen.Results[0]}}, true
		}
		turn, ok := scenes()[seen.LastUser]
		if seen.LastUser == "slow" {
			once.Do(func() { close(arrived) })
			turn.Gate = gate
		}
		if !ok {
			turn = Turn{Text: greeting()}
		}
		return turn, true
	}
	web := httptest.NewServer(server)
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		web.Close()
	})
	return modeltest.Subject{
		Model:    open(web.URL, client),
		Text:     strings.Join(greeting(), ""),
		Tool:     ask("tool"),
		Parallel: ask("parallel"),
		Forced:   force(ask("forced"), "read_file"),
		Think:    ask("think"),
		BadInput: ask("bad input"),
		Stall:    ask("stall"),
		Fail:     ask("fail"),
		Break:    ask("break"),
		Overflow: ask("overflow"),
		Slow:     &modeltest.Slow{Request: *ask("slow"), Arrived: arrived, Release: func() { close(gate) }},
		Gone:     server.Gone(),
	}
}

func greeting() []string {
	return []string{"Hello! ", "", "안녕", "하세요 ", "👩‍👩‍👧", " naïve café \"quoted\" \\ \n<tag> & ", "end"}
}

// scenes are the turns of a Subject, by what the user said.
func scenes() map[string]Turn {
	read := Call{Name: "read_file", Input: `{"path":"안녕.txt","deep":{"list":[1,2,{"x":"}"}]}}`}
	return map[string]Turn{
		"tool":      {Text: []string{"Let me ", "look."}, Calls: []Call{read}},
		"parallel":  {Calls: []Call{read, {Name: "list_files", Input: `{"path":"src"}`}, {Name: "read_file", Input: `{"path":"b"}`}}},
		"forced":    {Calls: []Call{read}},
		"think":     {Thinking: []string{"Should I? ", "생각 ", "Yes."}, Text: []string{"I will."}, Calls: []Call{read}},
		"bad input": {Calls: []Call{{Name: "read_file", Input: `{"path": "unfinish`}}},
		"stall":     {Text: []string{"one moment"}, Hang: true},
		"fail":      {Fail: &Failure{Kind: model.Overloaded}},
		"break":     {Text: []string{"half ", "of it"}, Fail: &Failure{Kind: model.Overloaded, After: 1}},
		"overflow":  {Fail: &Failure{Kind: model.ContextOverflow}},
		"slow":      {Text: []string{"at ", "last"}},
	}
}

func ask(text string) *model.Request {
	schema := []byte(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)
	return &model.Request{
		System:   "You are being tested.",
		Messages: []model.Message{model.Text(model.RoleUser, text)},
		Tools: []model.Tool{
			{Name: "read_file", Description: "Reads a file.", Schema: schema},
			{Name: "list_files", Schema: schema},
			{Name: "look_around"},
		},
		Purpose: "turn",
	}
}

func force(req *model.Request, tool string) *model.Request {
	req.ToolChoice = tool
	return req
}

package offline

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/modeltest"
)

var unpaced = New(Unpaced())

var update = flag.Bool("update", false, "write the golden files anew")

func TestConformance(t *testing.T) {
	modeltest.Run(t, func(*testing.T) modeltest.Subject {
		forced, stall, tool := modeltest.Greeting(), modeltest.Greeting(), modeltest.Greeting()
		forced.ToolChoice = "propose_plan"
		stall.Messages = []model.Message{model.Text(model.RoleUser, "echo stall and wait")}
		tool.Messages = []model.Message{model.Text(model.RoleUser, "list the files")}
		tool.Tools = []model.Tool{{Name: listFiles}}
		return modeltest.Subject{Model: New(stuckAtStall), Tool: &tool, Fail: &forced, Stall: &stall}
	})
}

// stuckAtStall never goes on after the word "stall".
func stuckAtStall(ctx context.Context, piece string) error {
	if piece == "stall " {
		<-ctx.Done()
	}
	return ctx.Err()
}

// Every file in testdata is a conversation: lines that begin with ">>> " are
// what the person says, the rest is what must be answered.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			var messages []model.Message
			for _, said := range prompts(string(want)) {
				messages = append(messages, model.Text(model.RoleUser, said))
				answer := text(t, model.Request{Messages: messages})
				messages = append(messages, model.Text(model.RoleAssistant, answer))
				fmt.Fprintf(&got, ">>> %s\n\n%s\n\n", strings.ReplaceAll(said, "\n", "\n>>> "), answer)
			}
			if *update {
				if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func prompts(file string) []string {
	var out []string
	open := false
	for line := range strings.Lines(file) {
		said, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), ">>> ")
		switch {
		case ok && open:
			out[len(out)-1] += "\n" + said
		case ok:
			out = append(out, said)
		}
		open = ok
	}
	return out
}

func TestIntents(t *testing.T) {
	m := New(Unpaced())
	for said, want := range map[string]string{
		"":                                 "empty",
		"hello":                            "greeting",
		"Hi there":                         "greeting",
		"history":                          "recall",
		"안녕하세요":                            "greeting",
		"hello, what can you do?":          "about",
		"are you GPT?":                     "about",
		"너는 누구야?":                          "about",
		"how do I set an API key?":         "keys",
		"can I use Claude?":                "keys",
		"API 키는 어떻게 설정해?":                  "keys",
		"what did I say before?":           "recall",
		"What was my first message?":       "recall",
		"내가 전에 뭐라고 했지?":                    "recall",
		"show the conversation so far":     "conversation",
		"지금까지 대화 보여 줘":                     "conversation",
		"echo what did I say before?":      "echo",
		"말해 줘: 안녕":                         "echo",
		"count to 5":                       "count",
		"10까지 세 줘":                         "count",
		"list: a, b":                       "list",
		"목록: 차, 우유":                        "list",
		"list the files":                   "look",
		"look around":                      "look",
		"what is here?":                    "look",
		"What's in this folder?":           "look",
		"ls src":                           "look",
		"이 폴더를 둘러봐 줘":                      "look",
		"파일 목록 보여줘":                        "look",
		"여기 뭐가 있어?":                        "look",
		"run ls -la":                       "run",
		"run it":                           "run",
		"실행 ls -la":                        "run",
		"실행해 줘":                            "run",
		"`ls -la` 실행해 줘":                   "run",
		"그거 실행해줘":                          "run",
		"find TODO in this folder":         "find",
		"search the files for TODO":        "find",
		"grep TODO":                        "find",
		"이 폴더에서 TODO 찾아줘":                  "find",
		"리뷰 분석해줘":                          "analyse",
		"analyse the reviews":              "analyse",
		"summarise this folder":            "summarise_files",
		"give me a summary of data.csv":    "summarise_files",
		"data.csv를 요약해줘":                   "summarise_files",
		"이 폴더 요약해줘":                        "summarise_files",
		"요약해줘":                             "summarise",
		"read notes.txt":                   "read",
		"show me notes.txt":                "read",
		"notes.txt 보여줘":                    "read",
		"replace a with b in notes.txt":    "edit",
		"add hello to notes.txt":           "edit",
		"edit notes.txt":                   "edit",
		"create a file a.txt with hello":   "edit",
		"notes.txt에서 가를 나로 바꿔줘":            "edit",
		"notes.txt에 안녕을 추가해줘":              "edit",
		"fetch https://example.com/a":      "fetch",
		"ask me something":                 "demo_ask",
		"나한테 뭐 물어봐":                        "demo_ask",
		"make a plan":                      "demo_plan",
		"demo plan":                        "demo_plan",
		"계획 하나 세워 줘":                       "demo_plan",
		"is the readme any good?":          "workspace",
		"summarise: a b c":                 "summarise",
		"summarize this":                   "summarise",
		"summarise the file sales.csv":     "summarise_files",
		"요약: 가나다":                          "summarise",
		"word count: a b c":                "count_words",
		"단어 수: 가 나 다":                      "count_words",
		"thanks!":                          "thanks",
		"고마워":                              "thanks",
		"write 20 words about cats":        "long_text",
		"write a 20 word story about cats": "long_text",
		"Please write a long text about the sea with 20 words": "long_text",
		"demo":         "long_text",
		"demo 50 cats": "long_text",
		"고양이에 대해 20단어로 써 줘":         "long_text",
		"20단어로 고양이에 대해 써 줘":         "long_text",
		"고양이에 대한 긴 글을 써 줘":          "long_text",
		"the quick brown fox jumps": "anything",
		"오늘은 날씨가 좋네요":               "anything",
	} {
		got := ""
		for _, in := range m.intents {
			if _, ok := in.fits(said); ok {
				got = in.name
				break
			}
		}
		if got != want {
			t.Errorf("%q is taken for %s, want %s", said, got, want)
		}
	}
}

func TestEveryIntentSpeaksBothLanguages(t *testing.T) {
	for _, in := range intents() {
		for _, a := range []ask{{korean: false}, {korean: true}} {
			if j := in.work(a); j != nil {
				words := j.summary
				if j.missing != nil {
					words = j.missing.Question
				}
				if korean(words) != a.korean {
					t.Errorf("%s plans %q when korean is %t", in.name, words, a.korean)
				}
			}
			if got := in.answer(a); korean(got) != a.korean && in.name != "echo" && in.name != "count" {
				t.Errorf("%s answers %q when korean is %t", in.name, got, a.korean)
			}
		}
	}
}

func TestLongTextHasTheWordsAskedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3000).Draw(t, "n")
		a := ask{korean: rapid.Bool().Draw(t, "korean")}
		got := essay(a, rapid.SampledFrom([]string{"cats", "the deep sea", "고양이", "큰 강"}).Draw(t, "topic"), n)
		if words := len(strings.Fields(got)); words != n {
			t.Fatalf("%d words, want %d", words, n)
		}
		if !strings.HasSuffix(got, ".") {
			t.Fatalf("it ends in %q", got[max(0, len(got)-20):])
		}
	})
}

// Only the beginning of a message is searched; what it brings along is kept whole.
func TestTextBroughtAlong(t *testing.T) {
	body := strings.TrimSpace(strings.Repeat("긴 글 hello ", 100_000))
	got := text(t, model.Request{Messages: []model.Message{model.Text(model.RoleUser, "echo "+body)}})
	if !strings.HasSuffix(got, "\n\n"+body) {
		t.Errorf("%d bytes came back of %d", len(got), len(body))
	}
	got = text(t, model.Request{Messages: []model.Message{model.Text(model.RoleUser, "word count:\n"+body)}})
	if !strings.Contains(got, "300000") {
		t.Errorf("300000 words are counted as %q", got)
	}
}

func TestLongTextIsBounded(t *testing.T) {
	got := text(t, model.Request{Messages: []model.Message{model.Text(model.RoleUser, "write 999999999999999999999 words about cats")}})
	if words := len(strings.Fields(got)); words < mostWords || words > mostWords+100 {
		t.Errorf("%d words, want about %d", words, mostWords)
	}
}

func TestMaxTokens(t *testing.T) {
	req := model.Request{MaxTokens: 50, Messages: []model.Message{model.Text(model.RoleUser, "write 500 words about cats")}}
	events := stream(t, req)
	done := events[len(events)-1]
	if done.StopReason != model.StopMaxTokens || done.Usage.OutputTokens > 50 || done.Usage.OutputTokens < 40 {
		t.Errorf("%+v", done)
	}
	if !done.Usage.Estimated || done.Usage.CostUSD != 0 {
		t.Errorf("usage must be estimated and free: %+v", done.Usage)
	}
}

// Any conversation is answered by the contract, the same way each time, and the
// first sentence says what this is.
func TestAnyConversation(t *testing.T) {
	word := rapid.SampledFrom([]string{"hello", "write", "500", "words", "about", "count", "to", "list:", "what", "did", "I", "say",
		"요약", "키", "설정", "\xff", "👩‍👩‍👧", "\n", "?", ":", "echo", "the", "conversation"})
	rapid.Check(t, func(t *rapid.T) {
		var req model.Request
		for i, n := 0, rapid.IntRange(0, 6).Draw(t, "messages"); i < n; i++ {
			role := rapid.SampledFrom([]model.Role{model.RoleUser, model.RoleAssistant}).Draw(t, "role")
			said := strings.Join(rapid.SliceOfN(word, 0, 8).Draw(t, "words"), " ")
			req.Messages = append(req.Messages, model.Text(role, said))
		}
		req.Purpose = rapid.SampledFrom([]string{"turn", "condense", ""}).Draw(t, "purpose")
		first, second := stream(t, req), stream(t, req)
		if diff := cmp.Diff(first, second); diff != "" {
			t.Fatalf("the same request gave different events:\n%s", diff)
		}
		for _, fault := range modeltest.Faults(first) {
			t.Error(fault)
		}
		if got := joined(first); !strings.HasPrefix(got, introEnglish) && !strings.HasPrefix(got, introKorean) {
			t.Errorf("the answer begins %q", excerpt(got, 100))
		}
	})
}

func TestIntroductionComesOnce(t *testing.T) {
	messages := []model.Message{model.Text(model.RoleUser, "hello")}
	messages = append(messages, model.Text(model.RoleAssistant, text(t, model.Request{Messages: messages})), model.Text(model.RoleUser, "thanks"))
	if got := text(t, model.Request{Messages: messages}); got != "You are welcome." {
		t.Errorf("the second answer is %q", got)
	}
}

func TestPictures(t *testing.T) {
	picture := model.Message{Role: model.RoleUser, Blocks: []model.Block{{Kind: model.BlockImage, Image: &model.Image{}}}}
	if got := text(t, model.Request{Messages: []model.Message{picture}}); !strings.Contains(got, "cannot see pictures") {
		t.Errorf("a picture is answered with %q", got)
	}
}

func TestNaturalPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, words := time.Now(), 0
		req := model.Request{Messages: []model.Message{model.Text(model.RoleUser, "write 200 words about cats")}}
		err := New(Natural()).Stream(t.Context(), req, func(e model.Event) error {
			if e.Kind == model.EventTextDelta {
				words++
			}
			return nil
		})
		per := time.Since(start) / time.Duration(words)
		if err != nil || per < 15*time.Millisecond || per > 25*time.Millisecond {
			t.Errorf("%v; %s for a word", err, per)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		start = time.Now()
		err = New(Natural()).Stream(ctx, req, func(model.Event) error { return nil })
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != 100*time.Millisecond {
			t.Errorf("%v after %s", err, took)
		}
	})
}

func TestProvider(t *testing.T) {
	m, err := model.Resolve(t.Context(), []model.Provider{Provider(Unpaced())}, "offline")
	if err != nil || m.Info().Name != Name || !m.Info().Tools {
		t.Errorf("Resolve: %v, %v", m, err)
	}
}

// fataler is what testing and rapid have in common.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

func stream(t fataler, req model.Request) []model.Event {
	t.Helper()
	var events []model.Event
	err := unpaced.Stream(context.Background(), req, func(e model.Event) error {
		events = append(events, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func joined(events []model.Event) string {
	var a model.Answer
	for _, e := range events {
		a.Add(e)
	}
	return a.Message().Text()
}

func text(t fataler, req model.Request) string {
	t.Helper()
	return joined(stream(t, req))
}

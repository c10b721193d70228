package offline

import (
	"strings"

	"github.com/parley-dev/parley/model"
)

const (
	introEnglish = "I am Parley's offline assistant: fixed rules, no language model."
	introKorean  = "저는 Parley의 오프라인 도우미이며, 언어 모델 없이 정해진 규칙으로만 답합니다."
)

// intro is the first sentence of every conversation.
func intro(a ask) string { return a.say(introEnglish, introKorean) }

// introduced says whether it has been written, here or by a summary of what
// was here.
func introduced(earlier []model.Message) bool {
	for _, m := range earlier {
		if m.Role != model.RoleAssistant {
			continue
		}
		if text := m.Text(); strings.Contains(text, introEnglish) || strings.Contains(text, introKorean) {
			return true
		}
	}
	return false
}

// works says whether there are tools to work with, now or in a plan.
func (a ask) works() bool { return len(a.tools) > 0 || a.purpose == "respond" }

func abilities(a ask) string {
	if a.works() {
		return talents(a) + "\n" + crafts(a)
	}
	return talents(a)
}

// crafts are what takes tools.
func crafts(a ask) string {
	return a.say(`- look around and measure: "list the files", "summarise this folder", "summarise data.csv"
- find text: "find TODO in this folder"
- run a command, if you let me: "run `+"`ls -la`"+`"
- change a file, if you let me: "add hello to notes.txt", "replace old with new in notes.txt"
- show how questions and plans work: "ask me something", "make a plan"`,
		`- 둘러보고 재기: "파일 목록 보여 줘", "이 폴더 요약해 줘", "data.csv 요약해 줘"
- 글 찾기: "이 폴더에서 TODO 찾아 줘"
- 허락하시면 명령 실행: "실행 ls -la"
- 허락하시면 파일 바꾸기: "notes.txt에 안녕을 추가해 줘", "notes.txt에서 옛말을 새말로 바꿔 줘"
- 질문과 계획이 어떤 모습인지 보여 드리기: "나한테 뭐 물어봐", "계획 하나 세워 줘"`)
}

func talents(a ask) string {
	return a.say(`Right now I can:

- say what you said before: "what did I say before?", "show the conversation so far"
- write at length, for watching text stream: "write a long text about rivers with 500 words"
- count, list, repeat and measure: "count to 20", "list: tea, milk, bread", "echo hello", "summarise: …", "word count: …"
- tell you how to use a real model: "how do I set an API key?"`,
		`지금 할 수 있는 일은 다음과 같습니다.

- 앞서 하신 말씀 다시 보여 드리기: "내가 전에 뭐라고 했지?", "지금까지 대화 보여 줘"
- 글이 흘러나오는 모습을 볼 수 있도록 긴 글 쓰기: "강에 대해 500단어로 긴 글을 써 줘"
- 세기, 목록, 따라 하기, 분량 재기: "20까지 세 줘", "목록: 차, 우유, 빵", "말해 줘: 안녕", "요약: …", "단어 수: …"
- 진짜 모델을 쓰는 방법 안내: "API 키는 어떻게 설정해?"`)
}

func greeting(a ask) string {
	return a.say(
		"Hello! Say \"help\" to see what I can do, or ask how to set an API key for a real model.",
		"안녕하세요! 무엇을 할 수 있는지 보려면 \"도움말\"이라고 하시고, 진짜 모델을 쓰려면 API 키 설정 방법을 물어보세요.")
}

func about(a ask) string {
	return intro(a) + " " + a.say(
		"I am what Parley uses when it has no model to call, so that everything else can be tried without a key. ",
		"부를 모델이 없을 때 Parley가 저를 쓰므로, 키가 없어도 나머지 기능을 모두 써 볼 수 있습니다. ") +
		abilities(a)
}

func keys(a ask) string {
	return a.say(`To talk to a real model, set one of these and start Parley again:

- ANTHROPIC_API_KEY for Anthropic's models
- OPENAI_API_KEY for OpenAI's models (and OPENAI_BASE_URL for a server that speaks the same protocol)
- OLLAMA_HOST for models on your own machine

For example:

    ANTHROPIC_API_KEY=… parley

Parley takes the first that is set. To name a model yourself, use --model, for instance --model openai/NAME. Do not paste a key into this conversation: it would be kept in its history.`,
		`진짜 모델과 이야기하려면 다음 중 하나를 설정하고 Parley를 다시 시작하세요.

- ANTHROPIC_API_KEY: Anthropic의 모델
- OPENAI_API_KEY: OpenAI의 모델 (같은 규약을 쓰는 다른 서버라면 OPENAI_BASE_URL도)
- OLLAMA_HOST: 내 컴퓨터에서 도는 모델

예를 들면:

    ANTHROPIC_API_KEY=… parley

Parley는 설정된 것 가운데 첫 번째를 씁니다. 모델을 직접 고르려면 --model openai/NAME처럼 지정하세요. 키를 이 대화에 붙여 넣지는 마세요. 대화 기록에 남습니다.`)
}

// needTools is said where the tools for something are not there.
func needTools(a ask) string {
	return a.say(
		"That needs tools that I am not given here, so I have read nothing and run nothing.",
		"그 일에 필요한 도구가 여기에는 없습니다. 아무것도 읽거나 실행하지 않았습니다.")
}

// workspace answers what is about files, but asks for nothing that can be done.
func workspace(a ask) string {
	if !a.works() {
		return needTools(a)
	}
	return a.say("That is about files, but I have no rule for it, so I have read nothing and run nothing. ",
		"파일에 관한 말씀이지만 맞는 규칙이 없어 아무것도 읽거나 실행하지 않았습니다. ") + abilities(a)
}

func thanks(a ask) string {
	return a.say("You are welcome.", "천만에요.")
}

func empty(a ask) string {
	if a.pictures {
		return a.say("You sent a picture, and I cannot see pictures. Say \"help\" to see what I can do.",
			"그림을 보내셨지만 저는 그림을 볼 수 없습니다.")
	}
	return a.say("Your message is empty. Say \"help\" to see what I can do.", "메시지가 비어 있습니다.")
}

// anything answers what no rule understands: with what can be said of any text.
func anything(a ask) string {
	return a.say("I have no rule for that. What I can tell of your message: ",
		"그 말씀에 맞는 규칙이 없습니다. 보내신 글에 대해 말씀드릴 수 있는 것은 이렇습니다: ") +
		measure(a, a.text) + firstLines(a, a.text) + "\n\n" + abilities(a)
}

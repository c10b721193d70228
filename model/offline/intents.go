package offline

import (
	"regexp"
	"strings"
)

// intent is one thing the model understands.
type intent struct {
	name string
	// patterns are regular expressions, tried on the person's text without
	// regard to case. None at all: it fits whatever is left.
	patterns []string
	compiled []*regexp.Regexp
	// answer is what is said where no tools are used.
	answer func(a ask) string
	// job is the work for tools, if it takes any; nil if these words take none.
	job func(a ask) *job
}

// work is the job that the words ask for; nil if words are the answer.
func (in intent) work(a ask) *job {
	if in.job == nil {
		return nil
	}
	return in.job(a)
}

// intents in the order in which they are tried: what carries the person's own
// text comes first, so that the text is not taken for a question.
func intents() []intent {
	return []intent{
		{name: "empty", patterns: []string{`^$`}, answer: empty},
		{name: "demo_plan", answer: needTools, job: demoPlanJob, patterns: []string{
			`^(?:please\s+)?(?:make|show|propose|create|draw\s+up)\s+(?:me\s+)?an?\s+(?:demo\s+|sample\s+|example\s+)?plan\b`,
			`^(?:demo|sample|example)\s+plan\b|^계획\S*\s*(?:하나\s*)?(?:세워|짜|만들|보여)`,
		}},
		{name: "demo_ask", answer: demoAsked, job: demoAskJob, patterns: []string{
			`^(?:please\s+)?ask\s+me\b`,
			`^(?:나|저|내게|제게)\S*\s*(?:뭐|뭔가|무엇|아무거나)?\S*\s*(?:물어|질문)|^질문\S*\s*(?:해|하나)`,
		}},
		{name: "edit", answer: needTools, job: editJob, patterns: []string{
			`^(?:please\s+)?(?:replace|change)\s+(?P<old>.+?)\s+(?:with|by|to|into)\s+(?P<new>.+?)\s+in\s+(?P<target>[^\n]+)$`,
			`^(?:please\s+)?(?:append|add)\s+(?P<new>.+?)\s+(?:at\s+the\s+end\s+of|to)\s+(?P<target>[^\n]+)$`,
			`^(?:please\s+)?(?P<whole>create|write|make)\s+(?:an?\s+|the\s+)?(?:new\s+)?file\s+(?:called\s+|named\s+)?(?P<target>"[^"\n]+"|\S+)\s+(?:with|containing|saying|that\s+says)\s*:?\s+(?P<new>.+)$`,
			`^(?:please\s+)?edit\b\s*(?P<target>[^\n]*)$`,
			`^(?P<target>\S+\.\w+)(?:에서|의)\s+(?P<old>.+?)(?:을|를)\s+(?P<new>.+?)(?:으로|로)\s*(?:바꿔|교체|변경)`,
			`^(?P<target>\S+\.\w+)에\s+(?P<new>.+?)(?:을|를|라고)?\s*(?:추가|덧붙|더해|써)`,
			`^(?P<target>\S+\.\w+)\S*\s*(?:파일\S*\s*)?(?:편집|수정|고쳐)`,
		}},
		{name: "run", answer: needTools, job: runJob, patterns: []string{
			`^(?:please\s+)?(?:run|execute)\b(?:\s+(?:the\s+)?command\b)?\s*:?\s*(?P<command>.*)$`,
			"^(?P<command>`[^`]+`)\\S*\\s*(?:명령\\S*\\s*)?실행",
			`^실행(?:해|하)(?:\s*(?:줘|봐|주세요))?\s*[.!]?$`,
			`^실행\s*[:：]?\s+(?P<command>.+)$`,
			`^(?P<command>.+?)(?:을|를)?\s*(?:명령\S*\s*)?실행\s*(?:해|하|시)`,
		}},
		{name: "fetch", answer: needTools, job: fetchJob, patterns: []string{
			`^(?:please\s+)?(?:fetch|get|download|open|read)\s+(?P<url>https?://\S+)`,
			`(?P<url>https?://[^\s가-힣]+)\S*\s*.*(?:가져|열어|읽어|받아)`,
		}},
		{name: "long_text", answer: longText, patterns: []string{
			`\b(?:write|generate|compose|tell me|give me|make)\b.*?\b(?P<n>\d+)[- ]words?\b.*?\b(?:about|on)\s+(?P<topic>.+)$`,
			`\b(?:write|generate|compose|tell me|give me|make)\b.*?\b(?:about|on)\s+(?P<topic>.+?),?\s+(?:with|in|of|using)\s+(?:\w+\s+)?(?P<n>\d+)\s+words?\b`,
			`\b(?:write|generate|compose|tell me)\b.*?\b(?:text|story|essay|article|answer)\b.*?\b(?:about|on)\s+(?P<topic>.+)$`,
			`^demo\b\s*(?P<n>\d+)?\s*(?P<topic>.*)$`,
			`(?P<n>\d+)\s*단어\S*\s+(?P<topic>.+?)에\s*(?:대해|대한|관해|관한)`,
			`^(?P<topic>.+?)에\s*(?:대해|대한|관해|관한).*?(?P<n>\d+)\s*단어`,
			`^(?P<topic>.+?)에\s*(?:대해|대한|관해|관한).*글.*(?:써|쓰|작성)`,
			`^데모\s*(?P<n>\d+)?\s*(?P<topic>.*)$`,
		}},
		{name: "echo", answer: echo, patterns: []string{
			`^(?:please\s+)?(?:echo|repeat after me|repeat|say)\b\s*:?\s+(?P<text>.+)$`,
			`^(?:따라\s*해|따라\s*말해|반복해|말해)(?:\s*(?:줘|봐|주세요|보세요))?\s*[:：]\s*(?P<text>.+)$`,
		}},
		{name: "summarise", answer: summarise, job: summariseJob, patterns: []string{
			`^(?:please\s+)?summari[sz]e\b[^:\n]*[:\n]\s*(?P<text>.+)$`,
			`^(?:please\s+)?summari[sz]e(?:\s+(?:this|that|it|my (?:text|message)))?\s*[.!]?$`,
			`^요약(?:\s*해)?(?:\s*(?:줘|주세요))?\s*[:：\n]\s*(?P<text>.+)$`,
			`^(?:(?:이거|그거|이것|그것)\S*\s*)?요약\s*(?:해)?(?:\s*(?:줘|주세요|봐))?\s*[.!]?$`,
		}},
		{name: "list", answer: list, patterns: []string{
			`^(?:please\s+)?(?:make\s+(?:me\s+)?)?(?:a\s+)?(?:numbered\s+)?list\b[^:\n]*[:\n]\s*(?P<text>.+)$`,
			`^목록[^:：\n]*[:：\n]\s*(?P<text>.+)$`,
		}},
		{name: "count_words", answer: countWords, patterns: []string{
			`\b(?:how many words|count (?:the |my )?words|word count)\b[^:\n]*(?:[:\n]\s*(?P<text>.+))?$`,
			`^(?:단어\s*(?:수|개수)|몇\s*단어)[^:：\n]*(?:[:：\n]\s*(?P<text>.+))?$`,
		}},
		{name: "count", answer: count, patterns: []string{
			`\bcount\s+(?:from\s+(?P<from>\d+)\s+)?(?:up\s+)?to\s+(?P<n>\d+)`,
			`(?:(?P<from>\d+)\s*부터\s*)?(?P<n>\d+)\s*까지\s*(?:숫자를\s*)?(?:세|셀|카운트)`,
		}},
		{name: "conversation", answer: conversation, patterns: []string{
			`\b(?:the|our|this|whole|entire)\s+(?:conversation|chat|dialogue)\b`,
			`대화\s*(?:내용|기록|전체)|지금까지.*대화`,
		}},
		{name: "recall", answer: recall, patterns: []string{
			`\bwhat\s+(?:did|have|had)\s+(?:i|we)\b.*\b(?:say|said|ask|asked|tell|told|write|written|wrote|talk)`,
			`\bwhat\s+(?:was|were)\s+my\b.*\b(?:message|question|word)s?\b|\bdo you remember\b|^(?:history|recap)\b`,
			`(?:내가|제가).*(?:뭐라|무슨 말|무엇을|말했|물어|했던)|기억(?:해|나|하)`,
		}},
		{name: "about", answer: about, patterns: []string{
			`\b(?:who|what)\s+are\s+you\b|\bwhat\s+can\s+you\s+do\b|^(?:please\s+)?help\b|\bhelp me\b|\bare\s+you\s+(?:an?\s+)?(?:ai|llm|model|real|human|robot|bot|claude|gpt|chatgpt)\b`,
			`누구(?:야|세요|니|입니까|예요)|(?:너|넌|당신)\S*\s*(?:뭐|무엇)|도움말|도와\s*(?:줘|주)|(?:뭘|무엇을|뭐를?|어떤 걸)\s*할\s*수`,
		}},
		{name: "keys", answer: keys, patterns: []string{
			`\bapi[ _-]?keys?\b|\b(?:real|other|another|language)\s+model\b|\b(?:set|add|use|give)\s+(?:you\s+)?(?:a|the|my)\s+key\b|\b(?:anthropic|openai|ollama|claude|gpt)`,
			`(?:API|에이피아이)\s*키|(?:키|모델)\S*\s*.*(?:설정|연결|등록|바꾸|바꿔|쓰려면|사용하려면)|(?:진짜|다른|언어)\s*모델`,
		}},
		{name: "look", answer: needTools, job: lookJob, patterns: []string{
			`\blook\s+around\b|\bwhat(?:'s|\s+is|\s+do\s+you\s+see)?\s+(?:is\s+)?(?:in\s+)?(?:here|this\s+folder)\b|^(?:please\s+)?(?:list|show)\b.*\b(?:files?|folders?|director(?:y|ies))\b|^(?:ls|dir)(?:\s+\S+)?$`,
			`\b(?:what|which)\s+files\b|둘러|(?:파일|폴더)\S*\s*(?:목록|나열|리스트)|(?:파일|폴더)\S*\s*(?:모두\s*|다\s*)?보여|여기\S*\s*(?:뭐|뭘|무엇|무슨)`,
		}},
		{name: "find", answer: needTools, job: findJob, patterns: []string{
			`^(?:please\s+)?search\s+(?P<target>[^\n]+?)\s+for\s+(?P<pattern>[^\n]+?)\s*[.?!]?$`,
			`^(?:please\s+)?(?:find|search(?:\s+for)?|grep|look\s+for)\s+(?P<pattern>[^\n]+?)(?:\s+(?:in|inside|within|under)\s+(?P<target>[^\n]+?))?\s*[.?!]?$`,
			`^(?:please\s+)?(?:find|search|grep)\s*[.?!]?$|^(?:찾아|검색)`,
			`^(?:(?P<target>.+?)에서\s+)?(?P<pattern>.+?)(?:(?:이?라는|이란)\s*(?:말|글|단어|문자열)?)?(?:을|를)?\s*(?:찾아|검색)`,
		}},
		{name: "analyse", answer: needTools, job: analyseJob, patterns: []string{
			`\banaly[sz]e\b|\banalysis\s+of\b`,
			`분석\s*(?:해|하|좀|부탁)`,
		}},
		{name: "summarise_files", answer: needTools, job: summariseJob, patterns: []string{
			`^(?:please\s+)?summari[sz]e\s+(?:the\s+)?(?P<target>[^\s"]+?)\s*[.!]?$`,
			`\bsummari[sz]e\b|\b(?:summary|overview)\s+of\b|^(?:please\s+)?describe\b.*\b(?:files?|folders?|director(?:y|ies)|csv)\b`,
			`요약|정리\s*해`,
		}},
		{name: "read", answer: needTools, job: readJob, patterns: []string{
			`^(?:please\s+)?(?:read|open|cat)\b|^(?:please\s+)?(?:show|print|display)\b.*\.[a-z]\w*\b`,
			`\.[a-z]\w*\S*\s*(?:파일\S*\s*)?(?:좀\s*)?(?:읽어|열어|보여)|^파일\S*\s*(?:읽어|열어)`,
		}},
		{name: "workspace", answer: workspace, patterns: []string{
			`\b(?:files?|folders?|director(?:y|ies)|workspace|csv|readme|repository|repo)\b`,
			`파일|폴더|디렉터리|작업\s*공간|명령어|CSV|저장소`,
		}},
		{name: "thanks", answer: thanks, patterns: []string{
			`^(?:ok(?:ay)?[,.!]?\s+)?(?:thanks?|thank\s+you|thx|cheers)\b`,
			`고마|감사`,
		}},
		{name: "greeting", answer: greeting, patterns: []string{
			`^(?:hi|hello|hey|howdy|greetings|good\s+(?:morning|afternoon|evening|day))\b`,
			`안녕|반가|좋은\s*(?:아침|오후|저녁)`,
		}},
		{name: "anything", answer: anything},
	}
}

// find is the first intent that fits. What its pattern found goes into the ask.
func (m *Model) find(a *ask) intent {
	for _, in := range m.intents {
		if args, ok := in.fits(a.text); ok {
			a.args = args
			return in
		}
	}
	return intent{name: "anything", answer: anything}
}

// asked is how much of a message, in bytes, is looked at for what it asks. What
// comes later is text that the person brought along.
const asked = 600

func (in intent) fits(text string) (args map[string]string, ok bool) {
	if len(in.patterns) == 0 {
		return nil, true
	}
	head := strings.ToValidUTF8(text[:min(len(text), asked)], "")
	for _, re := range in.compiled {
		found := re.FindStringSubmatchIndex(head)
		if found == nil {
			continue
		}
		args = map[string]string{}
		for i, name := range re.SubexpNames() {
			from, to := found[2*i], found[2*i+1]
			if name == "" || from < 0 {
				continue
			}
			if to == len(head) {
				to = len(text) // a group that reached the end takes the rest too
			}
			args[name] = strings.TrimSpace(text[from:to])
		}
		return args, true
	}
	return nil, false
}

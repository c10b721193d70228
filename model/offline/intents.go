package offline

import (
	"regexp"
	"strings"

	"github.com/parley-dev/parley/model"
)

// intent is one thing the model understands.
type intent struct {
	name string
	// patterns are regular expressions, tried on the person's text without
	// regard to case. None at all: it fits whatever is left.
	patterns []string
	compiled []*regexp.Regexp
	answer   func(a ask) string
}

// intents in the order in which they are tried: what carries the person's own
// text comes first, so that the text is not taken for a question.
func intents() []intent {
	return []intent{
		{name: "empty", patterns: []string{`^$`}, answer: empty},
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
		{name: "summarise", answer: summarise, patterns: []string{
			`^(?:please\s+)?summari[sz]e\b[^:\n]*[:\n]\s*(?P<text>.+)$`,
			`^(?:please\s+)?summari[sz]e(?:\s+(?:this|that|it|my (?:text|message)))?\s*[.!]?$`,
			`^요약(?:\s*해)?(?:\s*(?:줘|주세요))?\s*[:：\n]\s*(?P<text>.+)$`,
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
		{name: "workspace", answer: workspace, patterns: []string{
			`\blook\s+around\b|\b(?:files?|folders?|director(?:y|ies)|workspace|csv|readme|repository|repo)\b|^(?:please\s+)?(?:run|execute|edit|open|read|grep|find|search|ls|cat)\b`,
			`파일|폴더|디렉터리|작업\s*공간|실행해|둘러|명령어|CSV|저장소`,
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

// answer finds the intent and lets it speak.
func (m *Model) answer(req model.Request) string {
	a := newAsk(req.Messages)
	if req.Purpose == "condense" {
		return condense(req.Messages, a)
	}
	var text string
	for _, in := range m.intents {
		if args, ok := in.fits(a.text); ok {
			a.args = args
			text = in.answer(a)
			break
		}
	}
	if introduced(a.earlier) || strings.HasPrefix(text, intro(a)) {
		return text
	}
	return intro(a) + "\n\n" + text
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

package offline

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

const (
	usualWords = 300
	mostWords  = 100_000
)

// longText writes as many words as were asked for. They are made for watching
// them come: numbered parts show at a glance whether any is missing.
func longText(a ask) string {
	topic := excerpt(strings.Trim(a.args["topic"], " \t\n.!?\"'“”"), 80)
	if topic == "" {
		topic = a.say("streaming text", "흘러나오는 글")
	}
	n := usualWords
	var note string
	if asked := a.args["n"]; asked != "" {
		var err error
		if n, err = strconv.Atoi(asked); err != nil || n > mostWords {
			n = mostWords
			note = fmt.Sprintf(a.say(" (I write at most %d at a time.)", " (한 번에 %d단어까지만 씁니다.)"), n)
		}
	}
	n = max(1, n)
	head := fmt.Sprintf(a.say("Here are %s about %s, put together by rule.%s", "규칙으로 엮은 %[2]s에 관한 글, %[1]s입니다.%[3]s"),
		a.say(plural(n, "word"), fmt.Sprintf("%d단어", n)), topic, note)
	return head + "\n\n" + essay(a, topic, n)
}

// essay gives n words, in parts of five sentences.
func essay(a ask, topic string, n int) string {
	start := seed(topic)
	var b strings.Builder
	for i, left := 0, n; left > 0; i++ {
		sentence := a.sentence(topic, start+i)
		separator := " "
		if i%5 == 0 {
			separator = "\n\n"
			sentence = fmt.Sprintf(a.say("Part %d: ", "제%d부: "), i/5+1) + sentence
		}
		words := len(strings.Fields(sentence))
		if words > left {
			sentence, words = a.ending(left), left
		}
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(sentence)
		left -= words
	}
	return b.String()
}

// ending fills up the n words that are too few for a sentence.
func (a ask) ending(n int) string {
	if n == 1 {
		return a.say("End.", "끝.")
	}
	words := []string{a.say("Finally:", "끝으로:")}
	for i := 1; i < n; i++ {
		words = append(words, strconv.Itoa(i)+",")
	}
	return strings.TrimSuffix(strings.Join(words, " "), ",") + "."
}

// sentence joins an opening, a subject and a statement. Their numbers have no
// common factor, so that the same sentence comes again only after all others.
func (a ask) sentence(topic string, i int) string {
	openings, subjects, statements := parts(a.korean)
	subject := strings.ReplaceAll(subjects[i%len(subjects)], "{topic}", topic)
	return openings[i%len(openings)] + " " + subject + " " + statements[i%len(statements)]
}

func parts(korean bool) (openings, subjects, statements []string) {
	if korean {
		return []string{
				"처음 보면", "자세히 들여다보면", "오래 지켜보면", "멀리서 보면", "하루가 끝날 때쯤이면", "한 걸음 물러서면", "경험이 쌓이면",
			}, []string{
				"{topic}에 관한 이야기는", "{topic}의 역사는", "{topic}에 대한 지식은", "{topic}의 일상적인 모습은", "{topic}에 대한 짧은 설명은",
			}, []string{
				"생각보다 많은 것을 알려 줍니다.", "서두르지 않는 사람에게 더 잘 보입니다.", "작은 차이에서 시작됩니다.",
				"좋은 질문 하나로 달라집니다.", "글로 적어 둘 때 오래 남습니다.", "여럿이 함께 볼 때 더 분명해집니다.",
				"되돌아볼 때마다 새롭습니다.", "쉬운 답을 내주지 않습니다.",
			}
	}
	return []string{
			"At first sight,", "Looked at closely,", "On most days,", "Seen from far away,", "In the long run,", "To a patient eye,", "By the end of the day,",
		}, []string{
			"the story of {topic}", "the study of {topic}", "a short account of {topic}", "the everyday side of {topic}", "what is known about {topic}",
		}, []string{
			"turns out to be larger than expected.", "rewards whoever takes the time.", "begins with a small difference.",
			"changes with a single good question.", "lasts longer once it is written down.", "becomes clearer in company.",
			"looks new each time one returns to it.", "does not give easy answers.",
		}
}

// seed lets two topics begin with different sentences.
func seed(topic string) int {
	h := fnv.New32a()
	h.Write([]byte(topic))
	return int(h.Sum32() % 280)
}

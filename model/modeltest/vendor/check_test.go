package vendor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-dev/parley/model/modeltest/vendor"
)

// with puts messages into a body that is otherwise in order.
func anthropicBody(messages string, more ...string) string {
	tools := `"tools":[{"name":"t","input_schema":{"type":"object"}}]`
	return fmt.Sprintf(`{"model":"m","max_tokens":5000,"stream":true,"messages":[%s],%s}`, messages, strings.Join(append(more, tools), ","))
}

const (
	hi       = `{"role":"user","content":"hi"}`
	calls    = `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"t","input":{}},{"type":"tool_use","id":"b","name":"t","input":{}}]}`
	results  = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"x"},{"type":"tool_result","tool_use_id":"a"}]}`
	thoughts = `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"tool_use","id":"a","name":"t","input":{}}]}`
	result   = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}`
)

func TestCheckAnthropic(t *testing.T) {
	marked := `{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}`
	for body, fault := range map[string]string{
		anthropicBody(hi): "",
		anthropicBody(hi + "," + calls + "," + results):                                                                                 "",
		anthropicBody(hi+","+thoughts+","+result, `"thinking":{"type":"enabled","budget_tokens":2000}`):                                 "",
		anthropicBody(`{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AQI="}}]}`): "",

		`{`: "body",
		`{"model":"m","max_tokens":5,"stream":true,"messages":[` + hi + `]} {}`:                         "more than one",
		anthropicBody(hi, `"surprise":1`):                                                               "unknown field",
		anthropicBody(``):                                                                               "at least one message",
		anthropicBody(`{"role":"user","content":"hi","name":"x"}`):                                      "unknown field",
		anthropicBody(`{"role":"assistant","content":"hi"}`):                                            "the user begins",
		anthropicBody(hi + "," + hi):                                                                    "alternate",
		anthropicBody(hi + `,{"role":"assistant","content":"hi"}`):                                      "last message",
		anthropicBody(`{"role":"user","content":""}`):                                                   "non-whitespace",
		anthropicBody(`{"role":"user","content":[{"type":"text","text":" \n"}]}`):                       "non-whitespace",
		anthropicBody(`{"role":"user","content":[]}`):                                                   "empty list",
		anthropicBody(`{"role":"user","content":[{"type":"text","text":"a","x":1}]}`):                   "unknown field",
		anthropicBody(`{"role":"user","content":[{"type":"tool_use","id":"a","name":"t","input":{}}]}`): `there is no "tool_use"`,
		anthropicBody(hi + "," + calls + "," + hi):                                                      "without tool_result",
		anthropicBody(hi + "," + calls + "," + result):                                                  "without tool_result blocks immediately after: b",
		anthropicBody(result):                                                                           "has no tool_use",
		anthropicBody(hi + "," + calls + "," + strings.Replace(results, `"b"`, `"a"`, 1)):               "or is its second",
		anthropicBody(hi + "," + strings.Replace(calls, `"b"`, `"a"`, 1) + "," + results):               "unique",
		anthropicBody(hi + "," + calls + `,{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"b"}]}`): "stand before",
		anthropicBody(hi + "," + strings.Replace(calls, `"input":{}`, `"input":"x"`, 1) + "," + results):                                                                              "an object",
		anthropicBody(hi + "," + strings.Replace(calls, `"id":"a"`, `"id":"a.b"`, 1) + "," + results):                                                                                 "letters",
		anthropicBody(hi+","+calls+","+results, `"thinking":{"type":"enabled","budget_tokens":2000}`):                                                                                 "begin with the thought",
		anthropicBody(hi, `"thinking":{"type":"enabled","budget_tokens":9000}`):                                                                                                       "below max_tokens",
		anthropicBody(hi, `"thinking":{"type":"enabled"}`):                                                                                                                            "goes with type enabled",
		anthropicBody(hi, `"thinking":{"type":"adaptive"}`, `"tool_choice":{"type":"any"}`):                                                                                           "forces tool use",
		anthropicBody(hi, `"tool_choice":{"type":"tool","name":"nobody"}`):                                                                                                            "no tool",
		anthropicBody(hi + "," + strings.Replace(thoughts, `"signature":"s"`, `"signature":""`, 1) + "," + result):                                                                    "signature",
		anthropicBody(hi + "," + strings.Replace(thoughts, `"signature":"s"`, `"signature":"sig_other"`, 1) + "," + result):                                                           "signature",
		anthropicBody(hi + `,{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"thinking","thinking":"hm","signature":"s"}]},` + hi):                                  "final block",
		anthropicBody(`{"role":"user","content":[` + strings.Join([]string{marked, marked, marked, marked, marked}, ",") + `]}`):                                                      "maximum of 4",
		anthropicBody(`{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/bmp","data":"AQI="}}]}`):                                               "image/bmp",
		anthropicBody(`{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"***"}}]}`):                                                "base64",
		`{"model":"m","max_tokens":5,"stream":true,"messages":[` + hi + "," + calls + "," + results + `]}`:                                                                            "must define tools",
		`{"model":"m","max_tokens":5,"stream":true,"messages":[` + hi + `],"tool_choice":{"type":"auto"}}`:                                                                            "only be given with tools",
		`{"model":"m","max_tokens":5,"stream":true,"messages":[` + hi + `],"tools":[{"name":"t","input_schema":{"type":"array"}}]}`:                                                   "type object",
		`{"model":"m","max_tokens":5,"stream":true,"messages":[` + hi + `],"tools":[{"name":"a b","input_schema":{"type":"object"}}]}`:                                                "letters",
		`{"model":"m","stream":true,"messages":[` + hi + `]}`:                                                                                                                         "max_tokens",
		`{"max_tokens":5,"stream":true,"messages":[` + hi + `]}`:                                                                                                                      "model",
	} {
		verdict(t, "anthropic", body, fault, vendor.CheckAnthropic([]byte(body)))
	}
}

func verdict(t *testing.T, who, body, fault string, err error) {
	t.Helper()
	switch {
	case fault == "" && err != nil:
		t.Errorf("%s refuses %s:\n%v", who, body, err)
	case fault != "" && (err == nil || !strings.Contains(err.Error(), fault)):
		t.Errorf("%s takes %s:\ngot %v, want %q", who, body, err, fault)
	}
}

func chatBody(messages string, more ...string) string {
	tools := `"tools":[{"type":"function","function":{"name":"t","parameters":{"type":"object"}}}]`
	return fmt.Sprintf(`{"model":"m","stream":true,"messages":[%s],%s}`, messages, strings.Join(append(more, tools), ","))
}

func responsesBody(input string, more ...string) string {
	tools := `"tools":[{"type":"function","name":"t","parameters":{"type":"object"},"strict":false}]`
	return fmt.Sprintf(`{"model":"m","stream":true,"store":false,"input":[%s],%s}`, input, strings.Join(append(more, tools), ","))
}

func TestCheckChat(t *testing.T) {
	calls := `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"t","arguments":"{"}},{"id":"b","type":"function","function":{"name":"t","arguments":""}}]}`
	a, b := `{"role":"tool","tool_call_id":"a","content":"x"}`, `{"role":"tool","tool_call_id":"b","content":"y"}`
	for body, fault := range map[string]string{
		chatBody(`{"role":"system","content":"s"},` + hi): "",
		chatBody(hi + "," + calls + "," + b + "," + a):    "",
		chatBody(`{"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AQI="}}]}`): "",

		chatBody(hi, `"surprise":1`):                                              "unknown field",
		chatBody(``):                                                              "empty",
		chatBody(hi + "," + calls + "," + a):                                      "there are none for b",
		chatBody(hi + "," + calls + "," + a + "," + hi + "," + b):                 "there are none for b",
		chatBody(hi + "," + calls + "," + hi):                                     "there are none for a, b",
		chatBody(hi + "," + a):                                                    "no open",
		chatBody(hi + "," + calls + "," + a + "," + a):                            "no open",
		chatBody(hi + `,{"role":"assistant","content":""}`):                       "needs content or tool_calls",
		chatBody(hi + `,{"role":"assistant","content":"x"}`):                      "nothing to answer",
		chatBody(hi + `,{"role":"robot","content":"x"}`):                          "there is no",
		chatBody(`{"role":"user"}`):                                               "missing",
		chatBody(hi, `"tool_choice":"sometimes"`):                                 "there is no",
		chatBody(hi, `"tool_choice":{"type":"function","function":{"name":"x"}}`): "among the tools",
		chatBody(hi, `"max_tokens":0`):                                            "1 or more",
		chatBody(hi, `"max_tokens":3,"max_completion_tokens":3`):                  "cannot both",
		chatBody(hi + "," + strings.ReplaceAll(calls, `"a"`, `"`+strings.Repeat("a", 41)+`"`) + "," + b):      "1 to 40",
		chatBody(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"file:///etc/passwd"}}]}`): "data:",
		chatBody(`{"role":"user","content":"x","tool_call_id":"a"}`):                                          "role tool",
	} {
		verdict(t, "chat", body, fault, vendor.CheckOpenAI([]byte(body)))
	}
}

func TestCheckResponses(t *testing.T) {
	user := `{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}`
	said := `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]}`
	call, output := `{"type":"function_call","call_id":"a","name":"t","arguments":"{"}`, `{"type":"function_call_output","call_id":"a","output":"x"}`
	thought := `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"}`
	for body, fault := range map[string]string{
		responsesBody(user): "",
		responsesBody(user + "," + thought + "," + call + "," + output):  "",
		responsesBody(user + "," + thought + "," + said + "," + user):    "",
		responsesBody(user + "," + call + "," + user + "," + output):     "",
		responsesBody(user, `"include":["reasoning.encrypted_content"]`): "",

		responsesBody(user, `"surprise":1`):                                                                      "unknown field",
		responsesBody(``):                                                                                        "empty",
		responsesBody(user + "," + call):                                                                         "no tool output found",
		responsesBody(user + "," + output):                                                                       "no tool call found",
		responsesBody(user + "," + call + "," + output + "," + output):                                           "has one already",
		responsesBody(user + "," + call + "," + call + "," + output):                                             "of its own",
		responsesBody(user + "," + thought + "," + user):                                                         "required following item",
		responsesBody(user + "," + thought + "," + user + "," + said + "," + user):                               "required following item",
		responsesBody(user + "," + thought):                                                                      "nothing to answer",
		responsesBody(user + "," + said):                                                                         "nothing to answer",
		responsesBody(user + "," + strings.Replace(thought, `"e"`, `""`, 1) + "," + call + "," + output):         "not persisted",
		responsesBody(user + "," + strings.Replace(thought, `"summary":[],`, ``, 1) + "," + call + "," + output): "summary",
		responsesBody(strings.Replace(user, "input_text", "output_text", 1)):                                     "there is no",
		responsesBody(user, `"max_output_tokens":3`):                                                             "16 or more",
		responsesBody(user, `"tool_choice":{"type":"function","name":"x"}`):                                      "among the tools",
		responsesBody(`{"type":"surprise"}`):                                                                     "there is no",
	} {
		verdict(t, "responses", body, fault, vendor.CheckOpenAI([]byte(body)))
	}
}

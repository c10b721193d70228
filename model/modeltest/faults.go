package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/parley-dev/parley/model"
)

// Faults says where a complete answer breaks the contract; none if it does not.
func Faults(events []model.Event) []string {
	if len(events) == 0 {
		return []string{"there are no events; the last must be Done"}
	}
	var out []string
	say := func(i int, format string, args ...any) {
		out = append(out, fmt.Sprintf("event %d (%s): ", i, events[i].Kind)+fmt.Sprintf(format, args...))
	}
	ids := map[string]bool{}
	last := len(events) - 1
	for i, e := range events {
		switch e.Kind {
		case model.EventTextDelta, model.EventReasoningDelta:
			if !utf8.ValidString(e.Text) {
				say(i, "%q is not valid UTF-8; keep back the bytes of an unfinished character", e.Text)
			}
		case model.EventToolUse:
			if fault := callFault(e.ToolUse, ids); fault != "" {
				say(i, "%s", fault)
			}
		case model.EventVendor:
			if !json.Valid(e.Vendor) {
				say(i, "%q is not JSON", e.Vendor)
			}
		case model.EventDone:
			if i != last {
				say(i, "%d events follow; Done comes last and once", last-i)
			}
			if e.StopReason == "" {
				say(i, "no stop reason")
			}
		default:
			say(i, "there is no such kind")
		}
	}
	if events[last].Kind != model.EventDone {
		say(last, "the last event must be Done")
	}
	return out
}

func callFault(use *model.ToolUse, ids map[string]bool) string {
	switch {
	case use == nil:
		return "no call in it"
	case use.ID == "" || use.Name == "":
		return fmt.Sprintf("a call needs an id and a name: %+v", *use)
	case ids[use.ID]:
		return fmt.Sprintf("the id %q comes twice", use.ID)
	case !isInput(use.Input):
		return fmt.Sprintf("the input %q is neither a JSON object nor a JSON string with what the model wrote", use.Input)
	}
	ids[use.ID] = true
	return ""
}

func isInput(raw json.RawMessage) bool {
	trimmed := bytes.TrimSpace(raw)
	return json.Valid(raw) && (bytes.HasPrefix(trimmed, []byte("{")) || bytes.HasPrefix(trimmed, []byte(`"`)))
}

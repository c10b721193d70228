package offline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"

	"github.com/parley-dev/parley/model"
)

// reply is an answer: what is said, and then what is called.
type reply struct {
	text  string
	calls []call
}

type call struct {
	tool  string
	input any // made of values that JSON can hold
}

func say(text string) reply { return reply{text: text} }

func (c call) json() json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // people read it before they approve it
	if err := e.Encode(c.input); err != nil {
		panic("offline: an input that is not JSON: " + err.Error())
	}
	return bytes.TrimSpace(b.Bytes())
}

// uses names the calls. The names are made from the request, so that the same
// request gives the same ones and no other request of the conversation does.
func (r reply) uses(req model.Request) []*model.ToolUse {
	if len(r.calls) == 0 {
		return nil
	}
	h := fnv.New64a()
	_ = json.NewEncoder(h).Encode(req.Messages) // a hash takes everything
	out := make([]*model.ToolUse, len(r.calls))
	for i, c := range r.calls {
		out[i] = &model.ToolUse{ID: fmt.Sprintf("offline_%016x_%d", h.Sum64(), i+1), Name: c.tool, Input: c.json()}
	}
	return out
}

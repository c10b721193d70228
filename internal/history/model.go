package history

import (
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

// Model gives what a model is told of these records: what people said and what
// agents answered. Text whose writing was interrupted is for people only: the
// model is asked again.
func Model(records []protocol.Record) []model.Message {
	var messages []model.Message
	for _, r := range records {
		if m, ok := modelMessage(r); ok {
			messages = append(messages, m)
		}
	}
	return messages
}

func modelMessage(r protocol.Record) (model.Message, bool) {
	d, ok := r.Data.(*protocol.MessageRecord)
	if !ok || d.Message.Partial || d.Message.Type != protocol.KindSay {
		return model.Message{}, false
	}
	switch {
	case d.Role == protocol.RoleUser:
		return model.Text(model.RoleUser, d.Message.Text), true
	case d.Role == protocol.RoleAssistant && d.Message.Say == protocol.SayText:
		return model.Text(model.RoleAssistant, d.Message.Text), true
	}
	return model.Message{}, false
}

// Window gives the newest messages that fit into a number of tokens, beginning
// with a person's. The newest one is always in it.
func Window(messages []model.Message, tokens int64) []model.Message {
	from := len(messages)
	for i := len(messages) - 1; i >= 0; i-- {
		tokens -= model.EstimateMessage(messages[i])
		if tokens < 0 && from < len(messages) {
			break
		}
		if messages[i].Role == model.RoleUser {
			from = i
		}
	}
	return messages[from:]
}

package main

import "github.com/parley-dev/parley/protocol"

// asyncapi describes the WebSocket door from the server's side: it receives
// commands and sends records and signals.
func (m *model) asyncapi() object {
	var messages, channel object
	refs := make(map[protocol.Family][]object)
	for _, s := range m.specs {
		name := string(s.Type)
		messages = append(messages, member{name, message(s)})
		channel = append(channel, member{name, object{{"$ref", "#/components/messages/" + name}}})
		refs[s.Family] = append(refs[s.Family], object{{"$ref", "#/channels/session/messages/" + name}})
	}
	sent := append(refs[protocol.Fact], refs[protocol.Signal]...)
	return object{
		{"asyncapi", "3.0.0"},
		{"info", object{
			{"title", "Parley"}, {"version", protocol.Version},
			{"description", "One session over one WebSocket: records and signals out, commands in."},
		}},
		{"defaultContentType", "application/json"},
		{"servers", object{{"local", object{{"host", "127.0.0.1:7717"}, {"protocol", "ws"}}}}},
		{"channels", object{{"session", object{
			{"address", "/ws/{session_id}"},
			{"parameters", object{{"session_id", object{{"description", "The session: letters, digits, '.', '_' and '-', at most 64."}}}}},
			{"messages", channel},
			{"bindings", object{{"ws", object{{"query", querySchema()}}}}},
		}}}},
		{"operations", object{
			{"receive_commands", operation("receive", "What a client asks for. It is never stored.", refs[protocol.Command])},
			{"send_records_and_signals", operation("send", "What happened, in order, and what passes by.", sent)},
		}},
		{"components", object{{"messages", messages}}},
	}
}

func message(s spec) object {
	o := object{{"name", s.Type}, {"title", s.Type}, {"summary", s.Doc}}
	if s.Later {
		o = append(o, member{"description", "Its place is fixed; it is not built yet."})
	}
	return append(o,
		member{"tags", []object{{{"name", s.Family.String()}}, {{"name", s.Group}}}},
		member{"payload", object{
			{"schemaFormat", "application/schema+json;version=draft-2020-12"},
			{"schema", object{{"$ref", "schema/parley.schema.json#/$defs/" + string(s.Type)}}},
		}},
	)
}

func operation(action, summary string, messages []object) object {
	return object{
		{"action", action},
		{"channel", object{{"$ref", "#/channels/session"}}},
		{"summary", summary},
		{"messages", messages},
	}
}

func querySchema() object {
	param := func(doc string) object { return object{{"type", "string"}, {"description", doc}} }
	return object{{"type", "object"}, {"properties", object{
		{"client_id", param("Names the client, so that its message ids stay its own over reconnects.")},
		{"resume_from", param("The last message_id seen; every later record is sent. msg_0000000000 replays all.")},
		{"token", param("Who is calling, if no Authorization header says so.")},
		{"create", object{{"type", "boolean"}, {"description", "Makes the session if there is none."}}},
	}}}
}

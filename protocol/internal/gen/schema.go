package main

import "github.com/parley-dev/parley/protocol"

// schema is one JSON Schema for the whole wire. Its $defs hold a frame for each
// type under the type's own name, a shape for each struct and a set of words
// for each enumeration.
func (m *model) schema() object {
	var defs object
	families := []protocol.Family{protocol.Fact, protocol.Signal, protocol.Command}
	var all []object
	for _, f := range families {
		var frames []object
		for _, s := range m.family(f) {
			frames = append(frames, ref(string(s.Type)))
			defs = append(defs, member{string(s.Type), frameSchema(s)})
		}
		defs = append(defs, member{"any_" + f.String(), object{{"oneOf", frames}}})
		all = append(all, ref("any_"+f.String()))
	}
	for _, s := range m.shapes {
		defs = append(defs, member{s.name, shapeSchema(s)})
	}
	for _, s := range m.words {
		defs = append(defs, member{s.name, setSchema(s)})
	}
	defs = append(defs, member{"Option", optionSchema()})
	return object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", "Parley protocol " + protocol.Version},
		{"description", "Every frame on /ws/{session_id}. Fields that are not named here are to be passed over."},
		{"oneOf", all},
		{"$defs", defs},
	}
}

func frameSchema(s spec) object {
	id := object{{"type", "string"}, {"maxLength", 128}}
	required := []string{"type", "timestamp"}
	switch s.Family {
	case protocol.Fact:
		id = object{{"type", "string"}, {"pattern", "^msg_[0-9]{10,19}$"}}
		required = append(required, "message_id", "data")
	case protocol.Command:
		required = []string{"type"}
	}
	properties := object{
		{"type", object{{"const", s.Type}}},
		{"session_id", object{{"type", "string"}, {"pattern", "^[A-Za-z0-9._-]{1,64}$"}}},
	}
	if s.Family != protocol.Signal {
		properties = append(properties, member{"message_id", id})
	}
	timestamp := kindSchema(kind{word: "time"})
	if s.Family == protocol.Command {
		timestamp = orNull(timestamp)
	}
	properties = append(properties,
		member{"timestamp", timestamp},
		member{"agent_id", object{{"type", "string"}}},
		member{"monitor_id", object{{"type", "string"}}},
	)
	if s.Family == protocol.Fact {
		properties = append(properties, member{"cause", ref("Cause")})
	}
	properties = append(properties, member{"data", ref(s.payload)})
	return object{{"description", s.Doc}, {"type", "object"}, {"required", required}, {"properties", properties}}
}

func shapeSchema(s shape) object {
	var properties = object{}
	required := []string{}
	for _, f := range s.fields {
		value := kindSchema(f.kind)
		if f.nullable {
			value = orNull(value)
		}
		if f.doc != "" {
			value = append(object{{"description", f.doc}}, value...)
		}
		properties = append(properties, member{f.name, value})
		if !f.optional {
			required = append(required, f.name)
		}
	}
	o := object{{"description", s.doc}, {"type", "object"}}
	if len(required) > 0 {
		o = append(o, member{"required", required})
	}
	return append(o, member{"properties", properties})
}

func setSchema(s set) object {
	var values []string
	for _, w := range s.words {
		values = append(values, w.value)
	}
	return object{{"description", s.doc}, {"enum", values}}
}

func optionSchema() object {
	text := object{{"type", "string"}}
	return object{
		{"description", "An answer that can be picked: a plain word, or a value with its label."},
		{"oneOf", []object{text, {
			{"type", "object"}, {"required", []string{"value", "label"}},
			{"properties", object{{"value", text}, {"label", text}}},
		}}},
	}
}

func orNull(o object) object { return object{{"anyOf", []object{o, {{"type", "null"}}}}} }

func kindSchema(k kind) object {
	switch k.word {
	case "time":
		return object{{"type", "string"}, {"format", "date-time"}}
	case "any":
		return object{}
	case "option":
		return ref("Option")
	case "span":
		return object{{"type", "array"}, {"items", object{{"type", "integer"}, {"minimum", 0}}}, {"minItems", 2}, {"maxItems", 2}}
	case "list":
		return object{{"type", "array"}, {"items", kindSchema(*k.inner)}}
	case "map":
		return object{{"type", "object"}, {"additionalProperties", kindSchema(*k.inner)}}
	case "shape", "set":
		return ref(k.name)
	}
	return object{{"type", k.word}}
}

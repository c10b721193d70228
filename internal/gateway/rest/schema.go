package rest

import (
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/internal/index"
	"github.com/parley-dev/parley/protocol"
)

// describeTypes tells of the types whose JSON is not what their fields say.
func describeTypes(schemas huma.Registry) {
	schemas.RegisterTypeAlias(reflect.TypeFor[protocol.Time](), reflect.TypeFor[time.Time]())
	schemas.RegisterTypeAlias(reflect.TypeFor[protocol.Option](), reflect.TypeFor[optionSchema]())
	schemas.RegisterTypeAlias(reflect.TypeFor[history.Entry](), reflect.TypeFor[entrySchema]())
}

// nameSchema gives types of several packages names that tell them apart.
func nameSchema(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[State]():
		return "Session"
	case reflect.TypeFor[index.Item]():
		return "SessionItem"
	case reflect.TypeFor[index.Node]():
		return "SessionNode"
	case reflect.TypeFor[index.Tree]():
		return "SessionTree"
	case reflect.TypeFor[index.Total]():
		return "SessionTotal"
	case reflect.TypeFor[index.Hit]():
		return "SearchHit"
	case reflect.TypeFor[history.Message]():
		return "UIMessage"
	case reflect.TypeFor[history.Text](), reflect.TypeFor[history.ToolStart](),
		reflect.TypeFor[history.ToolComplete](), reflect.TypeFor[history.Result]():
		return "Store" + t.Name()
	}
	return huma.DefaultSchemaNamer(t, hint)
}

// optionSchema describes protocol.Option.
type optionSchema struct{}

func (optionSchema) Schema(huma.Registry) *huma.Schema {
	text := &huma.Schema{Type: huma.TypeString}
	return &huma.Schema{OneOf: []*huma.Schema{text, {
		Type: huma.TypeObject, Required: []string{"value", "label"},
		Properties: map[string]*huma.Schema{"value": text, "label": text},
	}}}
}

// entrySchema describes history.Entry.
type entrySchema struct{}

func (entrySchema) Schema(r huma.Registry) *huma.Schema {
	s := &huma.Schema{}
	for _, t := range []reflect.Type{
		reflect.TypeFor[history.Text](), reflect.TypeFor[history.ToolStart](),
		reflect.TypeFor[history.ToolComplete](), reflect.TypeFor[history.Result](),
	} {
		s.OneOf = append(s.OneOf, r.Schema(t, true, t.Name()))
	}
	return s
}

// envelopeSchema describes a frame, whose data depends on its type.
type envelopeSchema struct{}

func (envelopeSchema) Schema(huma.Registry) *huma.Schema {
	text := &huma.Schema{Type: huma.TypeString}
	return &huma.Schema{
		Type:        huma.TypeObject,
		Description: "A message of the WebSocket protocol, as it was stored.",
		Required:    []string{"type", "session_id", "timestamp"},
		Properties: map[string]*huma.Schema{
			"type": text, "session_id": text, "agent_id": text, "monitor_id": text,
			"message_id": {Type: huma.TypeString, Description: "The record's id, and the cursor of what follows it. Signals have none."},
			"timestamp":  {Type: huma.TypeString, Format: "date-time"},
			"data":       {Type: huma.TypeObject, AdditionalProperties: true},
		},
		AdditionalProperties: true,
	}
}

// State is a session as its clients see it.
type State protocol.SessionState

// TransformSchema says which of its objects may be missing.
func (State) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	for _, name := range []string{"plan", "hitl_pending"} {
		s.Properties[name] = &huma.Schema{AnyOf: []*huma.Schema{s.Properties[name], {Type: "null"}}}
	}
	return s
}

// tidy makes the description say what is sent: no list is ever null.
func tidy(api *huma.OpenAPI) *huma.OpenAPI {
	for _, s := range api.Components.Schemas.Map() {
		noNullLists(s)
	}
	return api
}

func noNullLists(s *huma.Schema) {
	if s == nil {
		return
	}
	if s.Type == huma.TypeArray {
		s.Nullable = false
	}
	noNullLists(s.Items)
	if values, ok := s.AdditionalProperties.(*huma.Schema); ok {
		noNullLists(values)
	}
	for _, p := range s.Properties {
		noNullLists(p)
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/parley-dev/parley/protocol"
)

// model is the vocabulary in the form that all writers share.
type model struct {
	specs  []spec
	shapes []shape // by name
	words  []set   // by name
}

// spec is a row of the table with the name of its payload.
type spec struct {
	protocol.Spec
	payload string
}

// shape is a struct.
type shape struct {
	name, doc string
	fields    []field
}

type field struct {
	name, doc string
	kind      kind
	optional  bool // may be missing
	nullable  bool // may be null
}

// set is a type whose values are a few words.
type set struct {
	name, doc string
	words     []word
}

// kind is the kind of a value: a basic word, or the name of a shape or a set.
type kind struct {
	word  string // string, integer, number, boolean, time, any, list, map, span, option, shape, set
	name  string // of a shape or a set
	inner *kind  // of a list or a map
}

func load(dir string) (*model, error) {
	src, err := readSource(dir)
	if err != nil {
		return nil, err
	}
	l := &loader{src: src, model: &model{}, seen: make(map[string]bool)}
	for _, s := range protocol.Table() {
		t := reflect.TypeOf(s.New()).Elem()
		l.kindOf(t)
		l.model.specs = append(l.model.specs, spec{s, t.Name()})
	}
	l.kindOf(reflect.TypeFor[protocol.Cause]())
	l.addSet("AskClass")
	slices.SortFunc(l.model.shapes, func(a, b shape) int { return strings.Compare(a.name, b.name) })
	slices.SortFunc(l.model.words, func(a, b set) int { return strings.Compare(a.name, b.name) })
	return l.model, l.err
}

type loader struct {
	src   *source
	model *model
	seen  map[string]bool
	err   error
}

func (l *loader) kindOf(t reflect.Type) kind {
	switch t {
	case reflect.TypeFor[protocol.Time]():
		return kind{word: "time"}
	case reflect.TypeFor[json.RawMessage]():
		return kind{word: "any"}
	case reflect.TypeFor[protocol.Option]():
		return kind{word: "option"}
	case reflect.TypeFor[protocol.Span]():
		return kind{word: "span"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return l.kindOf(t.Elem())
	case reflect.Slice:
		inner := l.kindOf(t.Elem())
		return kind{word: "list", inner: &inner}
	case reflect.Map:
		inner := l.kindOf(t.Elem())
		return kind{word: "map", inner: &inner}
	case reflect.Struct:
		l.addShape(t)
		return kind{word: "shape", name: t.Name()}
	case reflect.String:
		if l.addSet(t.Name()) {
			return kind{word: "set", name: t.Name()}
		}
		return kind{word: "string"}
	case reflect.Bool:
		return kind{word: "boolean"}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return kind{word: "integer"}
	case reflect.Float64:
		return kind{word: "number"}
	case reflect.Interface:
		return kind{word: "any"}
	}
	l.err = fmt.Errorf("the wire has no kind for Go's %s", t)
	return kind{word: "any"}
}

func (l *loader) addShape(t reflect.Type) {
	if l.seen[t.Name()] {
		return
	}
	l.seen[t.Name()] = true
	s := shape{name: t.Name(), doc: about(t.Name(), l.src.types[t.Name()])}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name == "" {
			l.err = fmt.Errorf("%s.%s has no name on the wire", t.Name(), f.Name)
		}
		doc := about(f.Name, l.src.fields[t.Name()][f.Name])
		if doc == "" {
			doc = common[name]
		}
		optional := strings.Contains(options, "omit")
		s.fields = append(s.fields, field{
			name: name, doc: doc, kind: l.kindOf(f.Type),
			optional: optional, nullable: f.Type.Kind() == reflect.Pointer && !optional,
		})
	}
	l.model.shapes = append(l.model.shapes, s)
}

// addSet says whether the type is a set of words, and keeps it.
func (l *loader) addSet(name string) bool {
	words := l.src.words[name]
	if len(words) == 0 {
		return false
	}
	if !l.seen[name] {
		l.seen[name] = true
		l.model.words = append(l.model.words, set{name, about(name, l.src.types[name]), words})
	}
	return true
}

func (m *model) family(f protocol.Family) []spec {
	return slices.DeleteFunc(slices.Clone(m.specs), func(s spec) bool { return s.Family != f })
}

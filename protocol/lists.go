package protocol

import (
	"reflect"
	"strings"
)

// A filler makes the nil lists inside a value empty.
type filler func(reflect.Value)

// fillers never changes: what to fill in each payload of the table.
var fillers = func() map[reflect.Type]filler {
	m := make(map[reflect.Type]filler)
	for _, s := range Table() {
		t := reflect.TypeOf(s.New())
		if f := fillerOf(t); f != nil {
			m[t] = f
		}
	}
	return m
}()

// fillLists keeps the promise that a list is never null on the wire: a client
// can walk over it without asking first.
func fillLists(data any) {
	if f := fillers[reflect.TypeOf(data)]; f != nil {
		f(reflect.ValueOf(data))
	}
}

// fillerOf gives nil for types in which there is nothing to fill.
func fillerOf(t reflect.Type) filler {
	switch t.Kind() {
	case reflect.Pointer:
		inner := fillerOf(t.Elem())
		if inner == nil {
			return nil
		}
		return func(v reflect.Value) {
			if !v.IsNil() {
				inner(v.Elem())
			}
		}
	case reflect.Slice:
		inner := fillerOf(t.Elem())
		if inner == nil {
			return nil
		}
		return func(v reflect.Value) {
			for i := range v.Len() {
				inner(v.Index(i))
			}
		}
	case reflect.Struct:
		return structFiller(t)
	}
	return nil
}

func structFiller(t reflect.Type) filler {
	type part struct {
		field int
		fill  filler
	}
	var parts []part
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		inner := fillerOf(f.Type)
		if isList(f) {
			inner = fillThen(inner)
		}
		if inner != nil {
			parts = append(parts, part{i, inner})
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return func(v reflect.Value) {
		for _, p := range parts {
			p.fill(v.Field(p.field))
		}
	}
}

func fillThen(inner filler) filler {
	return func(v reflect.Value) {
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		if inner != nil {
			inner(v)
		}
	}
}

// isList says whether a field is a list that is always on the wire.
func isList(f reflect.StructField) bool {
	tag := f.Tag.Get("json")
	return f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() != reflect.Uint8 &&
		!strings.Contains(tag, ",omit")
}

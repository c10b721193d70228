package settings

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// checkFields refuses names inside a value that its type does not have, letter by
// letter: the decoder would take MODEL for model, and store it so. What is not of
// the right shape is left to the decoder.
func checkFields(raw json.RawMessage, t reflect.Type, at string) error {
	switch t.Kind() {
	case reflect.Pointer:
		return checkFields(raw, t.Elem(), at)
	case reflect.Slice:
		var items []json.RawMessage
		_ = json.Unmarshal(raw, &items)
		for i, item := range items {
			if err := checkFields(item, t.Elem(), below(at, fmt.Sprint(i+1))); err != nil {
				return err
			}
		}
		return nil
	}
	if t.Kind() != reflect.Map && t.Kind() != reflect.Struct {
		return nil
	}
	var inner map[string]json.RawMessage
	_ = json.Unmarshal(raw, &inner)
	for _, name := range slices.Sorted(maps.Keys(inner)) {
		of := t
		if t.Kind() == reflect.Map {
			of = t.Elem()
		} else if f, ok := fieldOf(t, name); ok {
			of = f
		} else {
			return unknownField(name, t, at)
		}
		if err := checkFields(inner[name], of, below(at, name)); err != nil {
			return err
		}
	}
	return nil
}

func below(at, name string) string {
	if at == "" {
		return clip(name)
	}
	return at + "." + clip(name)
}

func fieldOf(t reflect.Type, name string) (reflect.Type, bool) {
	if i := slices.Index(fieldNames(t), name); i >= 0 {
		return t.Field(i).Type, true
	}
	return nil, false
}

// fieldNames are the fields of a struct as JSON has them.
func fieldNames(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

func unknownField(name string, t reflect.Type, at string) error {
	if at != "" {
		at += " "
	}
	has := "it has " + strings.Join(fieldNames(t), ", ")
	if near := nearest(strings.ToLower(strings.ReplaceAll(name, "-", "_")), fieldNames(t)); near != "" {
		has = "there is " + near
	}
	return fmt.Errorf("%scannot have a field %q; %s", at, clip(name), has)
}

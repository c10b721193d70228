package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// malformed tells where a frame stops being JSON.
func malformed(err error, offset int64) *Error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return Errorf(CodeInvalidMessage, "the message ends in the middle of its JSON")
	case errors.As(err, &syntax):
		return Errorf(CodeInvalidMessage, "the message is not valid JSON near byte %d: %s", offset, syntax.Error())
	}
	return Errorf(CodeInvalidMessage, "the message is not valid JSON near byte %d", offset)
}

// wrongKind tells which field is of the wrong kind. inside is the name of what
// was decoded, "" for the frame itself.
func wrongKind(err error, inside string) *Error {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return Errorf(CodeInvalidMessage, "%s is not understood: %s", orMessage(inside), clip(err.Error(), 200))
	}
	field := strings.Trim(inside+"."+kind.Field, ".")
	return Errorf(CodeInvalidMessage, "%s must be %s, not %s", orMessage(field), wanted(kind.Type), given(kind.Value)).
		With("field", field)
}

func orMessage(field string) string {
	if field == "" {
		return "the message"
	}
	return field
}

func wanted(t reflect.Type) string {
	if t == reflect.TypeFor[Time]() {
		return "a time such as 2026-02-06T10:00:00Z"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "a whole number in range"
	case reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	}
	return "an object"
}

func given(value string) string {
	switch kind, rest, _ := strings.Cut(value, " "); kind {
	case "number":
		return strings.TrimSpace("the number " + clip(rest, 40))
	case "bool":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "an object"
	}
	return "a " + value
}

// sentence writes joined errors in one line.
func sentence(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// checkID refuses an id that would harm a log, a terminal or a file name.
func checkID(field, id string, most int) error {
	if n := utf8.RuneCountInString(id); n > most {
		return fmt.Errorf("%s has %d characters; at most %d are allowed", field, n, most)
	}
	for _, r := range id {
		if unicode.IsControl(r) {
			return fmt.Errorf("%s holds the control character %U", field, r)
		}
	}
	return nil
}

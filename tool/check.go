package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Check says whether the input fits the tool's schema; if not, the error is an
// *Error with CodeInputInvalid that names the place.
//
// Of JSON Schema it enforces type, enum, const, properties, required,
// additionalProperties, items, minItems, maxItems, minLength, maxLength, minimum
// and maximum. Other keywords are passed over: a tool that needs them checks for
// itself.
func Check(info Info, input json.RawMessage) error {
	if len(input) > MaxInput {
		return invalid("the input of %s has %d bytes; at most %d are allowed", info.Name, len(input), MaxInput)
	}
	value, err := parse(input)
	if err != nil {
		return invalid("the input of %s is not JSON: %v", info.Name, err)
	}
	if _, ok := value.(map[string]any); !ok {
		return invalid("the input of %s must be an object, not %s", info.Name, kindOf(value))
	}
	schema, err := parseSchema(info.Schema)
	if err != nil {
		return &Error{Code: CodeUnavailable, Message: "the schema of " + info.Name + " is damaged: " + err.Error(), Err: err}
	}
	if fault := schema.fault("", value); fault != "" {
		return invalid("the input of %s does not fit: %s", info.Name, fault)
	}
	return nil
}

// Decode checks the input and reads it into a T. Every failure is an *Error.
func Decode[T any](info Info, input json.RawMessage) (T, error) {
	var v T
	if err := Check(info, input); err != nil {
		return v, err
	}
	if err := json.Unmarshal(input, &v); err != nil {
		return v, invalid("the input of %s does not fit: %v", info.Name, err)
	}
	return v, nil
}

// parse reads exactly one value; numbers stay as they were written.
func parse(raw json.RawMessage) (any, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, errors.New("it is empty")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the value")
	}
	return v, nil
}

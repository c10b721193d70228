package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// decode reads a value of a key and says what is wrong with it. The error names
// the key's rule and does not quote the value: it may be a misplaced secret.
func (t table) decode(k Key, raw json.RawMessage) (any, error) {
	into := reflect.New(t.typeOf(k))
	if bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		return nil, fmt.Errorf("must be %s, not null", article(k.Type()))
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	err := d.Decode(into.Interface())
	if _, more := d.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("more than one value")
	}
	if err != nil {
		return nil, explain(k, err)
	}
	if err := checkFields(raw, t.typeOf(k), ""); err != nil {
		return nil, err
	}
	v := into.Elem().Interface()
	if err := k.bounds(v); err != nil {
		return nil, err
	}
	if k.check != nil {
		return v, k.check(v)
	}
	return v, nil
}

// accept says why a value of a key cannot be stored.
func (t table) accept(k Key, raw json.RawMessage) error {
	v, err := t.decode(k, raw)
	if err == nil && k.accept != nil {
		err = k.accept(v)
	}
	return err
}

// explain turns what the decoder says into words about the value.
func explain(k Key, err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && strings.HasPrefix(kind.Value, "number ") && isNumber(kind.Type):
		return k.explainNumber(kind)
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("%s is a %s and must be %s", kind.Field, kind.Value, article(goType(kind.Type)))
	case errors.As(err, &kind):
		return fmt.Errorf("must be %s", article(k.Type()))
	}
	return fmt.Errorf("must be %s in valid JSON", article(k.Type()))
}

func isNumber(t reflect.Type) bool { return t.Kind() == reflect.Int || t.Kind() == reflect.Float64 }

// explainNumber says why a number is none that can be kept.
func (k Key) explainNumber(kind *json.UnmarshalTypeError) error {
	text := strings.TrimPrefix(kind.Value, "number ")
	_, err := strconv.ParseFloat(text, 64)
	_, isInt := k.Default.(int)
	switch large := err != nil || !strings.ContainsAny(text, ".eE"); {
	case large && isInt:
		return k.outside()
	case large:
		return fmt.Errorf("%s is too large a number", kind.Field)
	}
	what := "must be a whole number"
	if kind.Field != "" {
		what = kind.Field + " " + what
	}
	if strings.ContainsAny(text, "eE") {
		what += ", written without e"
	}
	return errors.New(what)
}

func (k Key) outside() error {
	return fmt.Errorf("must be from %s to %s", number(k.Min), number(k.Max))
}

func goType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "whole number"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "list"
	}
	return "object"
}

func article(what string) string {
	switch {
	case what == "true or false":
		return what
	case strings.HasPrefix(what, "o"):
		return "an " + what
	}
	return "a " + what
}

// bounds holds a value against the limits of its row.
func (k Key) bounds(v any) error {
	switch v := v.(type) {
	case string:
		most := maxText
		if k.Max > 0 {
			most = int(k.Max)
		}
		if err := checkText(v, most); err != nil {
			return err
		}
		if k.Allowed != nil && !slices.Contains(k.Allowed, v) {
			return fmt.Errorf("must be one of %s", strings.Join(k.Allowed, ", "))
		}
	case int:
		if float64(v) < k.Min || float64(v) > k.Max {
			return k.outside()
		}
	case []string:
		return checkList(v, k.Allowed)
	}
	return nil
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func checkList(list, allowed []string) error {
	if len(list) > maxItems {
		return fmt.Errorf("holds %d items; at most %d are kept", len(list), maxItems)
	}
	for i, s := range list {
		switch {
		case s == "":
			return fmt.Errorf("item %d is empty", i+1)
		case allowed != nil && !slices.Contains(allowed, s):
			return fmt.Errorf("item %d must be one of %s", i+1, strings.Join(allowed, ", "))
		case slices.Contains(list[:i], s):
			return fmt.Errorf("item %d is there twice", i+1)
		}
		if err := checkText(s, maxText); err != nil {
			return fmt.Errorf("item %d %w", i+1, err)
		}
	}
	return nil
}

func checkText(s string, most int) error {
	switch {
	case len(s) > most:
		return fmt.Errorf("is %d bytes long; at most %d are kept", len(s), most)
	case !utf8.ValidString(s) || strings.ContainsRune(s, 0):
		return errors.New("is not plain text")
	}
	return nil
}

// clip shortens a word that somebody else wrote, for an error.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

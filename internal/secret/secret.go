// Package secret holds strings that must not be printed.
//
// Whatever formats, logs or encodes a Value gets the word [secret]; a printer that
// walks private fields finds only a pointer. The string itself is had by asking
// for it with Reveal, and in no other way.
package secret

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"log/slog"
)

// Value is a string that must not be printed. The zero Value hides nothing and
// prints nothing.
type Value struct{ text *string }

const shown = "[secret]"

// New wraps a string; an empty one gives the zero Value.
func New(s string) Value {
	if s == "" {
		return Value{}
	}
	return Value{&s}
}

// Reveal gives the string itself.
func (v Value) Reveal() string {
	if v.text == nil {
		return ""
	}
	return *v.text
}

// IsZero says whether there is nothing to hide.
func (v Value) IsZero() bool { return v.text == nil }

// Equal compares in a time that does not depend on what differs.
func (v Value) Equal(other Value) bool {
	a, b := sha256.Sum256([]byte(v.Reveal())), sha256.Sum256([]byte(other.Reveal()))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

func (v Value) String() string {
	if v.IsZero() {
		return ""
	}
	return shown
}

// Format answers every verb, those that make no sense for it too.
func (v Value) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, v.String()) }

// LogValue is what slog writes.
func (v Value) LogValue() slog.Value { return slog.StringValue(v.String()) }

// MarshalText is what JSON and YAML write.
func (v Value) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// MarshalBinary is what gob writes.
func (v Value) MarshalBinary() ([]byte, error) { return []byte(v.String()), nil }

package settings

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret holds a string that must not be printed. Whatever formats, logs or
// encodes it gets the word [secret]; a printer that walks private fields finds
// only a pointer.
type Secret struct{ value *string }

const hidden = "[secret]"

// NewSecret wraps a string; an empty one gives the zero Secret.
func NewSecret(s string) Secret {
	if s == "" {
		return Secret{}
	}
	return Secret{&s}
}

// Reveal gives the string itself.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsZero says whether there is nothing to hide.
func (s Secret) IsZero() bool { return s.value == nil }

func (s Secret) String() string { return hidden }

// Format answers every verb, those that make no sense for it too.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// LogValue is what slog writes.
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText is what JSON and YAML write.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// MarshalBinary is what gob writes.
func (s Secret) MarshalBinary() ([]byte, error) { return []byte(hidden), nil }

package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
)

// Secret holds a string that must not be printed. Formatted, logged or encoded
// it gives the word [redacted]; a printer that walks private fields or misuses
// a verb, and so passes the methods by, finds only a pointer.
type Secret struct{ value *string }

const redacted = "[redacted]"

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

// Equal compares in a time that does not depend on what differs.
func (s Secret) Equal(other Secret) bool {
	a, b := sha256.Sum256([]byte(s.Reveal())), sha256.Sum256([]byte(other.Reveal()))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return redacted
}

// LogValue is what slog writes.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText is what JSON and YAML write.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/parley-dev/parley/internal/secret"
	"github.com/parley-dev/parley/protocol"
)

// An API key reads pk_<id>_<secret>. The file keeps the hash of the whole key,
// by its id. A plain SHA-256 is enough because the secret is random and long:
// there is nothing to try out.
const (
	keyPrefix    = "pk_"
	minKeySecret = 32
	hashPrefix   = "sha256:"
)

// KeyEntry is an API key as the auth file keeps it.
type KeyEntry struct {
	ID      string    `yaml:"id"`
	Hash    string    `yaml:"hash"`
	Name    string    `yaml:"name,omitempty"`
	User    string    `yaml:"user"`
	Role    Role      `yaml:"role"`
	Expires time.Time `yaml:"expires,omitempty"`
	Revoked bool      `yaml:"revoked,omitempty"`
}

// NewKey makes a key for the user of entry and fills in what is stored of it.
// The key itself is shown once and kept nowhere.
func NewKey(entry KeyEntry) (secret.Value, KeyEntry, error) {
	if !validUser(entry.User) {
		return secret.Value{}, KeyEntry{}, errors.New("an API key needs a user: a printable name of at most 255 bytes")
	}
	if entry.Role == RoleNone {
		entry.Role = RoleOwner
	}
	if entry.ID == "" {
		entry.ID = strings.ToLower(rand.Text())[:12]
	}
	if !validKeyID(entry.ID) {
		return secret.Value{}, KeyEntry{}, errors.New("the id of an API key has 1 to 32 of a–z, A–Z, 0–9 and -")
	}
	key := keyPrefix + entry.ID + "_" + strings.ToLower(rand.Text()+rand.Text())
	entry.Hash = hashKey(key)
	return secret.New(key), entry, nil
}

// YAML gives the entry as text to put under api_keys.
func (e KeyEntry) YAML() (string, error) {
	text, err := yaml.Marshal([]KeyEntry{e})
	return string(text), err
}

func hashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hashPrefix + hex.EncodeToString(sum[:])
}

func validHash(hash string) bool {
	digits, ok := strings.CutPrefix(hash, hashPrefix)
	sum, err := hex.DecodeString(digits)
	return ok && err == nil && len(sum) == sha256.Size && strings.ToLower(digits) == digits
}

func validKeyID(id string) bool {
	if id == "" || len(id) > 32 {
		return false
	}
	return !strings.ContainsFunc(id, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-')
	})
}

func isAPIKey(s secret.Value) bool { return strings.HasPrefix(s.Reveal(), keyPrefix) }

// apiKeys checks keys, by id.
type apiKeys map[string]KeyEntry

// identify compares hashes even for an id that is not there. What is wrong
// with a key is told only to those who have the whole of it.
func (k apiKeys) identify(key secret.Value, now time.Time) (Identity, error) {
	id, rest, _ := strings.Cut(strings.TrimPrefix(key.Reveal(), keyPrefix), "_")
	entry := k[id]
	same := subtle.ConstantTimeCompare([]byte(hashKey(key.Reveal())), []byte(entry.Hash)) == 1
	switch {
	case !same || !isAPIKey(key) || len(rest) < minKeySecret:
		return Identity{}, refused("there is no such API key")
	case entry.Revoked:
		return Identity{}, refused("the API key was revoked")
	case !entry.Expires.IsZero() && !now.Before(entry.Expires):
		return Identity{}, protocol.Errorf(protocol.CodeTokenExpired, "the API key has expired; ask for a new one")
	}
	return Identity{
		User: entry.User, Role: entry.Role, Method: MethodAPIKey,
		Credential: fmt.Sprintf("%s%s", keyPrefix, id), Expires: entry.Expires,
	}, nil
}

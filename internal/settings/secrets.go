package settings

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/parley-dev/parley/internal/secret"
	"github.com/parley-dev/parley/protocol"
)

// SecretsOptions say where secrets are.
type SecretsOptions struct {
	// Dir is their folder; it is made when the first one is stored.
	Dir string
	// Keyring is where the key of their file may be; nil if there is none.
	Keyring Keyring
	// PreferKeyring says whether new keys are put there, if it answers. They are
	// kept in a file beside the secrets otherwise, and if it is nil.
	PreferKeyring func() bool
	// Env reads the environment; os.LookupEnv if nil.
	Env func(string) (string, bool)
	// Logger is told when the stored secrets cannot be read.
	Logger *slog.Logger
}

// Secrets keeps secrets by name and gives them out. It can be used by many
// goroutines, and notices what other processes store.
type Secrets struct {
	options SecretsOptions

	mu     sync.Mutex
	seen   stamp // of the file, when values were read
	loaded bool
	values map[string]string
	failed error     // why they could not be read
	again  time.Time // when that is tried again

	redact atomic.Pointer[replacer]
}

const (
	maxSecret = 64 << 10
	// retryAfter is for keyrings that are unlocked later.
	retryAfter = 30 * time.Second
)

// OpenSecrets makes the store. It reads nothing yet: a desktop whose keyring
// does not answer costs nothing until a secret is asked for.
func OpenSecrets(o SecretsOptions) *Secrets {
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Secrets{options: o}
}

// VendorKeys are the variables under which model vendors expect their keys.
func VendorKeys() []string {
	return []string{
		"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "AZURE_OPENAI_API_KEY",
		"GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY", "MISTRAL_API_KEY", "GROQ_API_KEY",
		"DEEPSEEK_API_KEY", "XAI_API_KEY", "OLLAMA_API_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
	}
}

// Lookup gives a secret: for a vendor's key the environment goes first, then
// what is stored. Other variables of the environment are not secrets: a
// reference in a setting must not be able to read them.
func (s *Secrets) Lookup(name string) (secret.Value, bool) {
	if slices.Contains(VendorKeys(), name) {
		if v, ok := s.options.Env(name); ok && v != "" {
			return secret.New(v), true
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.load() != nil {
		return secret.Value{}, false
	}
	v, ok := s.values[name]
	return secret.New(v), ok
}

// Names lists what is stored, without values.
func (s *Secrets) Names() ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(s.values)), nil
}

// Set stores a secret, for good when it returns.
func (s *Secrets) Set(name string, value secret.Value) error {
	if err := checkSecret(name, value.Reveal()); err != nil {
		return protocol.Errorf(protocol.CodeInvalidMessage, "nothing was stored: %v", err)
	}
	return s.change(func(values map[string]string) error {
		values[name] = value.Reveal()
		return nil
	})
}

func checkSecret(name, v string) error {
	switch {
	case v == "":
		return errors.New("the secret is empty")
	case len(v) > maxSecret:
		return fmt.Errorf("the secret is %d bytes long; at most %d are kept", len(v), maxSecret)
	case !utf8.ValidString(v):
		return errors.New("the secret is not text; encode it, for example with base64")
	}
	return CheckName(name)
}

// ErrNoSecret says that there is no secret of that name.
var ErrNoSecret = errors.New("there is no such secret")

// Delete removes a secret for good, or gives ErrNoSecret.
func (s *Secrets) Delete(name string) error {
	return s.change(func(values map[string]string) error {
		if _, ok := values[name]; !ok {
			if CheckName(name) != nil { // then it may be a secret: it is not repeated
				return ErrNoSecret
			}
			return fmt.Errorf("%w: %s", ErrNoSecret, name)
		}
		delete(values, name)
		return nil
	})
}

// Where says in a word where the key of the stored secrets is: keyring, file,
// or nowhere while there is none.
func (s *Secrets) Where() (string, error) {
	p, err := readPlace(s.keyPath())
	return p.kind(), err
}

func (s *Secrets) filePath() string { return filepath.Join(s.options.Dir, "secrets.age") }
func (s *Secrets) keyPath() string  { return filepath.Join(s.options.Dir, "key") }

// load reads the file if it has changed. mu is held.
func (s *Secrets) load() error {
	if s.current(stampOf(s.filePath())) {
		return s.failed
	}
	return s.locked(func() error { return nil })
}

// current says whether what was read is what the file with this stamp says.
func (s *Secrets) current(now stamp) bool {
	return s.loaded && now.same(s.seen) && (s.failed == nil || time.Now().Before(s.again))
}

// took keeps what was read or written.
func (s *Secrets) took(values map[string]string, seen stamp, failed error) {
	s.values, s.seen, s.failed, s.loaded = values, seen, failed, true
	if failed != nil {
		s.again = time.Now().Add(retryAfter)
		s.options.Logger.Warn("the stored secrets cannot be read", "err", failed)
	}
	s.redact.Store(newReplacer(s.hiddenValues()))
}

// locked reads the file, and then does something, while no other process
// writes. mu is held.
func (s *Secrets) locked(do func() error) error {
	if _, err := os.Stat(s.options.Dir); err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("read secrets: %w", err)
		}
		s.took(map[string]string{}, stamp{}, nil)
		return do()
	}
	unlock, err := lockFolder(s.options.Dir)
	if err != nil {
		return fmt.Errorf("read secrets: %w", err)
	}
	defer unlock()
	if now := stampOf(s.filePath()); !s.current(now) {
		values, err := s.read()
		s.took(values, now, err)
	}
	if s.failed != nil {
		return s.failed
	}
	return do()
}

// change is the one way in which secrets are written.
func (s *Secrets) change(edit func(map[string]string) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := makeFolder(s.options.Dir); err != nil {
		return fmt.Errorf("store secrets: %w", err)
	}
	return s.locked(func() error {
		next := maps.Clone(s.values)
		if err := edit(next); err != nil {
			return err
		}
		keys, err := s.keys()
		if err != nil {
			return err
		}
		return s.write(next, keys)
	})
}

package settings

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/secret"
)

// memory is a keyring that can be locked.
type memory struct {
	mu      sync.Mutex
	entries map[string]string
	locked  bool
	calls   int
}

func (m *memory) do(f func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if m.locked {
		return errors.New("it is locked")
	}
	return f()
}

func (m *memory) Get(entry string) (text string, err error) {
	err = m.do(func() error {
		v, ok := m.entries[entry]
		if text = v; !ok {
			return errors.New("no such entry")
		}
		return nil
	})
	return text, err
}

func (m *memory) Set(entry, text string) error {
	return m.do(func() error { m.entries[entry] = text; return nil })
}

func (m *memory) Delete(entry string) error {
	return m.do(func() error { delete(m.entries, entry); return nil })
}

func secretsIn(dir string, k Keyring) *Secrets {
	return OpenSecrets(SecretsOptions{Dir: filepath.Join(dir, "secrets"), Keyring: k, PreferKeyring: func() bool { return k != nil }, Env: env(nil)})
}

const plain = "hunter2-hunter2"

func TestSecretsAreKept(t *testing.T) {
	for name, k := range map[string]Keyring{"file": nil, "keyring": &memory{entries: map[string]string{}}} {
		dir := t.TempDir()
		s := secretsIn(dir, k)
		if _, ok := s.Lookup("MY_TOKEN"); ok {
			t.Error("there is a secret")
		}
		if _, err := os.Stat(s.options.Dir); err == nil {
			t.Error("looking made a folder")
		}
		must(t, s.Set("MY_TOKEN", secret.New(plain)))
		must(t, s.Set("OTHER", secret.New("other-value")))
		again := secretsIn(dir, k)
		if v, ok := again.Lookup("MY_TOKEN"); !ok || v.Reveal() != plain {
			t.Errorf("%s: got %q", name, v.Reveal())
		}
		if where, err := again.Where(); err != nil || where != name {
			t.Errorf("the key is in %s (%v)", where, err)
		}
		must(t, s.Delete("OTHER"))
		if err := s.Delete("OTHER"); !errors.Is(err, ErrNoSecret) {
			t.Errorf("deleted twice: %v", err)
		}
		if names, err := again.Names(); err != nil || !slices.Equal(names, []string{"MY_TOKEN"}) { // another store notices
			t.Errorf("names %v (%v)", names, err)
		}
		must(t, s.Rotate())
		if v, _ := again.Lookup("MY_TOKEN"); v.Reveal() != plain {
			t.Errorf("%s: after a rotation got %q", name, v.Reveal())
		}
		for _, f := range []string{s.filePath(), s.keyPath()} {
			info, err := os.Stat(f)
			must(t, err)
			if text := read(t, f); info.Mode().Perm() != 0o600 || strings.Contains(text, plain) || strings.Contains(text, "MY_TOKEN") {
				t.Errorf("%s has mode %v or tells a secret", f, info.Mode())
			}
		}
		if k != nil && strings.Contains(read(t, s.keyPath()), "AGE-SECRET") {
			t.Error("the key is in the file too")
		}
	}
}

func TestRotationTakesAnotherKey(t *testing.T) {
	dir := t.TempDir()
	s := secretsIn(dir, nil)
	if err := s.Rotate(); err == nil {
		t.Error("nothing was rotated")
	}
	must(t, s.Set("MY_TOKEN", secret.New(plain)))
	oldKey, oldFile := read(t, s.keyPath()), read(t, s.filePath())
	must(t, s.Rotate())
	newKey := read(t, s.keyPath())
	if newKey == oldKey || strings.Count(newKey, "AGE-SECRET-KEY") != 1 || strings.Contains(newKey, strings.TrimSpace(oldKey)) {
		t.Error("the key is not another one, or the old one stayed")
	}
	keys, err := parseKeys(newKey)
	must(t, err)
	if _, err := unseal([]byte(oldFile), keys); err == nil {
		t.Error("the new key opens the old file")
	}
	// To the keyring and back.
	k := &memory{entries: map[string]string{}}
	wanted := true
	s.options.Keyring, s.options.PreferKeyring = k, func() bool { return wanted }
	must(t, s.Rotate())
	if where, _ := s.Where(); where != "keyring" || len(k.entries) != 1 {
		t.Errorf("in %s, %d entries", where, len(k.entries))
	}
	wanted = false
	must(t, s.Rotate())
	if v, ok := secretsIn(dir, nil).Lookup("MY_TOKEN"); !ok || v.Reveal() != plain || len(k.entries) != 0 {
		t.Errorf("got %v %v, %d entries", v, ok, len(k.entries))
	}
}

// Keys that cannot be had make an error, never an empty store or a lost file.
func TestSecretsThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	k := &memory{entries: map[string]string{}}
	s := secretsIn(dir, k)
	must(t, s.Set("MY_TOKEN", secret.New(plain)))
	file := read(t, s.filePath())
	k.locked = true
	refused := func(s *Secrets, says string) {
		t.Helper()
		_, err := s.Names()
		for _, err := range []error{err, s.Set("OTHER", secret.New(plain)), s.Delete("MY_TOKEN"), s.Rotate()} {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("want %q, got %v", says, err)
			}
		}
		if _, ok := s.Lookup("MY_TOKEN"); ok {
			t.Error("it could be read")
		}
		if read(t, s.filePath()) != file {
			t.Error("the file was written")
		}
	}
	refused(secretsIn(dir, k), "unlock it")
	refused(secretsIn(dir, nil), "this program has none")
	k.locked = false
	must(t, os.Rename(s.keyPath(), s.keyPath()+".away"))
	refused(secretsIn(dir, k), "their key is not")
	write(t, s.keyPath(), "garbage\n")
	refused(secretsIn(dir, k), "damaged")
	must(t, os.Rename(s.keyPath()+".away", s.keyPath()))
	if v, _ := secretsIn(dir, k).Lookup("MY_TOKEN"); v.Reveal() != plain {
		t.Error("it is lost")
	}
	file = file[:len(file)-3]
	write(t, s.filePath(), file)
	refused(secretsIn(dir, k), "damaged")
}

// A keyring that does not answer leads to the file, and to no second attempt
// that waits while the first one hangs.
func TestKeyringThatHangs(t *testing.T) {
	release := make(chan struct{})
	hanging := &patient{hang{release}, 20 * time.Millisecond, make(chan struct{}, 1)}
	s := secretsIn(t.TempDir(), hanging)
	must(t, s.Set("MY_TOKEN", secret.New(plain)))
	if where, _ := s.Where(); where != "file" {
		t.Errorf("the key is in %s", where)
	}
	if err := hanging.Delete("x"); !errors.Is(err, errNoAnswer) {
		t.Errorf("got %v", err)
	}
	close(release)
}

type hang struct{ release chan struct{} }

func (h hang) Get(string) (string, error) { <-h.release; return "", nil }
func (h hang) Set(string, string) error   { <-h.release; return nil }
func (h hang) Delete(string) error        { <-h.release; return nil }

func TestLookupOrder(t *testing.T) {
	dir := t.TempDir()
	s := secretsIn(dir, nil)
	must(t, s.Set("OPENAI_API_KEY", secret.New("of the store")))
	if v, _ := s.Lookup("OPENAI_API_KEY"); v.Reveal() != "of the store" {
		t.Errorf("got %q", v.Reveal())
	}
	s.options.Env = env(map[string]string{"OPENAI_API_KEY": "of the environment", "HOME": "/root", "ANTHROPIC_API_KEY": ""})
	if v, _ := s.Lookup("OPENAI_API_KEY"); v.Reveal() != "of the environment" {
		t.Errorf("got %q", v.Reveal())
	}
	for _, name := range []string{"HOME", "ANTHROPIC_API_KEY"} {
		if v, ok := s.Lookup(name); ok {
			t.Errorf("%s gave %q", name, v.Reveal())
		}
	}
}

func TestSecretsAreRefused(t *testing.T) {
	s := secretsIn(t.TempDir(), nil)
	for name, value := range map[string]string{"lower": plain, "": plain, "A B": plain, "../X": plain, "EMPTY": "", "LONG": strings.Repeat("x", maxSecret+1), "BINARY": "\xff\xfe"} {
		if err := s.Set(name, secret.New(value)); err == nil || strings.Contains(err.Error(), plain) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestReferences(t *testing.T) {
	lookup := func(name string) (secret.Value, bool) { return secret.New(plain), name == "A_TOKEN" }
	if got, err := Resolve("Bearer secret:A_TOKEN; x", lookup); err != nil || got.Reveal() != "Bearer "+plain+"; x" {
		t.Errorf("got %q (%v)", got.Reveal(), err)
	}
	if _, err := Resolve("secret:GONE", lookup); err == nil || !strings.Contains(err.Error(), "parley secrets set GONE") {
		t.Errorf("got %v", err)
	}
}

// What is no name may be the secret itself, typed in the wrong place.
func TestNamesAreNotRepeated(t *testing.T) {
	s := secretsIn(t.TempDir(), nil)
	for _, name := range []string{"sk-ant-hunter2", "hunter2", "HUNTER2-X", strings.Repeat("HUNTER2", 20)} {
		for _, err := range []error{CheckName(name), s.Set(name, secret.New(plain)), s.Delete(name)} {
			if err == nil || strings.Contains(strings.ToLower(err.Error()), "hunter2") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

package settings

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"filippo.io/age"
)

// place is where the keys of the secrets are: in the file named key, or in the
// keyring entry that this file names.
type place struct {
	path  string // of the file; empty while there is none
	entry string // in the keyring; empty: the file holds the keys
}

const inKeyring = "keyring:"

func (p place) kind() string {
	switch {
	case p.path == "":
		return "nowhere"
	case p.entry != "":
		return "keyring"
	}
	return "file"
}

func readPlace(path string) (place, error) {
	data, err := readFile(path)
	if err != nil {
		return place{}, fmt.Errorf("read the key of the secrets: %w", err)
	}
	if data == nil {
		return place{}, nil
	}
	entry, named := strings.CutPrefix(strings.TrimSpace(string(data)), inKeyring)
	if named && entry == "" {
		return place{}, fmt.Errorf("%s names no entry of the keyring; bring it back from a backup", path)
	}
	if !named {
		entry = ""
	}
	return place{path, entry}, nil
}

// load gives the keys.
func (p place) load(k Keyring) ([]*age.X25519Identity, error) {
	switch {
	case p.path == "":
		return nil, errors.New("the secrets are here but their key is not; bring the file secrets/key back from a backup, or move the folder secrets away and store the secrets anew")
	case p.entry == "":
		closeToOthers(p.path)
		data, err := readFile(p.path)
		if err != nil {
			return nil, fmt.Errorf("read the key of the secrets: %w", err)
		}
		return parseKeys(string(data))
	case k == nil:
		return nil, errors.New("the key of the secrets is in a keyring, and this program has none")
	}
	text, err := k.Get(p.entry)
	if err != nil {
		return nil, fmt.Errorf("the key of the secrets is in the keyring of this desktop, which does not give it: %w; unlock it and try again", err)
	}
	return parseKeys(text)
}

// newPlace chooses where keys are kept from now on: in the keyring, if it is
// wanted and answers.
func (s *Secrets) newPlace(old place) place {
	p := place{path: s.keyPath()}
	switch {
	case s.options.Keyring == nil || s.options.PreferKeyring == nil || !s.options.PreferKeyring():
		return p
	case old.entry != "":
		return old
	}
	if err := probe(s.options.Keyring); err != nil {
		s.options.Logger.Info("no keyring answers; the key of the secrets is kept in a file beside them", "path", p.path, "err", err)
		return p
	}
	p.entry = "secrets-" + strings.ToLower(rand.Text())
	return p
}

// probe finds out whether a keyring keeps what it is given.
func probe(k Keyring) error {
	const entry, text = "probe", "is anybody there?"
	if err := k.Set(entry, text); err != nil {
		return err
	}
	got, err := k.Get(entry)
	if err == nil && got != text {
		err = errors.New("it gave back something else than it was given")
	}
	return errors.Join(err, k.Delete(entry))
}

// saveKeys keeps the keys where they belong. The file is written last: until
// then the keys are where they were.
func (s *Secrets) saveKeys(ks keyset) error {
	text := formatKeys(ks.keys)
	if ks.place.entry != "" {
		if err := s.options.Keyring.Set(ks.place.entry, text); err != nil {
			return fmt.Errorf("store the key of the secrets in the keyring: %w", err)
		}
		text = inKeyring + ks.place.entry + "\n"
		if now, err := readPlace(ks.place.path); err == nil && now == ks.place {
			return nil
		}
	}
	if err := writeFile(ks.place.path, []byte(text)); err != nil {
		return fmt.Errorf("store the key of the secrets: %w", err)
	}
	return nil
}

// closeToOthers mends a key that others could read.
func closeToOthers(path string) {
	info, err := os.Stat(path)
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		_ = os.Chmod(path, 0o600)
	}
}

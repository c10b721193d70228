package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
)

// The file of secrets is encrypted to one key. A list of keys is kept: while a
// rotation is under way, and after one that a crash cut off, it holds the new
// key and the old one, so that the file can be read whichever it is.

// contents is the file in the clear.
type contents struct {
	Version int               `json:"version"`
	Secrets map[string]string `json:"secrets"`
}

// read opens the file. The folder's lock is held, so file and keys fit.
func (s *Secrets) read() (map[string]string, error) {
	sealed, err := readFile(s.filePath())
	if err != nil {
		return nil, fmt.Errorf("read secrets: %w", err)
	}
	if sealed == nil {
		return map[string]string{}, nil
	}
	p, err := readPlace(s.keyPath())
	if err != nil {
		return nil, err
	}
	keys, err := p.load(s.options.Keyring)
	if err != nil {
		return nil, err
	}
	return unseal(sealed, keys)
}

func unseal(sealed []byte, keys []*age.X25519Identity) (map[string]string, error) {
	identities := make([]age.Identity, len(keys))
	for i, k := range keys {
		identities[i] = k
	}
	var none *age.NoIdentityMatchError
	r, err := age.Decrypt(bytes.NewReader(sealed), identities...)
	if errors.As(err, &none) {
		return nil, errors.New("the secrets are encrypted with another key than the one that is here; bring the folder secrets back whole from where it was, or move it away and store the secrets anew")
	}
	var clear []byte
	if err == nil {
		clear, err = io.ReadAll(io.LimitReader(r, 64<<20))
	}
	c := contents{}
	if err != nil || json.Unmarshal(clear, &c) != nil || c.Secrets == nil {
		return nil, errors.New("the file of secrets is damaged; bring it back from a backup, or move the folder secrets away and store the secrets anew")
	}
	return c.Secrets, nil
}

func seal(values map[string]string, key *age.X25519Identity) ([]byte, error) {
	clear, err := json.Marshal(contents{Version: 1, Secrets: values})
	if err != nil {
		return nil, err
	}
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, key.Recipient())
	if err != nil {
		return nil, err
	}
	_, err = w.Write(clear)
	err = errors.Join(err, w.Close())
	return sealed.Bytes(), err
}

// keyset is the keys and where they are kept.
type keyset struct {
	place place
	keys  []*age.X25519Identity // the first one encrypts
}

// keys gives the keys to write with, and makes the first one.
func (s *Secrets) keys() (keyset, error) {
	p, err := readPlace(s.keyPath())
	if err != nil {
		return keyset{}, err
	}
	if p != (place{}) {
		keys, err := p.load(s.options.Keyring)
		return keyset{p, keys}, err
	}
	key, err := age.GenerateX25519Identity()
	if err != nil {
		return keyset{}, err
	}
	ks := keyset{s.newPlace(place{}), []*age.X25519Identity{key}}
	return ks, s.saveKeys(ks)
}

// write stores secrets under the first key, and then forgets the others: nothing
// is encrypted with them any more.
func (s *Secrets) write(values map[string]string, ks keyset) error {
	sealed, err := seal(values, ks.keys[0])
	if err == nil {
		err = writeFile(s.filePath(), sealed)
	}
	if err != nil {
		return fmt.Errorf("store secrets: %w", err)
	}
	s.took(values, stampOf(s.filePath()), nil)
	if len(ks.keys) > 1 {
		return s.saveKeys(keyset{ks.place, ks.keys[:1]})
	}
	return nil
}

// Rotate encrypts the secrets under a new key and forgets the old one; the new
// key is kept where PreferKeyring says. After a
// crash at any moment they can be read; a second call completes the first.
func (s *Secrets) Rotate() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.locked(func() error {
		if len(s.values) == 0 {
			return errors.New("there are no secrets yet, so there is nothing to rotate")
		}
		old, err := s.keys()
		if err != nil {
			return err
		}
		key, err := age.GenerateX25519Identity()
		if err != nil {
			return err
		}
		next := keyset{s.newPlace(old.place), append([]*age.X25519Identity{key}, old.keys...)}
		if err := s.saveKeys(next); err != nil {
			return err
		}
		if err := s.write(s.values, next); err != nil {
			return err
		}
		if old.place.entry != "" && old.place != next.place {
			return s.options.Keyring.Delete(old.place.entry)
		}
		return nil
	})
}

func parseKeys(text string) (keys []*age.X25519Identity, err error) {
	for _, line := range strings.Fields(text) {
		k, err := age.ParseX25519Identity(line)
		if err != nil {
			return nil, errors.New("the key of the secrets is damaged") // err might quote it
		}
		keys = append(keys, k)
	}
	if keys == nil {
		return nil, errors.New("the key of the secrets is missing")
	}
	return keys, nil
}

func formatKeys(keys []*age.X25519Identity) string {
	var b strings.Builder
	for _, k := range keys {
		b.WriteString(k.String() + "\n")
	}
	return b.String()
}

package auth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/parley-dev/parley/internal/secret"
)

const (
	tokenFile     = "token"
	minLocalToken = 32
)

// LocalToken gives the token of local mode from the data folder, and makes it
// at the first start. Commands on the same machine read it there too.
func LocalToken(dir string, log *slog.Logger) (secret.Value, error) {
	path := filepath.Join(dir, tokenFile)
	token, err := readLocalToken(path, log)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	if err := writeLocalToken(path, strings.ToLower(rand.Text()+rand.Text())); err != nil {
		return secret.Value{}, fmt.Errorf("write the local token: %w", err)
	}
	return readLocalToken(path, log)
}

func readLocalToken(path string, log *slog.Logger) (secret.Value, error) {
	info, err := os.Stat(path)
	if err != nil {
		return secret.Value{}, fmt.Errorf("read the local token: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		log.Warn("others could read the local token; its file is closed to them now. Delete the file and restart for a new token", "path", path)
		if err := os.Chmod(path, 0o600); err != nil {
			return secret.Value{}, fmt.Errorf("close the local token to others: %w", err)
		}
	}
	data, err := readBounded(path)
	if err != nil {
		return secret.Value{}, fmt.Errorf("read the local token: %w", err)
	}
	token := strings.TrimSpace(string(data))
	if len(token) < minLocalToken || len(token) > maxCredential || strings.ContainsFunc(token, notInToken) {
		return secret.Value{}, fmt.Errorf("%s does not hold a token of %d or more letters, digits, - and _; delete it and start again for a new one", path, minLocalToken)
	}
	return secret.New(token), nil
}

// notInToken: what would have to be escaped in a URL.
func notInToken(c rune) bool {
	return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_')
}

// writeLocalToken never leaves half a token behind.
func writeLocalToken(path, token string) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".token-*") // made 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.WriteString(token + "\n")
	if err == nil {
		err = tmp.Sync()
	}
	if err := errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// local recognises whoever has the token as the one user of this machine.
type local struct{ token secret.Value }

func (l local) identify(_ context.Context, c Credentials) (Identity, error) {
	for _, shown := range []secret.Value{c.Token, c.APIKey} {
		if !shown.IsZero() && !shown.Equal(l.token) {
			return Identity{}, refused("it is not this server's token; take the URL that parley printed at its start")
		}
	}
	return Identity{User: LocalUser, Role: RoleAdmin, Method: MethodLocal}, nil
}

package auth

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/parley-dev/parley/internal/secret"
)

// recheckAfter is how long a changed auth file may stay unnoticed.
const recheckAfter = time.Second

// accounts recognises callers by an auth file, and follows its changes.
type accounts struct {
	path string
	now  func() time.Time
	log  *slog.Logger

	mu      sync.Mutex
	file    *file
	seen    string // of the file in force, or of a later one that is not valid
	checked time.Time
}

func openAccounts(path string, now func() time.Time, log *slog.Logger) (*accounts, error) {
	a := &accounts{path: path, now: now, log: log, checked: now()}
	f, err := a.read()
	if err != nil {
		return nil, err
	}
	a.file, a.seen = f, f.seen(false)
	return a, nil
}

func (a *accounts) read() (*file, error) {
	f, err := readFile(a.path, a.now, a.log)
	if err != nil {
		return nil, err
	}
	for _, w := range f.warnings {
		a.log.Warn(w)
	}
	return f, nil
}

// current gives the file in force. One that changed for the worse is reported
// and the last valid one stays.
func (a *accounts) current() *file {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	if since := now.Sub(a.checked); since >= 0 && since < recheckAfter {
		return a.file
	}
	a.checked = now
	seen := a.file.seen(true)
	if seen == a.seen {
		return a.file
	}
	f, err := a.read()
	if err != nil {
		a.seen = seen
		a.log.Error("the changed auth file is not used; the one before stays in force", "error", err)
		return a.file
	}
	a.file, a.seen = f, f.seen(false)
	a.log.Info("the auth file was read again", "path", a.path)
	return a.file
}

func (a *accounts) identify(ctx context.Context, c Credentials) (Identity, error) {
	f := a.current()
	var id Identity
	var err error
	switch {
	case c.APIKey.IsZero():
		id, err = a.one(ctx, f, c.Token)
	case c.Token.IsZero():
		id, err = f.keys.identify(c.APIKey, a.now())
	default:
		id, err = a.both(ctx, f, c)
	}
	if err != nil {
		return Identity{}, err
	}
	id.Grants = f.grantsOf(id.User, id.Grants)
	return id, nil
}

// one looks at what came as a token: an API key is one as well.
func (a *accounts) one(ctx context.Context, f *file, token secret.Value) (Identity, error) {
	switch {
	case isAPIKey(token):
		return f.keys.identify(token, a.now())
	case f.tokens == nil:
		return Identity{}, refused("this server takes API keys only")
	}
	return f.tokens.identify(ctx, token)
}

// both takes a token with an API key beside it: the same user, and no more
// rights or time than the lesser of the two.
func (a *accounts) both(ctx context.Context, f *file, c Credentials) (Identity, error) {
	id, err := a.one(ctx, f, c.Token)
	if err != nil {
		return Identity{}, err
	}
	key, err := f.keys.identify(c.APIKey, a.now())
	if err != nil {
		return Identity{}, err
	}
	if key.User != id.User {
		return Identity{}, refused("the token and the API key are of different users")
	}
	id.Role, id.Credential = min(id.Role, key.Role), key.Credential
	if id.Expires.IsZero() || !key.Expires.IsZero() && key.Expires.Before(id.Expires) {
		id.Expires = key.Expires
	}
	return id, nil
}

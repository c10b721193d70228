package auth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/parley-dev/parley/internal/secret"
	"github.com/parley-dev/parley/protocol"
)

// The modes beside an auth file.
const (
	ModeLocal = "local"
	ModeNone  = "none"
)

// Config says how callers are recognised.
type Config struct {
	// Mode is ModeLocal, ModeNone or the path of an auth file.
	Mode string
	// DataDir keeps the token of local mode.
	DataDir string
	// Limits replace those of the mode or the file.
	Limits *Limits
	// Origins are allowed in addition to the file's, see CheckOrigin.
	Origins []string
	Now     func() time.Time // time.Now if nil
	Log     *slog.Logger     // slog.Default() if nil
}

// Authenticator recognises callers. Safe for concurrent use.
type Authenticator struct {
	mode     string
	token    secret.Value
	local    *local
	accounts *accounts
	origins  []string
	limits   Limits
	failures *keyed
}

// Open makes the authenticator, or says what is wrong with the configuration.
func Open(c Config) (*Authenticator, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	for _, o := range c.Origins {
		if err := CheckAllowed(o); err != nil {
			return nil, err
		}
	}
	a := &Authenticator{mode: c.Mode, origins: c.Origins, limits: LocalLimits()}
	switch c.Mode {
	case ModeNone:
	case ModeLocal:
		token, err := LocalToken(c.DataDir, c.Log)
		if err != nil {
			return nil, err
		}
		a.token, a.local = token, &local{token}
	case "":
		return nil, errors.New("the auth mode is empty; use local, none or the path of an auth file")
	default:
		accounts, err := openAccounts(c.Mode, c.Now, c.Log)
		if err != nil {
			return nil, err
		}
		a.accounts, a.limits = accounts, accounts.file.limits
	}
	if c.Limits != nil {
		a.limits = *c.Limits
	}
	a.failures = newKeyed("failed sign-ins from one address", a.limits.Failures, c.Now)
	return a, nil
}

// Authenticate says who is calling. Errors: 2001 nothing shown, 2002 not valid,
// 2003 expired, 1004 too many failures from this address, 1001 when the keys
// that tokens are checked with cannot be had.
func (a *Authenticator) Authenticate(ctx context.Context, c Credentials) (Identity, error) {
	from := c.remoteKey(a.proxies())
	if err := a.failures.peek(from); err != nil {
		return Identity{}, err
	}
	id, err := a.Renew(ctx, c)
	var e *protocol.Error
	if errors.As(err, &e) && e.Code == protocol.CodeAuthFailed {
		// One past the limit is refused above the next time.
		_ = a.failures.take(from)
	}
	return id, err
}

// Renew is Authenticate for a caller who is already in: doors call it now and
// then with the credentials of an open connection, so that a revoked key or a
// withdrawn grant takes effect. Others' failures do not count against it.
func (a *Authenticator) Renew(ctx context.Context, c Credentials) (Identity, error) {
	if a.mode == ModeNone {
		return Identity{User: LocalUser, Role: RoleAdmin, Method: MethodNone}, nil
	}
	if err := c.check(); err != nil {
		return Identity{}, err
	}
	if a.local != nil {
		return a.local.identify(ctx, c)
	}
	return a.accounts.identify(ctx, c)
}

// CheckRequest refuses requests that a page of another site made, see
// CheckOrigin, and where there are no accounts also those that came under a
// foreign name, see CheckHost. Every HTTP door asks it first.
func (a *Authenticator) CheckRequest(r *http.Request) error {
	allowed := a.origins
	if a.accounts != nil {
		allowed = append(allowed[:len(allowed):len(allowed)], a.accounts.current().origins...)
	} else if err := CheckHost(r, allowed); err != nil {
		return err
	}
	return CheckOrigin(r, allowed)
}

// Required says whether callers must show credentials.
func (a *Authenticator) Required() bool { return a.mode != ModeNone }

// Accounts says whether there is more than one user.
func (a *Authenticator) Accounts() bool { return a.accounts != nil }

// Limits are those in force since the start.
func (a *Authenticator) Limits() Limits { return a.limits }

// Token is the token of local mode, for the URL that is printed.
func (a *Authenticator) Token() secret.Value { return a.token }

func (a *Authenticator) proxies() []netip.Prefix {
	if a.accounts == nil {
		return nil
	}
	return a.accounts.current().proxies
}

// Package gateway is what stands between the doors and the engine: who calls,
// whether they may, how often, and which command goes where.
//
// A door (WebSocket, REST, …) does framing and nothing else. Every door gives
// its commands to the one dispatch table here, so that each rule holds behind
// all of them.
package gateway

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// Gateway lets callers reach sessions.
type Gateway struct {
	Engine  *engine.Engine
	Auth    *auth.Authenticator
	Limiter *auth.Limiter
	Logger  *slog.Logger
	// Workspace is the folder of sessions that name none.
	Workspace string
	// CheckModel says what is wrong with the name of a model; nil checks nothing.
	CheckModel func(ctx context.Context, name string) error
	// CheckMode says what is wrong with the name of a mode for an owner; nil
	// checks nothing.
	CheckMode func(owner, name string) error
	// Locate finds a visible message by its ts or index quickly; nil, or an error
	// that is not one of the protocol, has the journal read.
	Locate func(ctx context.Context, session string, ts *int64, index *int) (uint64, error)
	// Settings is what callers have set; nil if nothing can be.
	Settings Settings
	// Frames bounds what a client may send in one message.
	Frames protocol.Limits
}

// Settings changes what callers have set.
type Settings interface {
	Update(owner string, changes map[string]json.RawMessage, admin bool) error
	// CheckSession says what is wrong with settings for one session.
	CheckSession(owner string, changes map[string]json.RawMessage) error
}

// Caller is who asks, through which client.
type Caller struct {
	auth.Identity
	ClientID string
}

// Scope is whose message ids a caller's are: one client's of the user, else the
// user's. No user can take over another's client.
func (c Caller) scope() string {
	if c.ClientID == "" {
		return c.User
	}
	return c.User + "/" + c.ClientID
}

func (c Caller) actor() session.Actor { return session.Actor{User: c.User, ClientID: c.ClientID} }

// Authorize says whether the caller may do this to the session. A session that
// does not exist and one the caller may not see give the same error.
func (g *Gateway) Authorize(ctx context.Context, c Caller, action auth.Action, id string) error {
	if err := c.Check(time.Now()); err != nil {
		return err
	}
	owner, err := g.Engine.Owner(ctx, id)
	if err != nil {
		return g.hide(err, id)
	}
	return auth.Allow(c.Identity, action, owner, id)
}

// hide makes every way in which a session is not there look the same.
func (g *Gateway) hide(err error, id string) error {
	if protocol.AsError(err).Code == protocol.CodeSessionNotFound {
		return auth.SessionNotFound(id)
	}
	return err
}

// NewSessionID makes an id for a session whose creator chose none.
func NewSessionID() string {
	return protocol.SessionPrefix + uuid.Must(uuid.NewV7()).String()
}

// Create makes a session that belongs to the caller, and gives its id.
func (g *Gateway) Create(ctx context.Context, c Caller, id string, with protocol.SessionCreated, cause *protocol.Cause) (string, error) {
	if err := c.Check(time.Now()); err != nil {
		return "", err
	}
	if err := auth.Allow(c.Identity, auth.Create, "", ""); err != nil {
		return "", err
	}
	if id == "" {
		id = NewSessionID()
	} else if err := protocol.CheckSessionID(id); err != nil {
		return "", protocol.Errorf(protocol.CodeInvalidMessage, "%s", err)
	}
	with.Owner = c.User
	if err := g.placeWorkspace(c, &with); err != nil {
		return "", err
	}
	if err := g.checkModel(ctx, with.Model); err != nil {
		return "", err
	}
	if err := g.checkMode(c.User, with.Mode); err != nil {
		return "", err
	}
	if err := g.checkOwn(ctx, c.User, with.Settings); err != nil {
		return "", err
	}
	_, err := g.Engine.Create(ctx, id, with, c.actor(), cause)
	return id, err
}

// checkModel refuses a model that does not exist before a turn fails on it.
func (g *Gateway) checkModel(ctx context.Context, name string) error {
	if name == "" || g.CheckModel == nil {
		return nil
	}
	if err := g.CheckModel(ctx, name); err != nil {
		return protocol.Errorf(protocol.CodeInvalidMessage, "%s", err).With("field", "model")
	}
	return nil
}

// checkMode refuses a mode that does not exist.
func (g *Gateway) checkMode(owner, name string) error {
	if name == "" || g.CheckMode == nil {
		return nil
	}
	if err := g.CheckMode(owner, name); err != nil {
		return protocol.Errorf(protocol.CodeInvalidMessage, "%s", err).With("field", "mode")
	}
	return nil
}

// placeWorkspace says in which folder a session works. Where people have
// accounts, only an admin may choose one outside the server's own.
func (g *Gateway) placeWorkspace(c Caller, with *protocol.SessionCreated) error {
	if with.Workspace == "" {
		with.Workspace = g.Workspace
		return nil
	}
	if !filepath.IsAbs(with.Workspace) {
		return protocol.Errorf(protocol.CodeInvalidMessage, "workspace must be an absolute path, not %q", with.Workspace)
	}
	with.Workspace = filepath.Clean(with.Workspace)
	if info, err := os.Stat(with.Workspace); err != nil || !info.IsDir() {
		return protocol.Errorf(protocol.CodeInvalidMessage, "workspace %s is not a folder of the server's machine", with.Workspace).With("field", "workspace")
	}
	return g.mayWorkIn(c, with.Workspace)
}

// mayWorkIn says whether a caller's sessions may work in a folder.
func (g *Gateway) mayWorkIn(c Caller, folder string) error {
	if !g.Auth.Accounts() || c.Role == auth.RoleAdmin || folder == "" {
		return nil
	}
	inside, err := filepath.Rel(g.Workspace, folder)
	if err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
		return protocol.Errorf(protocol.CodeForbidden, "a session of yours may work in %s or a folder in it", g.Workspace)
	}
	return nil
}

// Attach joins a session for reading. With create, one that does not exist is
// made first.
func (g *Gateway) Attach(ctx context.Context, c Caller, id string, create bool, a engine.Attach) (*engine.Subscription, error) {
	err := g.Authorize(ctx, c, auth.Read, id)
	if create && err != nil && protocol.AsError(err).Code == protocol.CodeSessionNotFound {
		if _, cerr := g.Create(ctx, c, id, protocol.SessionCreated{}, nil); cerr != nil {
			if protocol.AsError(cerr).Code != protocol.CodeSessionInvalidState {
				return nil, cerr
			}
		}
		err = g.Authorize(ctx, c, auth.Read, id)
	}
	if err != nil {
		return nil, err
	}
	if c.ClientID != "" {
		a.ClientID = c.scope()
	}
	return g.Engine.Attach(ctx, id, a)
}

// Delete removes a session for good.
func (g *Gateway) Delete(ctx context.Context, c Caller, id string) error {
	if err := g.Authorize(ctx, c, auth.Delete, id); err != nil {
		return err
	}
	return g.Engine.Delete(ctx, id)
}

package auth

import (
	"maps"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/parley-dev/parley/protocol"
)

// Method is how a caller proved who they are.
type Method string

const (
	MethodLocal  Method = "local"
	MethodNone   Method = "none"
	MethodJWT    Method = "jwt"
	MethodAPIKey Method = "api_key"
)

// LocalUser is who calls in the modes without accounts.
const LocalUser = "local"

// Identity is a caller who has been recognised.
type Identity struct {
	User string
	// Role is the most this caller can be in any session. Admin is so
	// everywhere; others are owner of their own sessions and in the rest what
	// Grants say, but never more than Role.
	Role   Role
	Method Method
	// Credential names the API key that was used, for the log.
	Credential string
	// Expires is the moment from which this identity is not accepted any
	// more; zero means never.
	Expires time.Time
	Grants  Grants
}

// Check refuses an identity whose time is over. Doors ask it again for as long
// as a connection lasts.
func (id Identity) Check(now time.Time) error {
	if id.Expires.IsZero() || now.Before(id.Expires) {
		return nil
	}
	return protocol.Errorf(protocol.CodeTokenExpired, "the token or API key has expired; get a new one and connect again")
}

// RoleIn is what the caller is in one session.
func (id Identity) RoleIn(owner, sessionID string) Role {
	if id.Role == RoleAdmin {
		return RoleAdmin
	}
	role := max(id.Grants.Sessions[sessionID], id.Grants.Owners[owner])
	if id.User != "" && id.User == owner {
		role = RoleOwner
	}
	return min(role, id.Role)
}

// Scope says which sessions a caller can see, in the form a query needs.
type Scope struct {
	All      bool
	Owners   []string
	Sessions []string
}

// Scope gives the sessions for which RoleIn is at least viewer.
func (id Identity) Scope() Scope {
	switch {
	case id.Role == RoleAdmin:
		return Scope{All: true}
	case id.Role == RoleNone:
		return Scope{}
	}
	owners := maps.Clone(id.Grants.Owners)
	if owners == nil {
		owners = map[string]Role{}
	}
	if id.User != "" {
		owners[id.User] = RoleOwner
	}
	return Scope{
		Owners:   slices.Sorted(maps.Keys(owners)),
		Sessions: slices.Sorted(maps.Keys(id.Grants.Sessions)),
	}
}

// Grants are roles in sessions of others.
type Grants struct {
	Sessions map[string]Role // by session id
	Owners   map[string]Role // by the owner of the session
}

// Grant is one entry of Grants as it is written down. Exactly one of Session
// and Owner is set.
type Grant struct {
	Session, Owner string
	Role           Role
}

// add returns the grants with one more; of two for the same session the higher
// holds. Grants are shared between identities, so the maps are copied.
func (g Grants) add(more ...Grant) Grants {
	out := Grants{Sessions: maps.Clone(g.Sessions), Owners: maps.Clone(g.Owners)}
	for _, grant := range more {
		to, key := &out.Sessions, grant.Session
		if grant.Session == "" {
			to, key = &out.Owners, grant.Owner
		}
		if *to == nil {
			*to = map[string]Role{}
		}
		(*to)[key] = max((*to)[key], grant.Role)
	}
	return out
}

const maxUser = 255

// validUser refuses names that could not be told apart in a log or a list.
func validUser(name string) bool {
	if name == "" || len(name) > maxUser || !utf8.ValidString(name) {
		return false
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

package auth

import "fmt"

// Role is what a caller is. Roles are ordered: each may do all that the one
// before it may.
type Role int

const (
	RoleNone   Role = iota
	RoleViewer      // sees
	RoleEditor      // also writes and answers
	RoleOwner       // also deletes; as an account's role: also creates sessions
	RoleAdmin       // all of this in every session, and the server's own settings
)

// Roles lists every role from the least to the most.
func Roles() []Role { return []Role{RoleNone, RoleViewer, RoleEditor, RoleOwner, RoleAdmin} }

func (r Role) String() string {
	names := [...]string{"none", "viewer", "editor", "owner", "admin"}
	if r < 0 || int(r) >= len(names) {
		return fmt.Sprintf("role(%d)", int(r))
	}
	return names[r]
}

// ParseRole reads the word for a role.
func ParseRole(word string) (Role, bool) {
	for _, r := range Roles() {
		if r.String() == word {
			return r, true
		}
	}
	return RoleNone, false
}

// MarshalText gives the role's word.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

package auth

import "github.com/parley-dev/parley/protocol"

// Action is something a caller wants to do.
type Action string

const (
	List   Action = "list"   // see the list of sessions, search: each as far as Scope goes
	Create Action = "create" // make or import a session
	Read   Action = "read"   // state, history, stream, export, files and checkpoints of a session
	Write  Action = "write"  // user_message, control, condense, plan and queue edits, update_session
	Answer Action = "answer" // answer a request
	Rewind Action = "rewind" // rewind, undo, edit or delete a message, restore a checkpoint, reset
	Fork   Action = "fork"   // make a session of one's own from this one
	Delete Action = "delete" // delete a session
	Admin  Action = "admin"  // metrics, settings and secrets of the server
)

// Rule says what an action asks of a caller. RoleNone asks nothing.
type Rule struct {
	Action  Action
	Account Role // least role of the account
	Session Role // least role in the session
}

// Rules is the whole policy.
//
// An editor may rewind because a rewind is always undoable, and an editor can
// have the agent change the same files anyway. To fork takes an editor, not a
// viewer, because the fork works in the same workspace.
func Rules() []Rule {
	return []Rule{
		{Action: List, Account: RoleViewer},
		{Action: Create, Account: RoleOwner},
		{Action: Read, Session: RoleViewer},
		{Action: Write, Session: RoleEditor},
		{Action: Answer, Session: RoleEditor},
		{Action: Rewind, Session: RoleEditor},
		{Action: Fork, Account: RoleOwner, Session: RoleEditor},
		{Action: Delete, Session: RoleOwner},
		{Action: Admin, Account: RoleAdmin},
	}
}

// Allow says whether the caller may do this to the session with this id and
// owner; actions that are not about a session ignore both. A session that the
// caller may not even see gives exactly SessionNotFound, so that ids cannot be
// probed.
func Allow(id Identity, action Action, owner, sessionID string) error {
	for _, rule := range Rules() {
		if rule.Action == action {
			return rule.check(id, owner, sessionID)
		}
	}
	return protocol.Errorf(protocol.CodeForbidden, "nobody may %q: there is no such action", string(action))
}

func (r Rule) check(id Identity, owner, sessionID string) error {
	if r.Session != RoleNone {
		role := id.RoleIn(owner, sessionID)
		if role == RoleNone {
			return SessionNotFound(sessionID)
		}
		if role < r.Session {
			return protocol.Errorf(protocol.CodeForbidden,
				"you are %s of this session and cannot %s; that takes the role %s", role, r.Action, r.Session).
				With("action", string(r.Action)).With("role", role.String())
		}
	}
	if id.Role < r.Account {
		return protocol.Errorf(protocol.CodeForbidden,
			"your account has the role %s and cannot %s; that takes the role %s", id.Role, r.Action, r.Account).
			With("action", string(r.Action)).With("role", id.Role.String())
	}
	return nil
}

// SessionNotFound is the answer for a session that does not exist. Doors use
// it for those, so that it cannot be told from a session the caller may not see.
func SessionNotFound(sessionID string) error {
	return protocol.Errorf(protocol.CodeSessionNotFound, "there is no session %q", sessionID)
}

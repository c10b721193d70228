package auth

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// outcome is a cell of the table in the documents: yes, 2004 or 3001.
func outcome(err error) string {
	var e *protocol.Error
	switch {
	case err == nil:
		return "yes"
	case errors.As(err, &e) && e.Code == protocol.CodeForbidden:
		return "2004"
	case errors.As(err, &e) && e.Code == protocol.CodeSessionNotFound:
		return "3001"
	}
	return err.Error()
}

// docTable reads the rows of the Markdown table whose head begins so.
func docTable(t *testing.T, head string) [][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/auth.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(text), "| "+head+" |")
	if !ok {
		t.Fatalf("docs/auth.md has no table that begins with %q", head)
	}
	var rows [][]string
	for _, line := range strings.Split(after, "\n")[2:] {
		if !strings.HasPrefix(line, "|") {
			break
		}
		var row []string
		for _, cell := range strings.Split(strings.Trim(line, "|"), "|") {
			row = append(row, strings.Trim(cell, " `"))
		}
		rows = append(rows, row)
	}
	return rows
}

// The documents' table has a column for each way to stand to a session; each
// cell is what Allow must say.
func TestAllowIsTheDocumentedTable(t *testing.T) {
	grant := func(r Role) Identity {
		return Identity{User: "bob", Role: RoleOwner, Grants: Grants{}.add(Grant{Session: "s", Role: r})}
	}
	columns := []Identity{
		{User: "bob", Role: RoleOwner},                     // a stranger to the session
		grant(RoleViewer),                                  // granted viewer
		grant(RoleEditor),                                  // granted editor
		grant(RoleOwner),                                   // granted owner
		{User: "alice", Role: RoleOwner},                   // the session's owner
		{User: "carol", Role: RoleAdmin},                   // an admin
		{User: "alice", Role: RoleViewer},                  // the owner with a viewer's credential
		{User: "alice", Role: RoleEditor},                  // the owner with an editor's credential
		{User: "alice", Role: RoleNone, Method: MethodJWT}, // an account that is nothing here
	}
	rows := docTable(t, "action")
	var actions []Action
	for _, row := range rows {
		action := Action(row[0])
		actions = append(actions, action)
		if len(row) != len(columns)+1 {
			t.Fatalf("row %q has %d cells, want %d", action, len(row), len(columns)+1)
		}
		for i, id := range columns {
			if got := outcome(Allow(id, action, "alice", "s")); got != row[i+1] {
				t.Errorf("%s, column %d (%s %s): code says %s, docs/auth.md says %s", action, i+1, id.User, id.Role, got, row[i+1])
			}
		}
	}
	var ruled []Action
	for _, r := range Rules() {
		ruled = append(ruled, r.Action)
	}
	if !reflect.DeepEqual(actions, ruled) {
		t.Errorf("docs/auth.md lists %v, the code %v", actions, ruled)
	}
}

// Every role of the account against every role in the session.
func TestRoleIn(t *testing.T) {
	for _, account := range Roles() {
		for _, granted := range Roles() {
			for _, how := range []Grant{{Session: "s", Role: granted}, {Owner: "alice", Role: granted}} {
				id := Identity{User: "bob", Role: account, Grants: Grants{}.add(how)}
				want := min(account, granted)
				if account == RoleAdmin {
					want = RoleAdmin
				}
				if got := id.RoleIn("alice", "s"); got != want {
					t.Errorf("account %s, grant %+v: got %s, want %s", account, how, got, want)
				}
				other := min(account, RoleNone)
				if account == RoleAdmin {
					other = RoleAdmin
				}
				if got := id.RoleIn("dave", "other"); got != other {
					t.Errorf("account %s, grant %+v reaches a session it does not name: %s", account, how, got)
				}
			}
		}
	}
}

func TestNobodyOwnsSessionsWithoutOwner(t *testing.T) {
	if got := (Identity{User: "", Role: RoleOwner}).RoleIn("", "s"); got != RoleNone {
		t.Fatalf("got %s", got)
	}
}

func TestHiddenLooksLikeAbsent(t *testing.T) {
	id := Identity{User: "bob", Role: RoleOwner}
	for _, r := range Rules() {
		if r.Session == RoleNone {
			continue
		}
		hidden := Allow(id, r.Action, "alice", "sess_1")
		if !reflect.DeepEqual(hidden, SessionNotFound("sess_1")) {
			t.Errorf("%s: %v can be told from %v", r.Action, hidden, SessionNotFound("sess_1"))
		}
	}
}

func TestUnknownActionIsRefused(t *testing.T) {
	wantCode(t, Allow(Identity{User: "x", Role: RoleAdmin}, "fly", "", ""), protocol.CodeForbidden)
}

func TestScopeAgreesWithRoleIn(t *testing.T) {
	grants := Grants{}.add(Grant{Session: "s2", Role: RoleViewer}, Grant{Owner: "carol", Role: RoleEditor})
	for _, account := range Roles() {
		id := Identity{User: "bob", Role: account, Grants: grants}
		scope := id.Scope()
		in := func(list []string, s string) bool {
			for _, v := range list {
				if v == s {
					return true
				}
			}
			return false
		}
		for _, owner := range []string{"", "bob", "carol", "alice"} {
			for _, session := range []string{"s1", "s2"} {
				listed := scope.All || in(scope.Owners, owner) || in(scope.Sessions, session)
				if seen := id.RoleIn(owner, session) >= RoleViewer; seen != listed {
					t.Errorf("account %s, session %s of %q: RoleIn sees it: %v, Scope lists it: %v", account, session, owner, seen, listed)
				}
			}
		}
	}
}

func TestGrantsAreNotShared(t *testing.T) {
	base := Grants{}.add(Grant{Session: "s", Role: RoleViewer})
	more := base.add(Grant{Session: "s", Role: RoleOwner}, Grant{Session: "t", Role: RoleViewer})
	if base.Sessions["s"] != RoleViewer || len(base.Sessions) != 1 {
		t.Fatalf("adding to a copy changed the original: %v", base)
	}
	if lower := more.add(Grant{Session: "s", Role: RoleViewer}); lower.Sessions["s"] != RoleOwner {
		t.Fatal("of two grants the higher holds")
	}
}

func TestIdentityCheckAtTheBoundary(t *testing.T) {
	c := newClock()
	id := Identity{User: "a", Expires: c.Now()}
	wantCode(t, id.Check(c.Now()), protocol.CodeTokenExpired)
	if err := id.Check(c.Now().Add(-time.Nanosecond)); err != nil {
		t.Fatal(err)
	}
	if err := (Identity{}).Check(c.Now()); err != nil {
		t.Fatal("without an expiry it never ends")
	}
}

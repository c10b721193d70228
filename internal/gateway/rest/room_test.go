package rest_test

import (
	"context"
	"testing"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/gateway/rest"
	"github.com/parley-dev/parley/protocol"
)

// Room is made for admins only.
func TestCleanIsForAdmins(t *testing.T) {
	path, keys := accounts(t, "", map[string]auth.Role{"alice": auth.RoleOwner, "root": auth.RoleAdmin})
	var asked []rest.Cleaning
	h := build(t, plan{auth: auth.Config{Mode: path}, door: rest.Options{Clean: func(_ context.Context, how rest.Cleaning) ([]rest.FolderRoom, error) {
		asked = append(asked, how)
		return nil, nil
	}}})
	as := func(user string) []string { return []string{"Authorization", "Bearer " + keys[user]} }
	h.post("/checkpoints/gc", `{}`, as("alice")...).problem(403, protocol.CodeForbidden)
	h.post("/checkpoints/gc", `{"older_than_days":3,"now":true,"dry_run":true}`, as("root")...).is(200)
	h.post("/checkpoints/gc", `{"older_than_days":-3}`, as("root")...).problem(400, protocol.CodeInvalidMessage)
	if len(asked) != 1 || asked[0] != (rest.Cleaning{OlderThanDays: 3, Now: true, DryRun: true}) {
		t.Errorf("asked for %+v", asked)
	}
}

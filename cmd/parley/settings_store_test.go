package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parley-dev/parley"
	"github.com/parley-dev/parley/client"
	"github.com/parley-dev/parley/internal/auth"
)

// An account resets what is its own; for an admin that is the server's, too.
func TestResetOfAccounts(t *testing.T) {
	dir := t.TempDir()
	file := "api_keys:\n"
	keys := map[string]string{}
	for user, role := range map[string]auth.Role{"ann": auth.RoleOwner, "root": auth.RoleAdmin} {
		key, entry, err := auth.NewKey(auth.KeyEntry{User: user, Role: role})
		if err != nil {
			t.Fatal(err)
		}
		keys[user] = key.Reveal()
		file += fmt.Sprintf("  - {id: %q, hash: %q, user: %q, role: %q}\n", entry.ID, entry.Hash, user, role)
	}
	path := filepath.Join(dir, "auth.yaml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	server, err := parley.New(parley.Options{Data: filepath.Join(dir, "data"), Model: "offline", Auth: path})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	web := httptest.NewServer(server.Handler())
	defer web.Close()
	as := func(user string) remoteSettings {
		c, err := client.New(client.Options{URL: web.URL, Token: keys[user]})
		if err != nil {
			t.Fatal(err)
		}
		return remoteSettings{c}
	}
	for user, changes := range map[string]string{"ann": `{"language":"ko"}`, "root": `{"language":"en","retention_days":9}`} {
		var all map[string]json.RawMessage
		if err := json.Unmarshal([]byte(changes), &all); err != nil {
			t.Fatal(err)
		}
		if err := as(user).change(t.Context(), all); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		user string
		want []string
	}{{"ann", []string{"language"}}, {"ann", nil}, {"root", []string{"language", "retention_days"}}, {"root", nil}} {
		done, err := as(step.user).reset(t.Context())
		if err != nil || !slices.Equal(done.Keys, step.want) || done.Moved != nil {
			t.Errorf("%s reset %+v, %v; want %v", step.user, done, err, step.want)
		}
	}
}

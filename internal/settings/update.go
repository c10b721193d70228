package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/parley-dev/parley/protocol"
)

// Update changes stored settings: those of the owner, or, for an admin, those of
// the server; null removes one. All are checked before any is changed, and they
// become durable together, so one call cannot hold both kinds.
func (s *Store) Update(owner string, changes map[string]json.RawMessage, admin bool) error {
	return s.update(owner, changes, admin, false)
}

// Check says what Update would refuse, and changes nothing.
func (s *Store) Check(owner string, changes map[string]json.RawMessage, admin bool) error {
	return s.update(owner, changes, admin, true)
}

func (s *Store) update(owner string, changes map[string]json.RawMessage, admin, only bool) error {
	to, err := s.target(owner, changes, admin)
	if err != nil {
		return err
	}
	return s.write(to, func(d *document) (*document, error) {
		if d.broken != nil {
			return nil, protocol.Errorf(protocol.CodeExecutionFailed, "nothing was changed: %s", d.broken)
		}
		next := d.with(changes)
		if err := s.check(owner, to, d, changes, admin); err != nil || only || len(d.changed(next)) == 0 {
			return nil, err
		}
		return next, nil
	})
}

// target says whose document changes are for.
func (s *Store) target(owner string, changes map[string]json.RawMessage, admin bool) (string, error) {
	var mine, servers []string
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		if k, ok := s.table.byName[name]; ok && k.Scope == ScopeServer {
			servers = append(servers, name)
		} else {
			mine = append(mine, name)
		}
	}
	switch {
	case len(servers) > 0 && !admin:
		return "", protocol.Errorf(protocol.CodeForbidden, "%s: only an admin can change settings of the server", strings.Join(servers, ", ")).With("field", "settings."+servers[0])
	case len(servers) > 0 && len(mine) > 0:
		return "", protocol.Errorf(protocol.CodeInvalidMessage, "%s belong to the server and %s to you: change them in two calls",
			strings.Join(servers, ", "), strings.Join(mine, ", "))
	case len(servers) > 0:
		return server, nil
	case owner == server:
		return "", errors.New("settings: an owner must have a name")
	}
	return owner, nil
}

// check refuses changes with everything that is wrong with them.
func (s *Store) check(owner, to string, d *document, changes map[string]json.RawMessage, admin bool) error {
	var wrong []string
	first := ""
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		if err := s.checkOne(d, name, changes[name]); err != nil {
			wrong = append(wrong, err.Error())
			if first == "" {
				first = name
			}
		}
	}
	if wrong != nil {
		return protocol.Errorf(protocol.CodeInvalidMessage, "nothing was changed: %s", strings.Join(wrong, "; ")).With("field", "settings."+first)
	}
	if to == server {
		return nil
	}
	return s.checkTogether(owner, d.with(changes), changes, admin)
}

func (s *Store) checkOne(d *document, name string, raw json.RawMessage) error {
	k, ok := s.table.byName[name]
	if isNull(raw) {
		if _, stored := d.raw[name]; !ok && !stored {
			return unknownKey(name)
		}
		return nil
	}
	if !ok {
		return unknownKey(name)
	}
	if err := s.table.accept(k, raw); err != nil {
		return fmt.Errorf("%s %w", name, err)
	}
	return nil
}

// CheckSession says what is wrong with changes of what holds in one session of
// an owner alone; null removes one. Whoever keeps the session stores them.
func (s *Store) CheckSession(owner string, changes map[string]json.RawMessage) error {
	var wrong []string
	first := ""
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		k, ok := s.table.byName[name]
		err := unknownKey(name)
		if ok {
			if err = Session.holds(k); err == nil && !isNull(changes[name]) {
				err = s.table.accept(k, changes[name])
			}
			if err != nil {
				err = fmt.Errorf("%s %w", name, err)
			}
		}
		if err == nil {
			continue
		}
		if wrong = append(wrong, err.Error()); first == "" {
			first = name
		}
	}
	if active := changes["active_profile"]; wrong == nil && !isNull(active) {
		own := map[string]json.RawMessage{"active_profile": active}
		if e := s.Effective(owner, own); len(e.problems) > 0 && e.Values.ActiveProfile == "" {
			wrong, first = []string{"active_profile: " + e.problems[len(e.problems)-1].Text}, "active_profile"
		}
	}
	if wrong == nil {
		return nil
	}
	return protocol.Errorf(protocol.CodeInvalidMessage, "nothing was changed: %s", strings.Join(wrong, "; ")).With("field", "settings."+first)
}

// checkTogether looks at what the changes would make of the whole.
func (s *Store) checkTogether(owner string, next *document, changes map[string]json.RawMessage, admin bool) error {
	s.mu.Lock()
	now := s.current(owner) // without telling news: a subscriber may want to write
	layers := s.layers(owner)
	s.mu.Unlock()
	layers[len(layers)-1] = s.table.newSource(Owner, next.entries())
	then := s.table.fold(layers...)
	_, profiles := changes["profiles"]
	_, active := changes["active_profile"]
	if len(then.problems) > 0 && (profiles || active) {
		return protocol.Errorf(protocol.CodeInvalidMessage, "nothing was changed: active_profile: %s", then.problems[0].Text).With("field", "settings.active_profile")
	}
	if admin {
		return nil
	}
	return checkReach(now.Values.MCPServers, then.Values.MCPServers)
}

// checkReach keeps accounts that are not admins from running programs on the
// server's machine, and from sending its secrets to a place of their own. Entries
// that hold already may stay.
func checkReach(now, then map[string]MCPServer) error {
	for _, name := range slices.Sorted(maps.Keys(then)) {
		m := then[name]
		if old, ok := now[name]; ok && reflect.DeepEqual(old, m) {
			continue
		}
		refers := false
		for _, v := range m.Headers {
			refers = refers || len(references(v)) > 0
		}
		if m.Command != "" || refers {
			return protocol.Errorf(protocol.CodeForbidden,
				"nothing was changed: mcp_servers: %s runs a program of the server or uses its secrets; only an admin can set that", name).With("field", "settings.mcp_servers")
		}
	}
	return nil
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley"
	"github.com/parley-dev/parley/client"
	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/settings"
	"github.com/parley-dev/parley/protocol"
)

// settingsStore is the settings of whoever runs the command.
type settingsStore interface {
	all(ctx context.Context) (allSettings, error)
	// change sets all of it or nothing; null forgets a setting.
	change(ctx context.Context, changes map[string]json.RawMessage) error
	// stores says whether a value was set here.
	stores(s setting) bool
	// reset forgets all that was set here.
	reset(ctx context.Context) (cleared, error)
}

// cleared is what a reset has removed: the names of settings, also of what could
// not be used, and where files are now that could not be read.
type cleared struct {
	Keys  []string `json:"keys"`
	Moved []string `json:"moved,omitempty"`
}

// and adds what was removed elsewhere.
func (c cleared) and(keys []string, moved string) cleared {
	c.Keys = append(c.Keys, keys...)
	slices.Sort(c.Keys)
	if moved != "" {
		c.Moved = append(c.Moved, moved)
	}
	return c
}

// allSettings is the answer of GET /settings, as far as it is shown.
type allSettings struct {
	Items    []setting          `json:"items"`
	Problems []settings.Problem `json:"problems"`
}

type setting struct {
	Key    string          `json:"key"`
	Value  json.RawMessage `json:"value"`
	Layer  string          `json:"layer"`
	Masked bool            `json:"masked,omitempty"`
}

// stored says whether the value was set for the account or the server.
func (s setting) stored() bool {
	return s.Layer == settings.Owner.String() || s.Layer == settings.Server.String()
}

// inParts changes settings of both kinds, after all were checked.
func inParts(changes map[string]json.RawMessage, update func(part map[string]json.RawMessage, check bool) error) error {
	for _, check := range []bool{true, false} {
		for _, part := range (settings.Exported{Settings: changes}).Parts() {
			if err := update(part, check); err != nil {
				return err
			}
		}
	}
	return nil
}

// sessionSettings are those of one session.
type sessionSettings struct {
	c  *client.Client
	id string
}

func (s sessionSettings) all(ctx context.Context) (a allSettings, err error) {
	return a, s.c.Call(ctx, http.MethodGet, "/api/v1/settings?session="+url.QueryEscape(s.id), nil, &a)
}

func (s sessionSettings) change(ctx context.Context, changes map[string]json.RawMessage) error {
	if len(changes) == 0 {
		return nil
	}
	_, err := s.c.UpdateSession(ctx, s.id, protocol.UpdateSession{Settings: changes})
	return err
}

func (s sessionSettings) reset(ctx context.Context) (cleared, error) {
	all, err := s.all(ctx)
	changes := map[string]json.RawMessage{}
	for _, i := range all.Items {
		if s.stores(i) {
			changes[i.Key] = json.RawMessage("null")
		}
	}
	if err == nil {
		err = s.change(ctx, changes)
	}
	return cleared{}.and(slices.Collect(maps.Keys(changes)), ""), err
}

func (s sessionSettings) stores(i setting) bool { return i.Layer == settings.Session.String() }

// remoteSettings are those of a running server.
type remoteSettings struct{ c *client.Client }

func (r remoteSettings) stores(i setting) bool { return i.stored() }

func (r remoteSettings) all(ctx context.Context) (a allSettings, err error) {
	return a, r.c.Call(ctx, http.MethodGet, "/api/v1/settings", nil, &a)
}

func (r remoteSettings) change(ctx context.Context, changes map[string]json.RawMessage) error {
	return inParts(changes, func(part map[string]json.RawMessage, check bool) error {
		path := "/api/v1/settings"
		if check {
			path += "?check=true"
		}
		return r.c.Call(ctx, http.MethodPatch, path, map[string]any{"settings": part}, nil)
	})
}

// reset forgets the caller's settings, and for an admin those of the server.
func (r remoteSettings) reset(ctx context.Context) (done cleared, err error) {
	for i, path := range []string{"/api/v1/settings", "/api/v1/settings?server=true"} {
		var part struct {
			Keys  []string `json:"keys"`
			Moved string   `json:"moved"`
		}
		err := r.c.Call(ctx, http.MethodDelete, path, nil, &part)
		var refused *protocol.Error
		if i > 0 && errors.As(err, &refused) && refused.Code == protocol.CodeForbidden {
			return done, nil
		}
		if err != nil {
			return done, err
		}
		done = done.and(part.Keys, part.Moved)
	}
	return done, nil
}

// localSettings are those of the data folder, while nobody serves it.
type localSettings struct {
	s      *settings.Store
	redact func(string) string
}

func (l localSettings) all(context.Context) (a allSettings, err error) {
	for _, i := range l.s.Effective(auth.LocalUser, nil).Items() {
		i = i.Redact(l.redact)
		a.Items = append(a.Items, setting{Key: i.Key, Value: i.Value, Layer: i.Layer.String(), Masked: i.Masked})
	}
	for _, p := range l.s.Problems(auth.LocalUser, true) {
		p.Key, p.Text = l.redact(p.Key), l.redact(p.Text)
		a.Problems = append(a.Problems, p)
	}
	return a, nil
}

func (l localSettings) reset(context.Context) (done cleared, err error) {
	for _, owner := range []string{auth.LocalUser, ""} {
		part, err := l.s.Reset(owner)
		if err != nil {
			return done, err
		}
		done = done.and(part.Keys, part.Moved)
	}
	return done, nil
}

func (l localSettings) change(_ context.Context, changes map[string]json.RawMessage) error {
	return inParts(changes, func(part map[string]json.RawMessage, check bool) error {
		if check {
			return l.s.Check(auth.LocalUser, part, true)
		}
		return l.s.Update(auth.LocalUser, part, true)
	})
}

func (l localSettings) stores(i setting) bool { return i.stored() }

// settingsFrom says where settings come from, for a server and without one.
func (p *program) settingsFrom() settings.Options {
	o := settings.Options{Dir: filepath.Join(p.config.data, "settings"), Others: p.config.options}
	if path, err := filepath.Abs(configFile); err == nil {
		o.File = path
	}
	if slices.Contains(p.config.given, "model") {
		o.Flags = map[string]string{"model": p.config.model}
	}
	return o
}

// unserved says that the data folder can be used without a server: none runs
// and nobody but its owner has settings in it. So a setting that keeps a server
// from starting can be mended.
func (p *program) unserved() bool {
	_, running := parley.Find(p.config.data)
	return p.config.server == "" && !running && (p.config.auth == auth.ModeLocal || p.config.auth == auth.ModeNone)
}

func (p *program) withSettings(do func(*cobra.Command, settingsStore, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if p.session == "" && p.unserved() {
			return do(cmd, localSettings{settings.Open(p.settingsFrom()), p.localSecrets().Redactor().Redact}, args)
		}
		c, done, err := p.connect(cmd.Context())
		if err != nil {
			return err
		}
		defer done()
		if p.session != "" {
			return do(cmd, sessionSettings{c, p.session}, args)
		}
		return do(cmd, remoteSettings{c}, args)
	}
}

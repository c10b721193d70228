package rest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/gateway"
	"github.com/parley-dev/parley/internal/secret"
	"github.com/parley-dev/parley/internal/settings"
	"github.com/parley-dev/parley/protocol"
)

func (d *door) registerSettings() {
	if d.Settings == nil || d.Secrets == nil {
		return
	}
	register(d, call{
		method: http.MethodGet, path: "/settings", id: "get-settings", tag: "settings",
		summary: "Get your settings",
		doc: "Every setting with its value and the layer it comes from, and what of the stored ones cannot be used. With session: as they hold in that session. " +
			"What holds there alone is changed with PATCH /sessions/{id} and {\"settings\":{…}}.",
	}, d.getSettings)
	register(d, call{
		method: http.MethodPatch, path: "/settings", id: "update-settings", tag: "settings",
		summary: "Change your settings",
		doc: "The command update_settings: what is not named stays as it was, null goes back to the default. All of it is checked before any is changed. " +
			"Settings of the server take an admin and a call of their own. The names may also stand in the body itself, without settings around them.",
		body: reflect.TypeFor[protocol.UpdateSettings](),
	}, d.updateSettings)
	register(d, call{
		method: http.MethodDelete, path: "/settings", id: "reset-settings", tag: "settings",
		summary: "Forget all of your settings",
		doc: "Everything that is stored for you, also what cannot be used; a file that cannot be read is moved aside. With server, what is stored for everybody instead, for admins. " +
			"What comes from parley.yaml, the environment and the command line is not touched.",
	}, d.resetSettings)
	register(d, call{
		method: http.MethodGet, path: "/secrets", id: "list-secrets", tag: "settings",
		summary: "List secrets", doc: "Their names; no call gives a value. For admins.",
	}, d.listSecrets)
	register(d, call{
		method: http.MethodPut, path: "/secrets/{name}", id: "set-secret", tag: "settings",
		summary: "Store a secret", doc: "In the place of one of the same name. For admins.", status: http.StatusNoContent,
		body: reflect.TypeFor[NewSecret](), maxBody: 128 << 10,
	}, d.setSecret)
	register(d, call{
		method: http.MethodDelete, path: "/secrets/{name}", id: "delete-secret", tag: "settings",
		summary: "Delete a secret", doc: "For admins. One that is not there gives 404.", status: http.StatusNoContent,
	}, d.deleteSecret)
}

// Setting is one setting as it holds for the caller.
type Setting struct {
	Key         string   `json:"key"`
	Value       any      `json:"value"`
	Layer       string   `json:"layer" enum:"default,file,environment,flag,server,owner,session" doc:"Where the value comes from."`
	Scope       string   `json:"scope" enum:"server,owner,session" doc:"Who can set it: an admin for all, an account for its sessions, also one session."`
	Type        string   `json:"type"`
	Default     any      `json:"default"`
	Allowed     []string `json:"allowed,omitempty" doc:"The words that it may be, or hold."`
	Minimum     *float64 `json:"minimum,omitempty"`
	Maximum     *float64 `json:"maximum,omitempty"`
	Description string   `json:"description"`
	Masked      bool     `json:"masked,omitempty" doc:"A secret that stands in the value is not shown: [secret] is in its place."`
	NextStart   bool     `json:"next_start,omitempty" doc:"A change counts from the next start of the server."`
	Since       string   `json:"since"`
}

// SettingList is everything about the caller's settings.
type SettingList struct {
	Items    []Setting        `json:"items"`
	Settings map[string]any   `json:"settings" doc:"The values alone, by key."`
	Problems []SettingProblem `json:"problems" doc:"What is written in a file or the environment and cannot be used, or should not be there."`
}

// SettingProblem is something that is written and cannot be used, or should not
// be there.
type SettingProblem settings.Problem

type settingsOutput struct{ Body SettingList }

type settingsInput struct {
	Session string `query:"session" maxLength:"64" doc:"As they hold in this session, for its owner."`
}

func (d *door) getSettings(ctx context.Context, in *settingsInput) (*settingsOutput, error) {
	c, err := d.known(ctx)
	if err != nil {
		return nil, err
	}
	owner, own := c.User, map[string]json.RawMessage(nil)
	if in.Session != "" {
		if owner, err = d.Gateway.Own(ctx, c, in.Session); err != nil {
			return nil, err
		}
		state, err := d.Gateway.Engine.State(ctx, in.Session)
		if err != nil {
			return nil, err
		}
		own = state.Settings
	}
	held := d.Settings.Effective(owner, own)
	redact := d.Secrets.Redactor().Redact
	list := SettingList{Settings: map[string]any{}, Problems: []SettingProblem{}}
	for _, p := range append(d.Settings.Problems(owner, isAdmin(c)), held.OwnProblems()...) {
		p.Key, p.Text = redact(p.Key), redact(p.Text)
		list.Problems = append(list.Problems, SettingProblem(p))
	}
	for _, k := range settings.Keys() {
		item, _ := held.Item(k.Name)
		item = item.Redact(redact) // values of secrets may have been pasted anywhere
		s := Setting{
			Key: k.Name, Value: item.Value, Layer: item.Layer.String(), Scope: string(k.Scope), Type: k.Type(),
			Default: k.Default, Allowed: k.Allowed, Description: k.Doc, Since: k.Since, Masked: item.Masked, NextStart: k.NextStart,
		}
		if _, number := k.Default.(int); number {
			s.Minimum, s.Maximum = &k.Min, &k.Max
		}
		list.Items = append(list.Items, s)
		list.Settings[k.Name] = item.Value
	}
	return &settingsOutput{list}, nil
}

type updateSettingsInput struct {
	Check   bool   `query:"check" doc:"Only say whether the change would be accepted."`
	RawBody []byte `contentType:"application/json"`
}

func (d *door) updateSettings(ctx context.Context, in *updateSettingsInput) (*settingsOutput, error) {
	c, err := d.settled(ctx)
	if err != nil {
		return nil, err
	}
	body, err := d.settingsBody(in.RawBody)
	if err != nil {
		return nil, err
	}
	change := d.Settings.Update
	if in.Check {
		change = d.Settings.Check
	}
	if err := change(c.User, body.Settings, isAdmin(c)); err != nil {
		return nil, err
	}
	return d.getSettings(ctx, &settingsInput{})
}

// settled gives a caller who can have settings of their own.
func (d *door) settled(ctx context.Context) (gateway.Caller, error) {
	c, err := d.known(ctx)
	if err == nil && auth.Allow(c.Identity, auth.Create, "", "") != nil {
		err = protocol.Errorf(protocol.CodeForbidden,
			"your account has the role %s and no sessions of its own to have settings for; that takes the role %s", c.Role, auth.RoleOwner)
	}
	return c, err
}

// SettingsReset is what a reset has removed.
type SettingsReset struct {
	Keys  []string `json:"keys" doc:"The names of what was stored, also of what could not be used."`
	Moved string   `json:"moved,omitempty" doc:"Where a file was put that could not be read."`
}

type resetSettingsInput struct {
	Server bool `query:"server" doc:"What is stored for everybody."`
}

type resetSettingsOutput struct{ Body SettingsReset }

func (d *door) resetSettings(ctx context.Context, in *resetSettingsInput) (*resetSettingsOutput, error) {
	c, err := d.settled(ctx)
	if err != nil {
		return nil, err
	}
	owner := c.User
	if in.Server {
		if owner, err = "", d.admin(ctx); err != nil {
			return nil, err
		}
	}
	done, err := d.Settings.Reset(owner)
	if err != nil {
		return nil, asRefusal(err)
	}
	return &resetSettingsOutput{SettingsReset{Keys: append([]string{}, done.Keys...), Moved: done.Moved}}, nil
}

// settingsBody reads the command's data, or settings that stand alone: no key
// is called settings.
func (d *door) settingsBody(body []byte) (*protocol.UpdateSettings, error) {
	var alone map[string]json.RawMessage
	if json.Unmarshal(body, &alone) == nil && len(alone) > 0 && alone["settings"] == nil {
		wrapped, err := json.Marshal(map[string]any{"settings": alone})
		if err != nil {
			return nil, err
		}
		body = wrapped
	}
	_, payload, err := d.decode(protocol.TypeUpdateSettings, "", body, maxBody)
	if err != nil {
		return nil, err
	}
	return payload.(*protocol.UpdateSettings), nil
}

// SecretItem is a secret as it is listed.
type SecretItem struct {
	Name string `json:"name"`
}

// SecretList is what is stored, without values.
type SecretList struct {
	Items []SecretItem `json:"items"`
	Key   string       `json:"key" enum:"keyring,file,nowhere" doc:"Where the key lies that they are encrypted with."`
}

type secretsOutput struct{ Body SecretList }

func (d *door) listSecrets(ctx context.Context, _ *struct{}) (*secretsOutput, error) {
	if err := d.admin(ctx); err != nil {
		return nil, err
	}
	names, err := d.Secrets.Names()
	if err != nil {
		return nil, asRefusal(err)
	}
	where, err := d.Secrets.Where()
	list := SecretList{Items: []SecretItem{}, Key: where}
	for _, name := range names {
		list.Items = append(list.Items, SecretItem{name})
	}
	return &secretsOutput{list}, asRefusal(err)
}

// NewSecret is a secret on its way in.
type NewSecret struct {
	Value string `json:"value" minLength:"1" maxLength:"65536"`
}

// OfSecret is the part of an input that names a secret.
type OfSecret struct {
	Name string `path:"name" maxLength:"64" doc:"Capital letters, digits and _." example:"ANTHROPIC_API_KEY"`
}

type setSecretInput struct {
	OfSecret
	RawBody []byte `contentType:"application/json"`
}

func (d *door) setSecret(ctx context.Context, in *setSecretInput) (*struct{}, error) {
	if err := d.admin(ctx); err != nil {
		return nil, err
	}
	var body NewSecret
	if json.Unmarshal(in.RawBody, &body) != nil || body.Value == "" { // the decoder's words could quote the secret
		return nil, protocol.Errorf(protocol.CodeInvalidMessage, `the body must be a JSON object such as {"value":"…"}`).With("field", "body.value")
	}
	return nil, asRefusal(d.Secrets.Set(in.Name, secret.New(body.Value)))
}

func (d *door) deleteSecret(ctx context.Context, in *struct{ OfSecret }) (*struct{}, error) {
	if err := d.admin(ctx); err != nil {
		return nil, err
	}
	err := d.Secrets.Delete(in.Name)
	if errors.Is(err, settings.ErrNoSecret) {
		return nil, problemOf(protocol.Errorf(protocol.CodeInvalidMessage, "%v", err)).as(http.StatusNotFound)
	}
	return nil, asRefusal(err)
}

// asRefusal shows an error to the caller: admins are told what is wrong with the
// secrets of their server.
func asRefusal(err error) error {
	var e *protocol.Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	return protocol.Errorf(protocol.CodeExecutionFailed, "%v", err)
}

// known gives a caller whose time is not over.
func (d *door) known(ctx context.Context) (gateway.Caller, error) {
	c := callerOf(ctx)
	if err := c.Check(d.Now()); err != nil {
		return c, err
	}
	return c, auth.Allow(c.Identity, auth.List, "", "")
}

func isAdmin(c gateway.Caller) bool { return auth.Allow(c.Identity, auth.Admin, "", "") == nil }

func (d *door) admin(ctx context.Context) error {
	c, err := d.known(ctx)
	if err != nil {
		return err
	}
	return auth.Allow(c.Identity, auth.Admin, "", "")
}

package settings

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Layer is where a value comes from. A stronger one hides the weaker ones, whole:
// objects and lists are not mixed.
type Layer int

const (
	Default     Layer = iota
	File              // parley.yaml
	Environment       // PARLEY_*
	Flag              // the command line
	Server            // stored for everybody
	Owner             // stored for an account
	Session           // of one session
)

// Layers lists every layer from the weakest to the strongest.
func Layers() []Layer { return []Layer{Default, File, Environment, Flag, Server, Owner, Session} }

func (l Layer) String() string {
	names := [...]string{"default", "file", "environment", "flag", "server", "owner", "session"}
	if l < 0 || int(l) >= len(names) {
		return fmt.Sprintf("layer(%d)", int(l))
	}
	return names[l]
}

// MarshalText gives the layer's word.
func (l Layer) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// holds says whether a key may be set on a layer; why not, if it may not.
func (l Layer) holds(k Key) error {
	switch {
	case l == Server && k.Scope != ScopeServer:
		return fmt.Errorf("is no setting of the server but of the %s; parley.yaml can name it for everybody", k.Scope)
	case l == Owner && k.Scope == ScopeServer:
		return fmt.Errorf("is a setting of the server, not of an account")
	case l == Session && k.Scope != ScopeSession:
		return fmt.Errorf("is a setting of %s, not of one session", whose(k.Scope))
	}
	return nil
}

func whose(s Scope) string {
	if s == ScopeServer {
		return "the server"
	}
	return "an account"
}

// value is one that fits its key. shown is it without plain secrets, nil if it
// has none.
type value struct {
	raw   json.RawMessage
	v     any
	shown json.RawMessage
}

// source is one layer, read and checked.
type source struct {
	layer    Layer
	values   map[string]value
	problems []Problem
}

// entry is what somebody wrote under a name, and where.
type entry struct {
	name string
	raw  json.RawMessage
	err  error // it could not even be read
	file string
	line int
}

// newSource keeps what can be used and reports the rest.
func (t table) newSource(layer Layer, entries []entry) source {
	s := source{layer: layer, values: map[string]value{}}
	for _, e := range entries {
		if slices.Contains(retired(), e.name) {
			continue
		}
		k, known := t.key(e.name)
		err := e.err
		switch {
		case !known:
			err = fmt.Errorf("there is no such setting; it is left alone")
		case err == nil:
			err = layer.holds(k)
		}
		var v any
		if err == nil {
			v, err = t.decode(k, e.raw)
		}
		if err == nil {
			val := value{raw: e.raw, v: v}
			if k.mask != nil {
				var spots []spot
				if val.shown, spots = k.mask(v); spots != nil {
					s.problems = append(s.problems, Problem{File: e.file, Key: e.name, Line: e.line, Text: stillUsed(spots)})
				}
			}
			s.values[k.Name] = val
			continue
		}
		text := err.Error()
		if known {
			text += "; it is not used"
		}
		s.problems = append(s.problems, Problem{File: e.file, Key: e.name, Line: e.line, Text: text})
	}
	return s
}

// stillUsed reports plain secrets that are there already.
func stillUsed(spots []spot) string {
	var all []string
	for _, s := range spots {
		all = append(all, s.String())
	}
	return strings.Join(all, "; ") + "; until then it is used, shown as " + hidden + " and not exported"
}

// Item is the value of one key as it may be shown, and where it comes from.
// Masked says that a secret was taken out of it.
type Item struct {
	Key    string
	Value  json.RawMessage
	Layer  Layer
	Masked bool
}

// Effective is what holds for an owner, or in one of their sessions.
type Effective struct {
	Values   Values
	items    []Item // in the order of the table
	problems []Problem
}

// Items tells every key's value and layer, in the order of the table.
func (e *Effective) Items() []Item { return e.items }

// Item gives one key's.
func (e *Effective) Item(name string) (Item, bool) {
	for _, i := range e.items {
		if i.Key == name {
			return i, true
		}
	}
	return Item{}, false
}

// Problems are what shows only when the layers are put together, and, for a
// session, what of its own settings is not used.
func (e *Effective) Problems() []Problem { return e.problems }

// OwnProblems are those of a session's own settings: Store.Problems knows of all
// others.
func (e *Effective) OwnProblems() (own []Problem) {
	for _, p := range e.problems {
		if p.File == Session.String() {
			own = append(own, p)
		}
	}
	return own
}

// Profile is what the model should be called with: the active profile, unless a
// stronger layer, or the session itself, names a model.
func (e *Effective) Profile() Profile {
	model, _ := e.Item("model")
	active, _ := e.Item("active_profile")
	if e.Values.ActiveProfile == "" || model.Layer > active.Layer || model.Layer == Session {
		return Profile{Model: e.Values.Model}
	}
	p := e.Values.Profiles[e.Values.ActiveProfile]
	if p.Model == "" {
		p.Model = e.Values.Model
	}
	return p
}

// fold puts layers together; sources come from the weakest to the strongest.
func (t table) fold(sources ...source) *Effective {
	e := &Effective{}
	into := reflect.ValueOf(&e.Values).Elem()
	for _, k := range t.keys {
		item, v := Item{Key: k.Name, Value: k.DefaultJSON()}, k.Default
		for _, s := range sources {
			if got, ok := s.values[k.Name]; ok {
				item.Value, item.Layer, item.Masked, v = got.raw, s.layer, got.shown != nil, got.v
				if item.Masked {
					item.Value = got.shown
				}
			}
		}
		into.Field(t.fields[k.Name]).Set(reflect.ValueOf(v))
		e.items = append(e.items, item)
	}
	e.dropProfile()
	return e
}

// dropProfile forgets an active profile that there is not.
func (e *Effective) dropProfile() {
	name := e.Values.ActiveProfile
	if _, ok := e.Values.Profiles[name]; ok || name == "" {
		return
	}
	e.Values.ActiveProfile = ""
	for i, item := range e.items {
		if item.Key == "active_profile" {
			e.problems = append(e.problems, Problem{File: item.Layer.String(), Key: item.Key,
				Text: fmt.Sprintf("there is no profile %q; none is used", clip(name))})
			e.items[i] = Item{Key: item.Key, Value: json.RawMessage(`""`)}
		}
	}
}

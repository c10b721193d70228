package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Exported is a set of settings as a file. Secrets are never in it: settings do
// not hold them, and what nevertheless does is left out.
type Exported struct {
	Version  int                        `json:"version"`
	Settings map[string]json.RawMessage `json:"settings"`
	// Unused are names of a file that was read which mean nothing here.
	Unused []string `json:"-"`
	// LeftOut names what is not in a file that was made: keys, or entries of one.
	LeftOut []string `json:"-"`
}

// Export gives what is stored for an owner, and, for an admin, for the server.
func (s *Store) Export(owner string, admin bool) Exported {
	e := s.Effective(owner, nil)
	var items []Item
	for _, i := range e.Items() {
		if i.Layer == Owner || i.Layer == Server && admin {
			items = append(items, i)
		}
	}
	return NewExport(items)
}

// NewExport makes a file of items. Of those in which secrets were hidden it
// leaves out the entries concerned, or, of a text, all of it.
func NewExport(items []Item) Exported {
	out := Exported{Version: Version, Settings: map[string]json.RawMessage{}}
	for _, i := range items {
		if !i.Masked {
			out.Settings[i.Key] = i.Value
			continue
		}
		entries := map[string]json.RawMessage{}
		if json.Unmarshal(i.Value, &entries) != nil {
			out.LeftOut = append(out.LeftOut, i.Key)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			if hides(name) || hides(string(entries[name])) {
				delete(entries, name)
				out.LeftOut = append(out.LeftOut, i.Key+": "+name)
			}
		}
		if len(entries) > 0 {
			out.Settings[i.Key] = compact(entries)
		}
	}
	return out
}

// Encode writes an export for people to read too.
func (e Exported) Encode() ([]byte, error) { return pretty(e) }

// ParseExport reads an exported file, of this version or an older one, and
// checks all of it. Of settings of an editor extension, of which there are many,
// those that mean nothing here are named as unused.
func ParseExport(data []byte) (Exported, error) {
	d := &document{path: "the file", raw: map[string]json.RawMessage{}}
	d.parse(data)
	switch {
	case d.broken != nil:
		return Exported{}, errors.New(d.broken.String())
	case d.version > Version:
		return Exported{}, fmt.Errorf("the file is of version %d and this Parley reads up to %d; use a newer Parley", d.version, Version)
	}
	t := newTable()
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(d.raw)) {
		k, ok := t.byName[name]
		if !ok && d.foreign {
			d.unused = append(d.unused, name)
			delete(d.raw, name)
			continue
		}
		err := unknownKey(name)
		if ok {
			err = t.accept(k, d.raw[name])
		}
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("line %d: %s: %v", d.lines[name], name, err))
		}
	}
	if wrong != nil {
		return Exported{}, fmt.Errorf("nothing was imported:\n%s", strings.Join(wrong, "\n"))
	}
	slices.Sort(d.unused)
	if unknown := len(d.unused) > 0 && !slices.Contains(retired(), d.unused[0]); unknown && len(d.raw) == 0 {
		return Exported{}, errors.New("nothing was imported: there is no setting in the file that means something here")
	}
	return Exported{Version: Version, Settings: d.raw, Unused: d.unused}, nil
}

// Parts are the changes that an import makes: those of the server, then those
// of the owner, as Update takes them.
func (e Exported) Parts() (parts []map[string]json.RawMessage) {
	t := newTable()
	servers, mine := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for name, raw := range e.Settings {
		if t.byName[name].Scope == ScopeServer {
			servers[name] = raw
		} else {
			mine[name] = raw
		}
	}
	for _, part := range []map[string]json.RawMessage{servers, mine} {
		if len(part) > 0 {
			parts = append(parts, part)
		}
	}
	return parts
}

// Import sets everything that a file names; the rest stays. All of it is checked
// before anything is changed. Settings of the server and of the owner become
// durable one after the other.
func (s *Store) Import(owner string, data []byte, admin bool) error {
	e, err := ParseExport(data)
	if err != nil {
		return err
	}
	for _, only := range []bool{true, false} {
		for _, part := range e.Parts() {
			if err := s.update(owner, part, admin, only); err != nil {
				return err
			}
		}
	}
	return nil
}

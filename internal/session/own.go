package session

import (
	"bytes"
	"encoding/json"
	"maps"

	"github.com/parley-dev/parley/protocol"
)

// What holds for one session alone are its own settings. Which keys there are
// and what they may hold is checked before they come here. The core reads these;
// the first three have fields of their own in the records.
const (
	keyModel         = "model"
	keyMode          = "mode"
	keyAutoApprove   = "auto_approve"
	keyActiveProfile = "active_profile"
	keyAutoApproval  = "auto_approval_enabled"
)

// Own gives the session's own settings, by key.
func (l *Ledger) Own() map[string]json.RawMessage {
	own := maps.Clone(l.Settings)
	set := func(key string, v any) {
		if own == nil {
			own = map[string]json.RawMessage{}
		}
		own[key], _ = json.Marshal(v) // texts: always can
	}
	if l.Model != "" {
		set(keyModel, l.Model)
	}
	if l.Mode != "" {
		set(keyMode, l.Mode)
	}
	if l.AutoApprove != nil {
		set(keyAutoApprove, l.AutoApprove)
	}
	return own
}

// own changes the session's own settings; null removes one.
func (l *Ledger) own(changes map[string]json.RawMessage) {
	if len(changes) == 0 {
		return
	}
	next := maps.Clone(l.Settings) // copies of the state share it
	for key, v := range changes {
		switch {
		case isNull(v) && key == keyAutoApprove:
			l.AutoApprove = nil
		case isNull(v):
			delete(next, key)
		default:
			if next == nil {
				next = map[string]json.RawMessage{}
			}
			next[key] = v
		}
	}
	if len(next) == 0 {
		next = nil
	}
	l.Settings = next
}

// approves says whether calls of a class run without asking: by the session's
// own list, or else by the given one of its owner.
func (l *Ledger) approves(class protocol.ToolClass, classes []string) bool {
	var on bool
	if v, ok := l.Settings[keyAutoApproval]; ok && json.Unmarshal(v, &on) == nil && !on {
		return false
	}
	if l.AutoApprove != nil {
		classes = l.AutoApprove
	}
	for _, c := range classes {
		if c == string(class) {
			return true
		}
	}
	return false
}

func isNull(v json.RawMessage) bool { return bytes.Equal(bytes.TrimSpace(v), []byte("null")) }

// spread moves the settings that have a field of the update there. A profile
// takes the place of the model that was chosen before it.
func spread(u protocol.UpdateSession) (protocol.UpdateSession, error) {
	rest := map[string]json.RawMessage{}
	var err error
	for key, v := range u.Settings {
		var e error
		switch {
		case key == keyModel:
			u.Model, e = into(key, u.Model, v)
		case key == keyMode:
			u.Mode, e = into(key, u.Mode, v)
		case key == keyAutoApprove && !isNull(v):
			u.AutoApprove, e = into(key, u.AutoApprove, v)
		default:
			rest[key] = v
		}
		if e != nil {
			err = e
		}
	}
	if v := rest[keyActiveProfile]; u.Model == nil && len(v) > 0 && !isNull(v) && string(v) != `""` {
		u.Model = new(string)
	}
	if u.Settings = nil; len(rest) > 0 {
		u.Settings = rest
	}
	return u, err
}

// spreadNew is spread for a session that is made: null is nothing.
func spreadNew(c *protocol.SessionCreated) error {
	if len(c.Settings) == 0 {
		return nil
	}
	u := protocol.UpdateSession{Settings: maps.Clone(c.Settings)}
	maps.DeleteFunc(u.Settings, func(_ string, v json.RawMessage) bool { return isNull(v) })
	if c.Model != "" {
		u.Model = &c.Model
	}
	if c.Mode != "" {
		u.Mode = &c.Mode
	}
	if c.AutoApprove != nil {
		u.AutoApprove = &c.AutoApprove
	}
	u, err := spread(u)
	if err != nil {
		return err
	}
	if c.Settings = u.Settings; u.Model != nil {
		c.Model = *u.Model
	}
	if u.Mode != nil {
		c.Mode = *u.Mode
	}
	if u.AutoApprove != nil {
		c.AutoApprove = *u.AutoApprove
	}
	return nil
}

// into reads a setting into its field; null is the zero value.
func into[T any](key string, field *T, v json.RawMessage) (*T, error) {
	if field != nil {
		return nil, protocol.Errorf(protocol.CodeInvalidMessage, "%s is named twice: once among the settings", key)
	}
	field = new(T)
	if json.Unmarshal(v, field) != nil {
		return nil, protocol.Errorf(protocol.CodeInvalidMessage, "settings: %s is of the wrong kind", key)
	}
	return field, nil
}

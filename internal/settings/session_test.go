package settings

import (
	"encoding/json"
	"strings"
	"testing"
)

func raws(pairs ...string) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = json.RawMessage(pairs[i+1])
	}
	return out
}

// Every key of the scope session can be set for one, and no other.
func TestSessionKeys(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	for _, k := range Keys() {
		err := s.CheckSession("ann", map[string]json.RawMessage{k.Name: k.DefaultJSON()})
		if (err == nil) != (k.Scope == ScopeSession) {
			t.Errorf("%s, of the scope %s: %v", k.Name, k.Scope, err)
		}
		e := s.Effective("ann", map[string]json.RawMessage{k.Name: k.DefaultJSON()})
		if item, _ := e.Item(k.Name); (item.Layer == Session) != (k.Scope == ScopeSession) && k.Name != "active_profile" {
			t.Errorf("%s, of the scope %s, comes from the layer %s", k.Name, k.Scope, item.Layer)
		}
	}
}

func TestSessionSettingsAreChecked(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	must(t, s.Update("ann", raws("profiles", `{"fast":{"model":"m/fast"}}`), false))
	for _, ok := range []map[string]json.RawMessage{
		raws("mistake_limit", "7"), raws("mistake_limit", "null", "language", `"ko"`), raws("active_profile", `"fast"`), raws("active_profile", `""`), {},
	} {
		if err := s.CheckSession("ann", ok); err != nil {
			t.Errorf("%s: %v", ok, err)
		}
	}
	for says, bad := range map[string]map[string]json.RawMessage{
		"mistake_limit must be from 0 to 100":                    raws("mistake_limit", "700"),
		"mode must be a text":                                    raws("mode", "5", "language", `"ko"`),
		`there is no setting "odd"`:                              raws("odd", "null"),
		"retention_days is a setting of the server":              raws("retention_days", "1"),
		"profiles is a setting of an account":                    raws("profiles", "null"),
		`active_profile: there is no profile "slow"`:             raws("active_profile", `"slow"`),
		"language must be one of auto, en, ko; mistake_limit mu": raws("mistake_limit", "700", "language", `"fr"`),
	} {
		if err := s.CheckSession("ann", bad); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", bad, err, says)
		}
	}
	if s.CheckSession("bob", raws("active_profile", `"fast"`)) == nil {
		t.Error("a profile of somebody else can be chosen")
	}
}

// A session's own model goes before every profile; its own profile before the
// models of others.
func TestSessionModelAndProfile(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	must(t, s.Update("ann", raws("profiles", `{"fast":{"model":"m/fast","max_tokens":9}}`, "model", `"m/mine"`), false))
	for _, c := range []struct {
		own  map[string]json.RawMessage
		want Profile
	}{
		{nil, Profile{Model: "m/mine"}},
		{raws("active_profile", `"fast"`), Profile{Model: "m/fast", MaxTokens: 9}},
		{raws("model", `"m/own"`), Profile{Model: "m/own"}},
		{raws("model", `"m/own"`, "active_profile", `"fast"`), Profile{Model: "m/own"}},
	} {
		if got := s.Effective("ann", c.own).Profile(); got.Model != c.want.Model || got.MaxTokens != c.want.MaxTokens {
			t.Errorf("%s: %+v, want %+v", c.own, got, c.want)
		}
	}
}

// A key that did nothing is left out wherever it is written, without a word.
func TestRetiredKeys(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/parley.yaml", "experiments:\n  x: true\nmode: ask\n")
	s := open(t, dir, Options{File: dir + "/parley.yaml"})
	write(t, s.path("ann"), `{"version":1,"owner":"ann","settings":{"experiments":{"x":true},"language":"ko","odd":1}}`)
	e := s.Effective("ann", nil)
	if problems := s.Problems("ann", true); len(problems) != 1 || problems[0].Key != "odd" || e.Values.Language != "ko" || e.Values.Mode != "ask" {
		t.Errorf("problems %v, values %+v", problems, e.Values)
	}
	must(t, s.Update("ann", raws("mode", `"code"`), false))
	if text := read(t, s.path("ann")); strings.Contains(text, "experiments") || !strings.Contains(text, "odd") {
		t.Errorf("written %s", text)
	}
	if !IsKey("experiments") || s.Check("ann", raws("experiments", "{}"), true) == nil {
		t.Error("parley.yaml may hold it, and nobody can set it")
	}
	in, err := ParseExport([]byte(`{"version":1,"settings":{"experiments":{},"mode":"code"}}`))
	must(t, err)
	if len(in.Unused) != 1 || len(in.Settings) != 1 || in.Settings["mode"] == nil {
		t.Errorf("imported %+v", in)
	}
}

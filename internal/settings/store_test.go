package settings

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parley-dev/parley/protocol"
)

// Each layer hides the weaker ones.
func TestLayers(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "parley.yaml")
	write(t, file, "listen: 127.0.0.1:0\nmodel: of-file\nmistake-limit: 4\ncondense_percent: 60\nmode: of file\nretention_days: 7\n")
	s := open(t, dir, Options{
		File: file, Others: []string{"listen"},
		Env:   env(map[string]string{"PARLEY_MODEL": "of-env", "PARLEY_CONDENSE_PERCENT": "61", "PARLEY_MODE": "of env", "PARLEY_LANGUAGE": ""}),
		Flags: map[string]string{"model": "of-flag", "mode": "of flag"},
	})
	must(t, s.Update("ann", change(t, "mode", "of ann"), false))
	must(t, s.Update("ann", change(t, "retention_days", 9), true))
	for _, c := range []struct {
		owner   string
		session map[string]json.RawMessage
		want    map[string]string
	}{
		{"ann", map[string]json.RawMessage{"mode": raw(t, "of session"), "retention_days": raw(t, 1)}, map[string]string{
			"model": `flag "of-flag"`, "mistake_limit": "file 4", "condense_percent": "environment 61", "mode": `session "of session"`,
			"retention_days": "server 9", "language": `default "auto"`,
		}},
		{"ann", nil, map[string]string{"mode": `owner "of ann"`}},
		{"bob", nil, map[string]string{"mode": `flag "of flag"`, "retention_days": "server 9"}},
		{"", nil, map[string]string{"mode": `flag "of flag"`}},
	} {
		e := s.Effective(c.owner, c.session)
		for key, want := range c.want {
			if i, ok := e.Item(key); !ok || fmt.Sprint(i.Layer, " ", string(i.Value)) != want {
				t.Errorf("%q %s: %v %s, want %s", c.owner, key, i.Layer, i.Value, want)
			}
		}
		if c.session != nil && (len(e.Problems()) != 1 || !strings.Contains(e.Problems()[0].Text, "one session")) {
			t.Errorf("problems %v", e.Problems())
		}
	}
	if v := s.Effective("ann", nil).Values; v.Mode != "of ann" || v.MistakeLimit != 4 || v.RetentionDays != 9 || !slices.Equal(v.AutoApprove, []string{"read"}) {
		t.Errorf("values %+v", v)
	}
	if p := s.Problems("ann", true); len(p) != 0 {
		t.Errorf("problems %v", p)
	}
	if s.Effective("ann", nil) != s.Effective("ann", nil) {
		t.Error("reads are not cached")
	}
}

// What cannot be used is reported where it stands, is not used, and stays where
// it is.
func TestProblemsAreReportedAndKept(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "parley.yaml")
	write(t, file, "mode: fine\nlanguage: fr\n\nlisen: x\nmodel: {a: b}\n")
	s := open(t, dir, Options{File: file, Env: env(map[string]string{"PARLEY_MISTAKE_LIMIT": "many"})})
	path := s.path("ann")
	write(t, path, "{\n \"version\": 1,\n \"note\": \"mine\",\n \"settings\": {\n  \"mode\": \"of ann\",\n  \"future\": {\"a\": 1},\n\n  \"condense_percent\": 900,\n  \"retention_days\": 3,\n  \"active_profile\": \"gone\"\n }\n}\n")
	var got []string
	for _, p := range s.Problems("ann", true) {
		got = append(got, strings.Replace(p.String(), dir+"/", "", 1))
	}
	wants := []string{
		"parley.yaml:2: language: must be one of auto, en, ko", "parley.yaml:4: lisen: there is no such setting", "parley.yaml:5: model: must be a text",
		"environment: PARLEY_MISTAKE_LIMIT: must be a whole number",
		":8: condense_percent: must be from 10 to 100", ":6: future: there is no such setting", ":9: retention_days: is a setting of the server",
		`owner: active_profile: there is no profile "gone"`,
	}
	if len(got) != len(wants) {
		t.Errorf("%d problems: %s", len(got), strings.Join(got, "\n"))
	}
	for i, want := range wants {
		if i < len(got) && !strings.Contains(got[i], want) {
			t.Errorf("problem %d is %s\nwant %s", i, got[i], want)
		}
	}
	if own := s.Problems("ann", false); len(own) != 4 {
		t.Errorf("ann is told of %v", own)
	}
	e := s.Effective("ann", nil)
	if v := e.Values; v.Language != "auto" || v.Mode != "of ann" || v.CondensePercent != 80 || v.ActiveProfile != "" || v.MistakeLimit != 3 || v.Model != "auto" {
		t.Errorf("values %+v", v)
	}
	must(t, s.Update("ann", change(t, "language", "ko"), false))
	var kept struct {
		Note     string
		Settings map[string]json.RawMessage
	}
	must(t, json.Unmarshal([]byte(read(t, path)), &kept))
	if kept.Note != "mine" || !sameJSON(kept.Settings["future"], []byte(`{"a":1}`)) || string(kept.Settings["condense_percent"]) != "900" || string(kept.Settings["language"]) != `"ko"` {
		t.Errorf("the file is now %s", read(t, path))
	}
	must(t, s.Update("ann", map[string]json.RawMessage{"future": nil}, false)) // a person may remove it
	if strings.Contains(read(t, path), "future") {
		t.Error("what was removed is there")
	}
}

// A file that cannot be read is reported and never written over.
func TestBrokenFileIsLeftAlone(t *testing.T) {
	for text, says := range map[string]string{
		"{\"version\": 1,\n\"settings\": {oops": ":2: this is not a JSON object", "null": "not a JSON object", "": "not a JSON object",
		`{"version":"one","settings":{}}`: ":1: version", `{"version":1,"settings":[]}`: ":1: settings",
	} {
		dir := t.TempDir()
		s := open(t, dir, Options{})
		path := s.path("ann")
		write(t, path, text)
		if s.Effective("ann", nil).Values.Language != "auto" {
			t.Error("no defaults")
		}
		if p := s.Problems("ann", false); len(p) != 1 || !strings.Contains(p[0].String(), says) {
			t.Errorf("%q: problems %v", text, p)
		}
		if err := s.Update("ann", change(t, "language", "ko"), true); err == nil || !strings.Contains(err.Error(), "nothing was changed") {
			t.Errorf("%q: written over: %v", text, err)
		}
		if read(t, path) != text {
			t.Errorf("the file is now %q", read(t, path))
		}
	}
}

func TestUpdateIsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	must(t, s.Update("ann", change(t, "mode", "old"), false))
	before := read(t, s.path("ann"))
	for _, c := range []struct {
		changes string
		admin   bool
		code    protocol.Code
		says    string
	}{
		{`{"mode":"new","language":"fr","nothing":1}`, true, protocol.CodeInvalidMessage, "language must be one of auto, en, ko; there is no setting \"nothing\""},
		{`{"mode":"new","retention_days":1}`, true, protocol.CodeInvalidMessage, "two calls"},
		{`{"retention_days":1}`, false, protocol.CodeForbidden, "only an admin"},
		{`{"mode":"new","active_profile":"fast"}`, true, protocol.CodeInvalidMessage, "no profile \"fast\""},
		{`{"nothing":null}`, true, protocol.CodeInvalidMessage, "no setting"},
		{`{"mcp_servers":{"a":{"command":"sh"}}}`, false, protocol.CodeForbidden, "only an admin"},
		{`{"mcp_servers":{"a":{"url":"https://evil","headers":{"X":"secret:ANTHROPIC_API_KEY"}}}}`, false, protocol.CodeForbidden, "only an admin"},
	} {
		var changes map[string]json.RawMessage
		must(t, json.Unmarshal([]byte(c.changes), &changes))
		for _, try := range []func(string, map[string]json.RawMessage, bool) error{s.Check, s.Update} {
			err := try("ann", changes, c.admin)
			if e := protocol.AsError(err); err == nil || e.Code != c.code || !strings.Contains(e.Message, c.says) {
				t.Errorf("%s: %v", c.changes, err)
			}
		}
	}
	if after := read(t, s.path("ann")); after != before {
		t.Errorf("the file is now %s", after)
	}
	must(t, s.Check("ann", change(t, "mode", "new"), false))
	if s.Effective("ann", nil).Values.Mode != "old" {
		t.Error("Check changed something")
	}
	both := map[string]json.RawMessage{"profiles": []byte(`{"fast":{"max_tokens":9}}`), "active_profile": []byte(`"fast"`), "mcp_servers": []byte(`{"a":{"command":"sh"}}`)}
	must(t, s.Update("ann", both, true))
	must(t, s.Update("ann", change(t, "mcp_servers", map[string]MCPServer{"a": {Command: "sh"}, "b": {URL: "https://h"}}), false)) // what holds may stay
	if err := s.Update("ann", map[string]json.RawMessage{"profiles": nil}, true); err == nil {
		t.Error("the active profile was removed")
	}
	if p := s.Effective("ann", nil).Profile(); p.MaxTokens != 9 || p.Model != "auto" {
		t.Errorf("profile %+v", p)
	}
	if p := s.Effective("ann", change(t, "model", "own")).Profile(); p.MaxTokens != 0 || p.Model != "own" {
		t.Errorf("a session's model is weaker than a profile: %+v", p)
	}
	if info, err := os.Stat(s.path("ann")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v (%v)", info.Mode(), err)
	}
}

func TestReset(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	must(t, s.Update("ann", map[string]json.RawMessage{"mode": raw(t, "a"), "language": raw(t, "ko")}, false))
	must(t, s.Update("ann", map[string]json.RawMessage{"mode": []byte("null")}, false))
	if v := s.Effective("ann", nil).Values; v.Mode != "code" || v.Language != "ko" {
		t.Errorf("one: %+v", v)
	}
	done, err := s.Reset("ann")
	must(t, err)
	if v := s.Effective("ann", nil).Values; v.Language != "auto" || !slices.Equal(done.Keys, []string{"language"}) || done.Moved != "" {
		t.Errorf("all: %+v, %+v", done, v)
	}
	if done, err := s.Reset("ann"); err != nil || done.Keys != nil || done.Moved != "" {
		t.Errorf("again: %+v, %v", done, err)
	}
	if done, err := s.Reset("bob"); err != nil || done.Keys != nil {
		t.Errorf("nothing there: %+v, %v", done, err)
	}
}

// A reset leaves nothing, also of what this version does not know or cannot use,
// and takes a file that it cannot read out of the way.
func TestResetIsWhole(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	path := s.path("ann")
	write(t, path, `{"version":1,"owner":"ann","note":"mine","settings":{"future":1,"language":"fr","mode":"x","retention_days":3,"experiments":{}}}`)
	var told []string
	s.Effective("ann", nil)
	s.Subscribe(func(c Change) { told = append(told, c.Owner+":"+strings.Join(c.Keys, ",")) })
	done, err := s.Reset("ann")
	must(t, err)
	if want := []string{"experiments", "future", "language", "mode", "note", "retention_days"}; !slices.Equal(done.Keys, want) || done.Moved != "" {
		t.Errorf("reset %+v", done)
	}
	if got, want := read(t, path), "{\n  \"owner\": \"ann\",\n  \"settings\": {},\n  \"version\": 1\n}\n"; got != want {
		t.Errorf("the file is now %s", got)
	}
	if p := s.Problems("ann", true); len(p) != 0 || s.Effective("ann", nil).Values.Mode != "code" || !slices.Equal(told, []string{"ann:mode"}) {
		t.Errorf("problems %v, told %v", p, told)
	}
	var moved []string
	for _, text := range []string{"{oops", "[]"} {
		write(t, s.path(""), text)
		done, err = s.Reset("")
		must(t, err)
		if !strings.HasPrefix(done.Moved, s.path("")+".broken-") || done.Keys != nil || read(t, done.Moved) != text || slices.Contains(moved, done.Moved) {
			t.Errorf("reset %+v", done)
		}
		moved = append(moved, done.Moved)
		if p := s.Problems("ann", true); len(p) != 0 {
			t.Errorf("problems %v", p)
		}
	}
	must(t, s.Update("ann", change(t, "retention_days", 3), true))
}

func TestExportAndImport(t *testing.T) {
	s := open(t, t.TempDir(), Options{Env: env(map[string]string{"PARLEY_MODE": "outside"})})
	must(t, s.Update("ann", change(t, "language", "ko"), false))
	must(t, s.Update("ann", change(t, "retention_days", 3), true))
	data, err := s.Export("ann", true).Encode()
	must(t, err)
	if want := "{\n  \"version\": 1,\n  \"settings\": {\n    \"language\": \"ko\",\n    \"retention_days\": 3\n  }\n}\n"; string(data) != want {
		t.Errorf("exported %s", data)
	}
	if e := s.Export("ann", false); len(e.Settings) != 1 {
		t.Errorf("exported to no admin: %v", e)
	}
	other := open(t, t.TempDir(), Options{})
	if err := other.Import("bob", data, false); err == nil || len(other.Export("bob", true).Settings) != 0 {
		t.Errorf("half was imported: %v", err)
	}
	must(t, other.Import("bob", data, true))
	if got, _ := other.Export("bob", true).Encode(); string(got) != string(data) {
		t.Errorf("imported %s", got)
	}
	for text, says := range map[string]string{
		"{\"version\":1,\"settings\":{\n\"mode\":\"x\",\n\"language\":\"fr\"}}": "line 3: language: must be", `{"version":9,"settings":{}}`: "newer Parley",
		`[]`: "not a JSON object", `{"taskHistory":[]}`: "no setting",
	} {
		if err := other.Import("bob", []byte(text), true); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Names that editor extensions use are read as ours.
func TestMigration(t *testing.T) {
	e, err := ParseExport([]byte(`{"apiProvider":"anthropic","apiModelId":"big","customInstructions":"be brief","autoApprovalEnabled":true,
		"alwaysAllowReadOnly":true,"alwaysAllowWrite":false,"alwaysAllowExecute":true,"mode":"code","experiments":{"x":true},"ttsEnabled":true,"apiKey":"hunter2","autoCondenseContextPercent":70,"language":null}`))
	must(t, err)
	got, err := json.Marshal(e.Settings)
	must(t, err)
	if want := `{"auto_approval_enabled":true,"auto_approve":["read","execute"],"condense_percent":70,"custom_instructions":"be brief","mode":"code","model":"anthropic/big"}`; string(got) != want {
		t.Errorf("got %s", got)
	}
	if want := []string{"apiKey", "experiments", "ttsEnabled"}; !slices.Equal(e.Unused, want) {
		t.Errorf("unused are %v, want %v", e.Unused, want)
	}
	// A stored file of an old version is read, and is of the new one once written.
	s := open(t, t.TempDir(), Options{})
	write(t, s.path("ann"), `{"customInstructions":"be brief","odd":1}`)
	if v := s.Effective("ann", nil).Values; v.CustomInstructions != "be brief" {
		t.Errorf("values %+v", v)
	}
	must(t, s.Update("ann", change(t, "language", "ko"), false))
	if text := read(t, s.path("ann")); !strings.Contains(text, `"version": 1`) || !strings.Contains(text, "custom_instructions") || !strings.Contains(text, `"odd": 1`) {
		t.Errorf("written %s", text)
	}
	// A file of a newer version keeps its number.
	write(t, s.path("bob"), `{"version":7,"settings":{"language":"ko"}}`)
	must(t, s.Update("bob", change(t, "mode", "x"), false))
	if !strings.Contains(read(t, s.path("bob")), `"version": 7`) {
		t.Error("the version went back")
	}
}

// Subscribers are told in order, of what other processes wrote too, and may use
// the store.
func TestChangesAreTold(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "parley.yaml")
	s := open(t, dir, Options{File: file})
	var mu sync.Mutex
	var told []string
	cancel := s.Subscribe(func(c Change) {
		s.Effective(c.Owner, nil)
		if slices.Contains(c.Keys, "language") {
			must(t, s.Update("ann", change(t, "mode", "reacted"), false))
		}
		mu.Lock()
		defer mu.Unlock()
		told = append(told, c.Owner+":"+strings.Join(c.Keys, ","))
	})
	s.Effective("ann", nil)
	must(t, s.Update("ann", change(t, "language", "ko"), false))
	must(t, s.Update("ann", change(t, "language", "ko"), false)) // no change
	must(t, s.Update("ann", change(t, "retention_days", 2), true))
	other := open(t, dir, Options{})
	must(t, other.Update("ann", change(t, "mode", "elsewhere"), false))
	if s.Effective("ann", nil).Values.Mode != "elsewhere" {
		t.Error("what another process wrote is not seen")
	}
	write(t, file, "mistake_limit: 9\n")
	if s.Effective("ann", nil).Values.MistakeLimit != 9 {
		t.Error("the file's change is not seen")
	}
	must(t, other.Update("ann", change(t, "mode", "elsewhere again"), false))
	must(t, other.Update("ann", change(t, "retention_days", 4), true))
	write(t, file, "mistake_limit: 10\n")
	s.Look()
	s.Look()
	cancel()
	must(t, s.Update("ann", change(t, "mode", "unheard"), false))
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(told, " "); got != "ann:language ann:mode :retention_days ann:mode :mistake_limit :mistake_limit :retention_days ann:mode" {
		t.Errorf("told %s", got)
	}
}

func TestManyOwnersAtOnce(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			owner := fmt.Sprint("owner/../", i%4)
			for n := range 10 {
				if err := s.Update(owner, change(t, "mistake_limit", n), false); err != nil {
					t.Error(err)
				}
				s.Effective(owner, change(t, "mode", "x"))
			}
		})
	}
	wg.Wait()
	for i := range 4 {
		if got := s.Effective(fmt.Sprint("owner/../", i), nil).Values.MistakeLimit; got != 9 {
			t.Errorf("owner %d: %d", i, got)
		}
	}
	files, err := os.ReadDir(s.options.Dir)
	must(t, err)
	if len(files) != 5 { // four owners and the lock
		t.Errorf("files %v", files)
	}
}

// What is kept in memory does not grow with the number of owners.
func TestMemoryIsBounded(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	for i := range maxKnown + 50 {
		s.Effective(fmt.Sprint(i), nil)
	}
	if len(s.stored) > maxKnown+1 || len(s.known) > maxKnown+1 {
		t.Errorf("%d and %d are kept", len(s.stored), len(s.known))
	}
}

func TestBudgets(t *testing.T) {
	v := Values{Budgets: Budgets{Turn: Budget{HardUSD: 5, HardTokens: 10}}, ServerBudgets: Budgets{Turn: Budget{SoftUSD: 1, HardUSD: 2}}}
	if got := v.Budget().Turn; got != (Budget{SoftUSD: 1, HardUSD: 2, HardTokens: 10}) {
		t.Errorf("got %+v", got)
	}
}

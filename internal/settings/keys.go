package settings

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/parley-dev/parley/protocol"
)

// Scope says how near to the work a key may be set: a key of a session may also
// be set for its owner, and every key for the server.
type Scope string

const (
	ScopeServer  Scope = "server"  // by admins, for everybody
	ScopeOwner   Scope = "owner"   // by each account for its own sessions
	ScopeSession Scope = "session" // also for one session
)

// Key is one row of the table. Its type is that of the field of Values with the
// same name.
type Key struct {
	Name    string
	Scope   Scope
	Default any
	// Allowed are the words a text may be, or a list may hold; nil allows all.
	Allowed []string
	// Min and Max bound a number; Max alone bounds the bytes of a text. Both
	// zero: no bounds but those that every value has.
	Min, Max float64
	Doc      string
	Since    string // the version that brought the key
	// NextStart says that a change counts from the next start of the server.
	NextStart bool
	// check says why a value cannot be used; accept why it is not stored anew,
	// although one that is there already is used; mask how a value is shown in
	// which secrets stand in plain words.
	check  func(v any) error
	accept func(v any) error
	mask   func(v any) (shown json.RawMessage, spots []spot)
}

const (
	maxWords = 64 << 10 // of instructions and prompts
	maxText  = 1000     // of every other text
	maxItems = 1000     // of a list or a map
)

// Keys is the table of all settings.
func Keys() []Key {
	keys := []Key{
		{Name: "model", Scope: ScopeSession, Default: "auto", check: modelName,
			Doc: "Model of sessions that name none and have no profile."},
		{Name: "profiles", Scope: ScopeOwner, Default: map[string]Profile{}, check: profiles,
			Doc: "Named model settings: name → `{model, max_tokens, temperature, reasoning_effort, fallback}`."},
		{Name: "active_profile", Scope: ScopeSession, Default: "",
			Doc: "The profile in use: a name in `profiles`, or empty for none."},
		{Name: "custom_instructions", Scope: ScopeSession, Default: "", Max: maxWords,
			Doc: "What every agent is told beside its own instructions."},
		{Name: "language", Scope: ScopeSession, Default: "auto", Allowed: []string{"auto", "en", "ko"},
			Doc: "Language in which agents speak to people; `auto` is the one that they are spoken to in."},
		{Name: "mode", Scope: ScopeSession, Default: "code", check: plainName,
			Doc: "Way of working of sessions that name none."},
		{Name: "custom_modes", Scope: ScopeOwner, Default: map[string]Mode{}, check: modes,
			Doc: "Modes of your own: name → `{prompt, tool_groups}`; tool groups are the words of `auto_approve`."},

		{Name: "auto_approval_enabled", Scope: ScopeSession, Default: true,
			Doc: "Whether anything runs without asking. When off, `auto_approve` and `allowed_commands` count for nothing."},
		{Name: "auto_approve", Scope: ScopeSession, Default: []string{"read"}, Allowed: toolClasses(),
			Doc: "Classes of tools that run without asking."},
		{Name: "auto_approval_max_requests", Scope: ScopeSession, Default: 50, Min: 0, Max: 10_000,
			Doc: "How many calls in a row may run without asking anybody; 0 is no limit."},
		{Name: "mistake_limit", Scope: ScopeSession, Default: 3, Min: 0, Max: 100,
			Doc: "How many calls in a row may be ones that cannot run, before a person is asked; 0 is no limit."},
		{Name: "allowed_commands", Scope: ScopeOwner, Default: []string{},
			Doc: "Commands that run without asking, by their beginning: `git status`."},
		{Name: "denied_commands", Scope: ScopeOwner, Default: []string{},
			Doc: "Commands that never run, by their beginning; stronger than `allowed_commands` where both fit."},

		{Name: "terminal_output_lines", Scope: ScopeOwner, Default: 500, Min: 10, Max: 100_000,
			Doc: "Lines of a command's output that the model is shown; the rest is cut from the middle."},
		{Name: "terminal_output_bytes", Scope: ScopeOwner, Default: 64 << 10, Min: 1 << 10, Max: 128 << 10,
			Doc: "Bytes of a command's output that the model is shown."},
		{Name: "terminal_timeout_seconds", Scope: ScopeOwner, Default: 120, Min: 1, Max: 600,
			Doc: "How long a command may run that names no limit of its own."},

		{Name: "checkpoints_enabled", Scope: ScopeSession, Default: true,
			Doc: "Whether the files of the workspace are saved as the agent changes them."},
		{Name: "checkpoints_timeout_seconds", Scope: ScopeOwner, Default: 30, Min: 1, Max: 600,
			Doc: "How long a checkpoint may take before it is given up and said so."},
		{Name: "checkpoints_max_file_bytes", Scope: ScopeServer, Default: 10 << 20, Min: 1 << 10, Max: 1 << 30, NextStart: true,
			Doc: "Files larger than this are not captured by checkpoints."},

		{Name: "condense_auto", Scope: ScopeSession, Default: true,
			Doc: "Whether a long history is condensed by itself."},
		{Name: "condense_percent", Scope: ScopeSession, Default: 80, Min: 10, Max: 100,
			Doc: "Share of the model's context window, in percent, at which that happens."},

		{Name: "mcp_servers", Scope: ScopeOwner, Default: map[string]MCPServer{}, check: mcpServers, accept: acceptServers, mask: maskServers,
			Doc: "Servers of tools: name → `{command, args, env}` or `{url, headers}`, and `{disabled, always_allow}`. Secrets by reference: `secret:NAME`."},
		{Name: "budgets", Scope: ScopeSession, Default: Budgets{}, check: budgets,
			Doc: "Bounds on cost: `turn`, `session`, `owner`, each `{soft_usd, hard_usd, soft_tokens, hard_tokens}`; 0 is no bound."},

		{Name: "server_budgets", Scope: ScopeServer, Default: Budgets{}, check: budgets,
			Doc: "Bounds for every account; of these and `budgets` the stricter hold."},
		{Name: "fetch_allow", Scope: ScopeServer, Default: []string{"*"}, check: hosts, NextStart: true,
			Doc: "Hosts that `fetch_url` may reach: `example.com`, `*.example.com`, or `*` for all."},
		{Name: "retention_days", Scope: ScopeServer, Default: 0, Min: 0, Max: 36_500,
			Doc: "Sessions that nobody touched for so many days are deleted; 0 keeps them."},
		{Name: "secrets_keyring", Scope: ScopeServer, Default: true,
			Doc: "Whether the key of the secrets goes into the desktop's keyring where one answers. Counts when the first secret is stored, and at each rotation."},
	}
	for i := range keys {
		keys[i].Since = "0.1.0"
		if keys[i].NextStart {
			keys[i].Doc += " Counts from the next start."
		}
	}
	return keys
}

func toolClasses() (words []string) {
	for _, c := range protocol.ToolClasses() {
		words = append(words, string(c))
	}
	return words
}

// table is Keys in the forms that lookups need. It is made once for a store.
type table struct {
	keys   []Key
	byName map[string]Key
	fields map[string]int // name → field of Values
}

func newTable() table {
	t := table{keys: Keys(), byName: map[string]Key{}, fields: map[string]int{}}
	for i, f := range reflect.VisibleFields(reflect.TypeFor[Values]()) {
		t.fields[f.Tag.Get("json")] = i
	}
	for _, k := range t.keys {
		t.byName[k.Name] = k
	}
	return t
}

// key finds a key by its name; a file may write it with dashes, as flags are.
func (t table) key(name string) (Key, bool) {
	k, ok := t.byName[strings.ReplaceAll(name, "-", "_")]
	return k, ok
}

func (t table) typeOf(k Key) reflect.Type {
	return reflect.TypeFor[Values]().Field(t.fields[k.Name]).Type
}

// IsKey says whether parley.yaml may hold a setting of this name.
func IsKey(name string) bool {
	_, ok := newTable().key(name)
	return ok || slices.Contains(retired(), name)
}

// retired are keys of before that did nothing. Wherever they are written they are
// left out, and nobody is bothered.
func retired() []string { return []string{"experiments"} }

// Type names what a value of the key is, for people.
func (k Key) Type() string {
	switch reflect.TypeOf(k.Default).Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "whole number"
	case reflect.Slice:
		return "list of texts"
	}
	return "object"
}

// DefaultJSON is the default as JSON.
func (k Key) DefaultJSON() json.RawMessage {
	b, err := json.Marshal(k.Default)
	if err != nil {
		panic(fmt.Sprintf("settings: the default of %s cannot be written: %v", k.Name, err)) // plain data: always can
	}
	return b
}

// Variable is the key's name in the environment.
func (k Key) Variable() string { return "PARLEY_" + strings.ToUpper(k.Name) }

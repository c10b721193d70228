package settings

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of keys into the page")

// The table and Values are two sides of one thing.
func TestEveryKeyIsAValue(t *testing.T) {
	table := newTable()
	fields := reflect.TypeFor[Values]()
	if len(table.keys) != fields.NumField() || len(table.byName) != len(table.keys) {
		t.Fatalf("%d keys, %d names, %d values", len(table.keys), len(table.byName), fields.NumField())
	}
	for _, k := range table.keys {
		if _, ok := table.fields[k.Name]; !ok {
			t.Errorf("%s is no field of Values", k.Name)
			continue
		}
		if got, want := reflect.TypeOf(k.Default), table.typeOf(k); got != want {
			t.Errorf("%s: the default is %s, the field %s", k.Name, got, want)
		}
		if _, err := table.decode(k, k.DefaultJSON()); err != nil {
			t.Errorf("%s: the default is refused: it %v", k.Name, err)
		}
		if !strings.HasSuffix(k.Doc, ".") || k.Since == "" {
			t.Errorf("%s is not described", k.Name)
		}
	}
}

// Every way to be wrong is told in words about the value.
func TestValuesAreChecked(t *testing.T) {
	table := newTable()
	for _, c := range []struct{ key, value, says string }{
		{"language", `"fr"`, "one of auto, en, ko"},
		{"language", `5`, "must be a text"},
		{"language", `null`, "not null"},
		{"mistake_limit", `"three"`, "must be a whole number"},
		{"mistake_limit", `1.5`, "must be a whole number"},
		{"mistake_limit", `-1`, "from 0 to 100"},
		{"mistake_limit", `1 2`, "valid JSON"},
		{"condense_auto", `"yes"`, "true or false"},
		{"model", `""`, "must name a model"},
		{"custom_instructions", `"` + strings.Repeat("x", maxWords+1) + `"`, "at most 65536"},
		{"auto_approve", `["read","fly"]`, "item 2 must be one of read, write"},
		{"auto_approve", `["read","read"]`, "twice"},
		{"allowed_commands", `[""]`, "item 1 is empty"},
		{"allowed_commands", `["a\u0000"]`, "not plain text"},
		{"profiles", `{"fast":{"temperature":3}}`, "fast: temperature must be"},
		{"profiles", `{"fast":{"reasoning_effort":"huge"}}`, "none, minimal"},
		{"profiles", `{"fast":{"speed":3}}`, `fast cannot have a field "speed"`},
		{"profiles", `{"fast":{"MODEL":"m"}}`, `fast cannot have a field "MODEL"; there is model`},
		{"profiles", `{"fast":{"model":"m","Model":"n"}}`, `there is model`},
		{"profiles", `{"fast":{"max_token":1}}`, `there is max_tokens`},
		{"profiles", `{"fast":{"Max-Tokens":1}}`, `there is max_tokens`},
		{"custom_modes", `{"mine":{"Prompt":"p"}}`, `mine cannot have a field "Prompt"; there is prompt`},
		{"mcp_servers", `{"a":{"command":"x","ENV":{}}}`, `a cannot have a field "ENV"; there is env`},
		{"budgets", `{"turn":{"SOFT_USD":1}}`, `turn cannot have a field "SOFT_USD"; there is soft_usd`},
		{"budgets", `{"Turn":{}}`, `cannot have a field "Turn"; there is turn`},
		{"budgets", `{"hours":{}}`, `cannot have a field "hours"; it has turn, session, owner`},
		{"budgets", `{"turn":{"soft_usd":1e400}}`, "turn.soft_usd is too large a number"},
		{"budgets", `{"turn":{"soft_tokens":99999999999999999999}}`, "turn.soft_tokens is too large a number"},
		{"budgets", `{"turn":{"soft_tokens":1.5}}`, "turn.soft_tokens must be a whole number"},
		{"budgets", `{"turn":{"soft_tokens":1e3}}`, "turn.soft_tokens must be a whole number, written without e"},
		{"mistake_limit", `1e400`, "must be from 0 to 100"},
		{"mistake_limit", `99999999999999999999`, "must be from 0 to 100"},
		{"mistake_limit", `5e0`, "must be a whole number, written without e"},
		{"profiles", `{"a/b":{}}`, "is no name"},
		{"profiles", `{"fast":{"max_tokens":"many"}}`, "max_tokens is a string and must be a whole number"},
		{"custom_modes", `{"mine":{}}`, "prompt is missing"},
		{"custom_modes", `{"mine":{"prompt":"p","tool_groups":["fly"]}}`, "tool_groups"},
		{"budgets", `{"turn":{"soft_usd":2,"hard_usd":1}}`, "turn: soft_usd"},
		{"budgets", `{"owner":{"hard_tokens":-1}}`, "below 0"},
		{"fetch_allow", `["http://x"]`, "must be a host"},
		{"mcp_servers", `{"a":{}}`, "either command"},
		{"mcp_servers", `{"a":{"command":"x","url":"http://y"}}`, "either command"},
		{"mcp_servers", `{"a":{"url":"file:///etc"}}`, "http://"},
		{"mcp_servers", `{"a":{"url":"https://u:p@h/"}}`, "without a password"},
		{"mcp_servers", `{"a":{"command":"x","env":{"TOKEN":"hunter2-hunter2"}}}`, "secret:TOKEN"},
		{"mcp_servers", `{"a":{"command":"x","env":{"TOKEN":"x secret:TOKEN"}}}`, "must be a reference"},
		{"mcp_servers", `{"a":{"url":"https://h","headers":{"Authorization":"Bearer hunter2-hunter2"}}}`, "must refer to a secret"},
		{"mcp_servers", `{"a":{"url":"https://h","headers":{"X":"a\nb"}}}`, "one short line"},
	} {
		k, _ := table.key(c.key)
		_, err := table.decode(k, json.RawMessage(c.value))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s = %s: want %q, got %v", c.key, c.value, c.says, err)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error holds the value: %v", c.key, err)
		}
	}
	for key, value := range map[string]string{
		"profiles":    `{"fast one":{"model":"m","temperature":0,"reasoning_effort":"low","fallback":["a","b"]}}`,
		"mcp_servers": `{"a":{"command":"x","args":["-v"],"env":{"T":"secret:T"}},"b":{"url":"https://h","headers":{"Authorization":"Bearer secret:T","X-A":"b"}}}`,
		"fetch_allow": `["*","example.com","*.example.com","localhost:8080"]`,
		"budgets":     `{"turn":{"soft_usd":0.5,"hard_usd":1}}`,
	} {
		k, _ := table.key(key)
		if _, err := table.decode(k, json.RawMessage(value)); err != nil {
			t.Errorf("%s = %s is refused: it %v", key, value, err)
		}
	}
}

func TestTextsAreParsed(t *testing.T) {
	for _, c := range []struct{ key, text, want string }{
		{"language", "ko", `"ko"`}, {"mistake_limit", "5", "5"}, {"condense_auto", "false", "false"},
		{"auto_approve", "read, write", `["read","write"]`}, {"auto_approve", `["mcp"]`, `["mcp"]`},
		{"allowed_commands", "", "[]"}, {"budgets", `{"turn":{"soft_usd":1}}`, `{"turn":{"soft_usd":1}}`}, {"condense-percent", "50", "50"},
	} {
		if got, err := ParseText(c.key, c.text); err != nil || string(got) != c.want {
			t.Errorf("%s %q: %s (%v), want %s", c.key, c.text, got, err, c.want)
		}
	}
	for key, text := range map[string]string{"language": "fr", "mistake_limit": "five", "budgets": "x", "nothing": "x", "condense_auto": "maybe"} {
		if got, err := ParseText(key, text); err == nil {
			t.Errorf("%s %q gave %s", key, text, got)
		}
	}
}

const (
	page  = "../../docs/settings.md"
	begin = "<!-- keys: made by go generate ./internal/settings -->\n"
	end   = "<!-- end of keys -->\n"
)

// The table of the page is this table.
func TestKeyTableIsUpToDate(t *testing.T) {
	text := read(t, page)
	before, rest, ok := strings.Cut(text, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table of keys", page)
	}
	want := before + begin + markdown() + end + after
	if *update {
		must(t, os.WriteFile(page, []byte(want), 0o644))
	} else if text != want {
		t.Errorf("%s is not what the table of keys gives: run make generate", page)
	}
}

func markdown() string {
	var b strings.Builder
	b.WriteString("| key | scope | type | default | since | what it does |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, k := range Keys() {
		kind := k.Type()
		switch {
		case k.Allowed != nil:
			kind += ": " + strings.Join(k.Allowed, ", ")
		case kind == "whole number":
			kind += fmt.Sprintf(" from %s to %s", number(k.Min), number(k.Max))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` | %s | %s |\n", k.Name, k.Scope, kind, k.DefaultJSON(), k.Since, k.Doc)
	}
	return b.String()
}

// A name that is nearly right is told what it should be.
func TestNearestKey(t *testing.T) {
	for name, want := range map[string]string{
		"langauge": "language", "active-profil": "active_profile", "retention": "retention_days", "Model": "model", "modl": "model",
		"mod": "mode", "nothing": "", "x": "", "": "", strings.Repeat("x", 100): "",
	} {
		if got := nearestKey(strings.ReplaceAll(name, "-", "_")); got != want {
			t.Errorf("%q is taken for %q, want %q", name, got, want)
		}
	}
	if err := unknownKey("langauge"); !strings.Contains(err.Error(), "there is language") {
		t.Error(err)
	}
}

// A number that YAML takes for infinite is too large too.
func TestNumbersOfYAML(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "parley.yaml")
	write(t, file, "budgets: {turn: {soft_usd: .inf}}\n")
	p := open(t, dir, Options{File: file}).Problems("", true)
	if len(p) != 1 || !strings.Contains(p[0].Text, "a number that is too large") {
		t.Errorf("problems %v", p)
	}
}

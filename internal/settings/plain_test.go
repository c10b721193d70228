package settings

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/secret"
)

// holders are entries of mcp_servers with a secret in plain words, and the place
// that errors name.
var holders = map[string]string{
	`{"url":"https://h","headers":{"X-Auth-Token":"hunter2-hunter2"}}`:                 "docs: headers: X-Auth-Token",
	`{"url":"https://h","headers":{"apiKey":"hunter2-hunter2"}}`:                       "docs: headers: apiKey",
	`{"url":"https://h","headers":{"X-Session-Cookie":"a=hunter2-hunter2"}}`:           "docs: headers: X-Session-Cookie",
	`{"url":"https://h/mcp?a=1&api_key=hunter2-hunter2#x"}`:                            "docs: url: api_key",
	`{"url":"https://h/mcp?exaApiKey=hunter2-hunter2"}`:                                "docs: url: exaApiKey",
	`{"url":"https://h/mcp?client%5Fsecret=hunter2-hunter2"}`:                          "docs: url: client_secret",
	`{"url":"https://h/mcp#access_token=hunter2-hunter2"}`:                             "docs: url: access_token",
	`{"command":"x","args":["-v","--token","hunter2-hunter2"]}`:                        "docs: args: --token",
	`{"command":"x","args":["--api-key=hunter2-hunter2"]}`:                             "docs: args: --api-key",
	`{"command":"x","args":["-password","hunter2-hunter2","--port","80"]}`:             "docs: args: -password",
	`{"command":"docker","args":["run","-e","GITHUB_TOKEN=hunter2-hunter2"]}`:          "docs: args: GITHUB_TOKEN",
	`{"command":"npx","args":["--header","Authorization: Bearer hunter2-hunter2"]}`:    "docs: args: Authorization",
	`{"command":"npx","args":["mcp-remote","https://h/?token=hunter2-hunter2"]}`:       "docs: args: token",
	`{"command":"npx","args":["postgres://me:hunter2-hunter2@h/db?sslmode=disable"]}`:  "docs: args: the password of an address",
	`{"command":"sh","args":["-c","API_KEY=hunter2-hunter2 serve"]}`:                   "docs: args: API_KEY",
	`{"command":"x","args":["--token","hunter2-hunter2"],"always_allow":["a"]}`:        "docs: args: --token",
	`{"command":"x","args":["--token"," hunter2-hunter2"]}`:                            "docs: args: --token",
	`{"url":"https://h","headers":{"X-Token":"hunter2-hunter2"},"disabled":true}`:      "docs: headers: X-Token",
	`{"command":"x","args":["--set","db.password=hunter2-hunter2"]}`:                   "docs: args: db.password",
	`{"url":"https://h?x=%zz&token=hunter2-hunter2","headers":{"X-A":"b","X-B":"cc"}}`: "docs: url: token",
}

// innocent are entries that hold none.
var innocent = []string{
	`{"url":"https://h/mcp?page=2&max_tokens=500&token=","headers":{"X-A":"b","X-Token":"secret:T","X-Public-Key":"abc"}}`,
	`{"command":"x","args":["--token-limit","500","--max-tokens=5","--key","server.pem","--no-cookie","on","monkey=1"]}`,
	`{"command":"x","args":["--token","--verbose","--token"],"env":{"TOKEN":"secret:TOKEN"}}`,
	`{"command":"npx","args":["--header","Authorization:${AUTH}","--header","X-Token: Bearer $AUTH","-e","GITHUB_TOKEN","--require-token=true"]}`,
	`{"command":"x","args":["https://h/a?b=c","C:\\token","postgres://me@h/db","a b=c"]}`,
}

func TestPlainSecretsAreRefused(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	for entry, place := range holders {
		value := `{"docs":` + entry + `}`
		changes := map[string]json.RawMessage{"mcp_servers": []byte(value)}
		_, typed := ParseText("mcp_servers", value)
		_, imported := ParseExport([]byte("{\"version\":1,\"settings\":{\"language\":\"ko\",\n\"mcp_servers\":" + value + "}}"))
		for _, err := range []error{s.Update("ann", changes, true), s.Check("ann", changes, true), typed, imported} {
			if err == nil || !strings.Contains(err.Error(), place) || !strings.Contains(err.Error(), "mcp_servers") {
				t.Errorf("%s: %v", entry, err)
				continue
			}
			if strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "`parley secrets set ") || !strings.Contains(err.Error(), "secret:") {
				t.Errorf("%s: tells the secret, or not what to do: %v", entry, err)
			}
		}
		if imported != nil && !strings.Contains(imported.Error(), "line 2: mcp_servers: "+place) {
			t.Errorf("the import says %v", imported)
		}
	}
	for _, entry := range innocent {
		must(t, s.Update("ann", map[string]json.RawMessage{"mcp_servers": []byte(`{"docs":` + entry + `}`)}, true))
		if i, _ := s.Effective("ann", nil).Item("mcp_servers"); i.Masked || strings.Contains(string(i.Value), hidden) {
			t.Errorf("%s is shown as %s", entry, i.Value)
		}
	}
	// What references are not put into must not look as if they were.
	for _, entry := range []string{`{"command":"x","args":["--token","secret:T"]}`, `{"url":"https://h/?api_key=secret:T"}`} {
		err := s.Update("ann", map[string]json.RawMessage{"mcp_servers": []byte(`{"docs":` + entry + `}`)}, true)
		if err == nil || !strings.Contains(err.Error(), "parley secrets set") {
			t.Errorf("%s: %v", entry, err)
		}
	}
	// What was taken out for people to see does not come back as a value.
	for _, entry := range []string{`{"command":"x","args":["--mode","[secret:T]"]}`, `{"url":"https://h/?a=[secret]"}`, `{"url":"https://h","headers":{"X":"[secret]"}}`} {
		err := s.Update("ann", map[string]json.RawMessage{"mcp_servers": []byte(`{"docs":` + entry + `}`)}, true)
		if err == nil || !strings.Contains(err.Error(), "stands for a value that is not shown") {
			t.Errorf("%s: %v", entry, err)
		}
	}
}

// What was stored before plain secrets were refused works, and is shown to
// nobody.
func TestStoredPlainSecretsAreNotShown(t *testing.T) {
	for entry, place := range holders {
		s := open(t, t.TempDir(), Options{})
		write(t, s.path("ann"), `{"version":1,"settings":{"language":"ko","mcp_servers":{"good":{"command":"y"},"docs":`+entry+`}}}`)
		e := s.Effective("ann", nil)
		used, err := json.Marshal(e.Values.MCPServers)
		must(t, err)
		if !strings.Contains(string(used), "hunter2-hunter2") {
			t.Errorf("%s is used as %s", entry, used)
		}
		i, _ := e.Item("mcp_servers")
		if strings.Contains(string(i.Value), "hunter2") || !strings.Contains(string(i.Value), hidden) || !i.Masked || !json.Valid(i.Value) {
			t.Errorf("%s is shown as %s", entry, i.Value)
		}
		p := s.Problems("ann", false)
		if len(p) != 1 || !strings.Contains(p[0].Text, place) || !strings.Contains(p[0].Text, "it is used") || p[0].Line != 1 || strings.Contains(p[0].Text, "hunter2") {
			t.Errorf("%s: problems %v", entry, p)
		}
		out := s.Export("ann", true)
		data, err := out.Encode()
		must(t, err)
		if strings.Contains(string(data), "docs") || strings.Contains(string(data), "hunter2") || !strings.Contains(string(data), `"good"`) || len(out.LeftOut) != 1 || out.LeftOut[0] != "mcp_servers: docs" {
			t.Errorf("%s is exported as %s; left out: %v", entry, data, out.LeftOut)
		}
		if _, err := ParseExport(data); err != nil {
			t.Errorf("the export cannot be imported: %v", err)
		}
	}
}

// Values of stored secrets are found wherever they were pasted, however JSON
// writes them.
func TestItemsAreRedacted(t *testing.T) {
	secrets := secretsIn(t.TempDir(), nil)
	must(t, secrets.Set("MY_TOKEN", secret.New(plain)))
	must(t, secrets.Set("QUOTED", secret.New("a\"b<c>&d\n-e")))
	redact := secrets.Redactor().Redact
	for text, want := range map[string]string{
		`{"docs":{"command":"x","args":["-z","hunter2-hunter2"]}}`:            `{"docs":{"args":["-z","[secret:MY_TOKEN]"],"command":"x"}}`,
		`{"docs":{"command":"x","args":["\u0068unter2-hunter2"]}}`:            `{"docs":{"args":["[secret:MY_TOKEN]"],"command":"x"}}`,
		`{"hunter2-hunter2":{"n":1.50}}`:                                      `{"[secret:MY_TOKEN]":{"n":1.50}}`,
		`"x a\"b\u003cc>&d\n-e x"`:                                            `"x [secret:QUOTED] x"`,
		`{"docs": {"command":"x", "args":["<b>"],"number":1e400,"yes":true}}`: `{"docs": {"command":"x", "args":["<b>"],"number":1e400,"yes":true}}`,
	} {
		got := Item{Key: "k", Value: []byte(text)}.Redact(redact)
		if string(got.Value) != want || got.Masked != (text != want) {
			t.Errorf("%s became %s, masked %v", text, got.Value, got.Masked)
		}
	}
	out := NewExport([]Item{
		Item{Key: "custom_instructions", Value: []byte(`"use hunter2-hunter2"`)}.Redact(redact),
		Item{Key: "mcp_servers", Value: []byte(`{"a":{"command":"hunter2-hunter2"},"b":{"command":"x"}}`)}.Redact(redact),
		Item{Key: "custom_modes", Value: []byte(`{"a":{"prompt":"hunter2-hunter2"}}`)}.Redact(redact),
		Item{Key: "language", Value: []byte(`"ko"`)}.Redact(redact),
	})
	if got, _ := json.Marshal(out.Settings); string(got) != `{"language":"ko","mcp_servers":{"b":{"command":"x"}}}` {
		t.Errorf("exported %s", got)
	}
	if got := strings.Join(out.LeftOut, ", "); got != "custom_instructions, mcp_servers: a, custom_modes: a" {
		t.Errorf("left out %s", got)
	}
}

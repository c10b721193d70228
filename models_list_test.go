package parley_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-dev/parley"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/modeltest/vendor"
)

func TestListOfModels(t *testing.T) {
	corrections := filepath.Join(t.TempDir(), "models.yaml")
	if err := os.WriteFile(corrections, []byte("anthropic/own-claude: {context_window: 77}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		env                map[string]string
		models             []string // that a server has
		has, lacks, absent string   // available, not available, not in the list
		auto               string   // the beginning of what it stands for
		silent             string
	}{
		{nil, nil, "offline", "anthropic/own-claude", "ollama/x", "offline", ""},
		{nil, []string{"nomic-embed-text", "x"}, "ollama/x", "openai/gpt-", "ollama/nomic-embed-text", "ollama/x", ""},
		{map[string]string{"ANTHROPIC_API_KEY": "k-1"}, nil, "anthropic/own-claude", "openai/gpt-", "ollama/", "anthropic/", ""},
		{map[string]string{"OPENAI_API_KEY": "k-1"}, nil, "openai/gpt-", "anthropic/claude-", "openai+chat/", "openai/gpt-", ""},
		{map[string]string{"OPENAI_BASE_URL": "http://box/v1"}, []string{"mine"}, "openai/mine", "anthropic/claude-", "openai/gpt-", "openai/mine", ""},
		{map[string]string{"OPENAI_BASE_URL": "http://box/v1"}, nil, "offline", "auto", "openai/", "", "OPENAI_BASE_URL"},
	} {
		source := source(t, &vendor.Server{Models: tc.models}, tc.env)
		source.CatalogFile, source.Agents = corrections, []string{"tool --acp", "tool --acp", "a|acp:b", ""}
		if tc.silent != "" {
			source.HTTP = &http.Client{Transport: nobody{}}
		}
		choices, silent := model.List(t.Context(), source.Providers())
		find := func(prefix string) (found model.Choice, ok bool) {
			i := slices.IndexFunc(choices, func(c model.Choice) bool { return strings.HasPrefix(c.Name, prefix) })
			if i < 0 {
				return found, false
			}
			return choices[i], true
		}
		if c, ok := find(tc.has); !ok || !c.Available || c.Reason != "" {
			t.Errorf("%v: %s is %+v", tc.env, tc.has, c)
		}
		if c, ok := find(tc.lacks); !ok || c.Available || c.Reason == "" {
			t.Errorf("%v: %s is %+v", tc.env, tc.lacks, c)
		}
		if c, ok := find(tc.absent); ok {
			t.Errorf("%v: %s is there: %+v", tc.env, tc.absent, c)
		}
		if c, _ := find("auto"); !strings.HasPrefix(c.StandsFor, tc.auto) || c.Available != (tc.auto != "") {
			t.Errorf("%v: auto is %+v", tc.env, c)
		}
		if c, _ := find("anthropic/own-claude"); c.ContextWindow != 77 {
			t.Errorf("of the person's own file is known %+v", c)
		}
		if (len(silent) == 1) != (tc.silent != "") || tc.silent != "" && !strings.Contains(silent[0].Error(), tc.silent) {
			t.Errorf("%v: silent are %v", tc.env, silent)
		}
		agents := slices.DeleteFunc(choices, func(c model.Choice) bool { return c.Provider() != "acp" })
		if len(agents) != 1 || agents[0].Name != "acp:tool --acp" {
			t.Errorf("agents are %+v", agents)
		}
	}
}

type nobody struct{}

func (nobody) RoundTrip(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }

// A key that is stored makes its vendor's models available at once; nobody is
// told the key.
func TestListOfModelsOnAServer(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OLLAMA_HOST", "PARLEY_MODELS"} {
		t.Setenv(name, "")
	}
	server, err := parley.New(parley.Options{Data: t.TempDir(), Model: "offline", Auth: "none"})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server.Handler())
	t.Cleanup(func() {
		web.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	available := func() (n int) {
		resp, err := http.Get(web.URL + "/api/v1/models")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		var list struct {
			Items []struct {
				Provider  string
				Available bool
				Window    int64   `json:"context_window"`
				Price     float64 `json:"input_price"`
			}
		}
		if err := json.Unmarshal(raw, &list); err != nil || strings.Contains(string(raw), "k-secret-1") {
			t.Fatalf("%v: %s", err, raw)
		}
		for _, i := range list.Items {
			if i.Provider == "openai" && i.Available && i.Window > 0 && i.Price > 0 {
				n++
			}
		}
		return n
	}
	if n := available(); n != 0 {
		t.Errorf("%d are available without a key", n)
	}
	req, err := http.NewRequest(http.MethodPut, web.URL+"/api/v1/secrets/OPENAI_API_KEY", strings.NewReader(`{"value":"k-secret-1"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if n := available(); n == 0 {
		t.Errorf("none is available with a key; storing it said %s", resp.Status)
	}
}

package parley

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/acp"
	"github.com/parley-dev/parley/model/anthropic"
	"github.com/parley-dev/parley/model/catalog"
	"github.com/parley-dev/parley/model/offline"
	"github.com/parley-dev/parley/model/openai"
	"github.com/parley-dev/parley/model/script"
)

// DefaultModels are the providers of a server that names none: offline, script,
// the vendors, and auto, which takes the best that is there. Keys and addresses
// come from the vendors' own environment variables, and what a person knows
// better than the built-in catalogue from the file that PARLEY_MODELS names.
//
// Agents to be hosted ("acp:COMMAND") are among them only if whoever runs the server
// chose them: in the names given here, or as a line of PARLEY_AGENTS.
func DefaultModels(chosen ...string) []model.Provider {
	return ModelSource{CatalogFile: os.Getenv("PARLEY_MODELS"), Agents: agents(chosen...)}.Providers()
}

// agents are the commands that whoever runs the server wants to be run.
func agents(chosen ...string) []string {
	commands := acp.Trusted(chosen...)
	for line := range strings.Lines(os.Getenv("PARLEY_AGENTS")) {
		commands = append(commands, strings.TrimSpace(line))
	}
	return commands
}

// ModelSource says where providers find what they need. The zero value takes the
// environment.
type ModelSource struct {
	// Getenv gives ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OPENAI_API_KEY,
	// OPENAI_BASE_URL and OLLAMA_HOST; os.Getenv if nil. Keys are asked for at
	// every call, so that a new one counts at once; addresses when a model is
	// opened.
	Getenv func(string) string
	// CatalogFile corrects the built-in catalogue, if it is there.
	CatalogFile string
	// HTTP carries the calls; it must have no timeout of its own.
	HTTP *http.Client
	// Agents are the commands that "acp:" may run.
	Agents []string
}

// Providers gives all that can be opened.
func (s ModelSource) Providers() []model.Provider {
	v := newVendors(s)
	named := []model.Provider{
		rules(),
		script.Provider(),
		hosted(s),
		{Prefix: anthropic.Prefix, Open: v.anthropic, List: v.listAnthropic},
		{Prefix: "openai/", Open: v.openai(openai.Choose), List: v.listOpenAI},
		{Prefix: "openai+responses/", Open: v.openai(openai.Responses)},
		{Prefix: "openai+chat/", Open: v.openai(openai.Chat)},
		{Prefix: "ollama/", Open: v.ollama, List: v.listOllama},
	}
	return append(named, model.Provider{
		Prefix: "auto",
		Open: func(ctx context.Context, _ string) (model.Model, error) {
			name, err := v.best(ctx)
			if err != nil {
				return nil, err
			}
			return model.Resolve(ctx, named, name)
		},
		List: v.listAuto,
	})
}

// vendors opens models of vendors.
type vendors struct {
	getenv  func(string) string
	http    *http.Client
	catalog func() (*catalog.Catalog, error)

	mu     sync.Mutex
	probed time.Time // when this machine was last asked
	local  string    // what it has
	told   map[string]told
}

func newVendors(s ModelSource) *vendors {
	v := &vendors{getenv: s.Getenv, http: s.HTTP}
	if v.getenv == nil {
		v.getenv = os.Getenv
	}
	v.catalog = sync.OnceValues(func() (*catalog.Catalog, error) {
		if s.CatalogFile == "" {
			return catalog.New(), nil
		}
		return catalog.Open(s.CatalogFile)
	})
	return v
}

// known is what the catalogue says. Of a model that nobody knows it is assumed
// that it can be tried with everything.
func (v *vendors) known(vendor, endpoint, name string) (catalog.Entry, error) {
	c, err := v.catalog()
	if err != nil {
		return catalog.Entry{}, err
	}
	e, ok := c.Find(vendor, endpoint, name)
	if !ok {
		e.Tools, e.Images = true, true
	}
	return e, nil
}

func (v *vendors) key(name string) func() string { return func() string { return v.getenv(name) } }

func (v *vendors) anthropic(_ context.Context, name string) (model.Model, error) {
	base := v.getenv("ANTHROPIC_BASE_URL")
	e, err := v.known("anthropic", base, name)
	if err != nil {
		return nil, err
	}
	return anthropic.New(anthropic.Config{
		Name: name, Info: e.Info, Thinking: e.Thinking, Effort: e.Effort,
		BaseURL: base, Key: v.key("ANTHROPIC_API_KEY"), HTTP: v.http,
	})
}

func (v *vendors) openai(api openai.API) func(context.Context, string) (model.Model, error) {
	return func(_ context.Context, name string) (model.Model, error) {
		base := v.getenv("OPENAI_BASE_URL")
		e, err := v.known("openai", base, name)
		if err != nil {
			return nil, err
		}
		return openai.New(openai.Config{
			Name: name, Info: e.Info, Effort: e.Effort, Summary: e.Summary, API: api,
			BaseURL: base, Key: v.key("OPENAI_API_KEY"), HTTP: v.http,
		}), nil
	}
}

func (v *vendors) ollama(_ context.Context, name string) (model.Model, error) {
	base := openai.OllamaURL(v.getenv("OLLAMA_HOST"))
	e, err := v.known("ollama", base, name)
	if err != nil {
		return nil, err
	}
	return openai.New(openai.Config{
		Name: name, Info: e.Info, Effort: e.Effort, Vendor: "Ollama", KeyName: "OLLAMA_HOST", API: openai.Chat, BaseURL: base, HTTP: v.http,
	}), nil
}

// best names the model that auto stands for: of the first vendor that is set up,
// else of a server on this machine, else offline.
func (v *vendors) best(ctx context.Context) (string, error) {
	c, err := v.catalog()
	if err != nil {
		return "", err
	}
	base := v.getenv("OPENAI_BASE_URL")
	switch {
	case v.getenv("ANTHROPIC_API_KEY") != "":
		return anthropic.Prefix + c.Default("anthropic"), nil
	case v.getenv("OPENAI_API_KEY") != "" && openai.Own(base):
		return "openai/" + c.Default("openai"), nil
	case base != "" && !openai.Own(base):
		return v.first(ctx, "openai/", "OPENAI_BASE_URL", base, v.getenv("OPENAI_API_KEY"))
	case v.getenv("OLLAMA_HOST") != "":
		return v.first(ctx, "ollama/", "OLLAMA_HOST", openai.OllamaURL(v.getenv("OLLAMA_HOST")), "")
	}
	return v.here(ctx), nil
}

// How long a server may take to say which models it has.
const (
	askLimit   = 5 * time.Second
	probeLimit = 300 * time.Millisecond
	probeKept  = time.Minute
)

// first is the first model of a server that somebody has set.
func (v *vendors) first(ctx context.Context, prefix, variable, base, key string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	names, err := openai.List(ctx, v.http, base, key)
	if err != nil {
		return "", fmt.Errorf("%s is set, but %w", variable, err)
	}
	if len(names) == 0 {
		return "", &model.Error{Kind: model.Invalid, Message: fmt.Sprintf("%s is set, but the server there has no models", variable)}
	}
	return prefix + names[0], nil
}

// here is the model of a server on this machine, or offline. It is asked at most
// once a minute: most machines have none.
func (v *vendors) here(ctx context.Context) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.local != "" && time.Since(v.probed) < probeKept {
		return v.local
	}
	v.local, v.probed = offline.Name, time.Now()
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	if names, err := openai.List(ctx, v.http, openai.OllamaURL(""), ""); err == nil && len(names) > 0 {
		v.local = "ollama/" + names[0]
	}
	return v.local
}

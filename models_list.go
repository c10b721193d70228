package parley

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/acp"
	"github.com/parley-dev/parley/model/catalog"
	"github.com/parley-dev/parley/model/offline"
	"github.com/parley-dev/parley/model/openai"
)

// What there is to choose from. Whether a model is available is whether it has
// its key; of the key nothing else is told.

// choices lists the models that sessions can name, and why some are not known.
func (s *Server) choices(ctx context.Context) ([]model.Choice, []error) {
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	return model.List(ctx, s.providers)
}

// listLimit is how long servers may take to name their models, all together: a
// person waits for it.
const listLimit = 2 * time.Second

func (v *vendors) listAnthropic(context.Context) ([]model.Choice, error) {
	return v.listKnown("anthropic", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY")
}

func (v *vendors) listOpenAI(ctx context.Context) ([]model.Choice, error) {
	if base := v.getenv("OPENAI_BASE_URL"); base != "" && !openai.Own(base) {
		return v.listServer(ctx, "openai", "OPENAI_BASE_URL", base, v.getenv("OPENAI_API_KEY"))
	}
	return v.listKnown("openai", "OPENAI_BASE_URL", "OPENAI_API_KEY")
}

func (v *vendors) listOllama(ctx context.Context) ([]model.Choice, error) {
	if host := v.getenv("OLLAMA_HOST"); host != "" {
		return v.listServer(ctx, "ollama", "OLLAMA_HOST", openai.OllamaURL(host), "")
	}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	choices, _ := v.listServer(ctx, "ollama", "OLLAMA_HOST", openai.OllamaURL(""), "") // most machines have none
	return choices, nil
}

func (v *vendors) listAuto(ctx context.Context) ([]model.Choice, error) {
	c := model.Choice{Info: model.Info{Name: "auto"}, Available: true}
	name, err := v.best(ctx)
	if err != nil {
		c.Available, c.Reason = false, "a server is set whose models are not known now"
	}
	c.StandsFor = name
	return []model.Choice{c}, nil
}

// listKnown gives what the catalogue has of a vendor.
func (v *vendors) listKnown(vendor, address, key string) (choices []model.Choice, err error) {
	c, err := v.catalog()
	if err != nil {
		return nil, errors.New("the file that PARLEY_MODELS names cannot be used")
	}
	missing := ""
	if v.getenv(key) == "" {
		missing = fmt.Sprintf("%s is not set; `parley secrets set %s` stores it", key, key)
	}
	for _, e := range c.All(vendor, v.getenv(address)) {
		choices = append(choices, model.Choice{Info: e.Info, Available: missing == "", Reason: missing})
	}
	return choices, nil
}

// told is what a server said of its models, and when.
type told struct {
	names []string
	err   error
	at    time.Time
}

// listServer asks a server, at most once a minute.
func (v *vendors) listServer(ctx context.Context, vendor, variable, base, key string) (choices []model.Choice, err error) {
	v.mu.Lock()
	said, ok := v.told[base]
	v.mu.Unlock()
	if !ok || time.Since(said.at) > probeKept {
		said.names, said.err = openai.List(ctx, v.http, base, key)
		said.at = time.Now()
		v.keep(ctx, base, said)
	}
	if said.err != nil {
		return nil, fmt.Errorf("%s is set, but the server there does not say which models it has", variable)
	}
	for _, name := range said.names {
		e, err := v.known(vendor, base, name)
		if err != nil {
			e = catalog.Entry{}
		}
		e.Name = vendor + "/" + name
		choices = append(choices, model.Choice{Info: e.Info, Available: true})
	}
	return choices, nil
}

// keep remembers what a server said, unless whoever asked did not wait for it.
func (v *vendors) keep(ctx context.Context, base string, said told) {
	if errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.told == nil {
		v.told = map[string]told{}
	}
	v.told[base] = said
}

// hosted are the agents that may be run.
func hosted(s ModelSource) model.Provider {
	p := acp.Provider(s.Agents, s.Getenv)
	p.List = func(context.Context) (choices []model.Choice, err error) {
		for i, command := range s.Agents {
			if command == "" || slices.Contains(s.Agents[:i], command) || strings.Contains(command, "|") { // a list of models, not one
				continue
			}
			choices = append(choices, model.Choice{Info: model.Info{Name: acp.Prefix + command, Tools: true}, Available: true})
		}
		return choices, nil
	}
	return p
}

// rules is the model that is always there.
func rules() model.Provider {
	p := offline.Provider(offline.Natural())
	p.List = func(context.Context) ([]model.Choice, error) {
		return []model.Choice{{Info: model.Info{Name: offline.Name, Tools: true}, Available: true}}, nil
	}
	return p
}

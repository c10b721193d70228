package rest

import (
	"context"
	"net/http"

	"github.com/parley-dev/parley/model"
)

func (d *door) registerModels() {
	if d.Models == nil {
		return
	}
	register(d, call{
		method: http.MethodGet, path: "/models", id: "list-models", tag: "models",
		summary: "List models",
		doc: "What a session can name as its model, for choosing one, in the order of the providers. Other names can work too: a vendor has models that the catalogue does not know, " +
			"and names with | between them are tried in turn.",
	}, d.listModels)
}

// ModelItem is a model that a session can name.
type ModelItem struct {
	Name          string  `json:"name" example:"anthropic/claude-sonnet-4-6"`
	Provider      string  `json:"provider" example:"anthropic"`
	ContextWindow int64   `json:"context_window,omitempty" doc:"Tokens, of input and output; left out if unknown."`
	MaxOutput     int64   `json:"max_output,omitempty" doc:"Tokens of one answer; left out if unknown."`
	InputPrice    float64 `json:"input_price,omitempty" doc:"US dollars for a million tokens; prices that nobody knows are left out."`
	OutputPrice   float64 `json:"output_price,omitempty"`
	CacheRead     float64 `json:"cache_read_price,omitempty"`
	CacheWrite    float64 `json:"cache_write_price,omitempty"`
	Images        bool    `json:"images,omitempty" doc:"It can look at pictures."`
	Reasoning     bool    `json:"reasoning,omitempty" doc:"It can think before it answers."`
	Available     bool    `json:"available" doc:"Nothing is missing to call it, such as its key."`
	Reason        string  `json:"reason,omitempty" doc:"What is missing, and what to do."`
	StandsFor     string  `json:"stands_for,omitempty" doc:"Of auto: the model that it means now."`
}

// ModelList is what there is to choose from.
type ModelList struct {
	Items []ModelItem `json:"items"`
	// Unknown tells of providers whose models are missing.
	Unknown []string `json:"unknown" doc:"Why the models of some providers are not in the list."`
}

type modelsOutput struct{ Body ModelList }

func (d *door) listModels(ctx context.Context, _ *struct{}) (*modelsOutput, error) {
	if _, err := d.known(ctx); err != nil {
		return nil, err
	}
	choices, silent := d.Models(ctx)
	list := ModelList{Items: []ModelItem{}, Unknown: []string{}}
	for _, c := range choices {
		list.Items = append(list.Items, modelItem(c))
	}
	for _, err := range silent {
		list.Unknown = append(list.Unknown, err.Error())
	}
	return &modelsOutput{list}, nil
}

func modelItem(c model.Choice) ModelItem {
	return ModelItem{
		Name: c.Name, Provider: c.Provider(), ContextWindow: c.ContextWindow, MaxOutput: c.MaxOutput,
		InputPrice: c.InputPrice, OutputPrice: c.OutputPrice, CacheRead: c.CacheReadPrice, CacheWrite: c.CacheWritePrice,
		Images: c.Images, Reasoning: c.Reasoning, Available: c.Available, Reason: c.Reason, StandsFor: c.StandsFor,
	}
}

package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// override is what a person's file says of a model. What it does not say stays as
// it is known.
type override struct {
	ContextWindow *int64 `yaml:"context_window"`
	MaxOutput     *int64 `yaml:"max_output"`

	InputPrice      *float64 `yaml:"input_price"`
	OutputPrice     *float64 `yaml:"output_price"`
	CacheReadPrice  *float64 `yaml:"cache_read_price"`
	CacheWritePrice *float64 `yaml:"cache_write_price"`

	Tools     *bool `yaml:"tools"`
	Images    *bool `yaml:"images"`
	Reasoning *bool `yaml:"reasoning"`

	Thinking *string `yaml:"thinking"`
	Effort   *string `yaml:"effort"`
	Summary  *string `yaml:"summary"`
}

// Open gives the list that comes with the program, corrected by the file: a map
// from full names to what is to be known of them. A file that is not there
// corrects nothing; one with a mistake is refused.
func Open(path string) (*Catalog, error) {
	c := New()
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the model catalogue: %w", err)
	}
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	if err := d.Decode(&c.overrides); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the model catalogue %s has a mistake: %w", path, err)
	}
	for name, o := range c.overrides {
		if fault := o.fault(name); fault != "" {
			return nil, fmt.Errorf("the model catalogue %s has a mistake: %s: %s", path, name, fault)
		}
	}
	return c, nil
}

func (o override) fault(name string) string {
	if vendor, rest, ok := strings.Cut(name, "/"); !ok || vendor == "" || rest == "" {
		return "a model is named with its vendor, as in anthropic/NAME or ollama/NAME"
	}
	for _, n := range []*int64{o.ContextWindow, o.MaxOutput} {
		if n != nil && *n < 1 {
			return "context_window and max_output are numbers of tokens, from 1"
		}
	}
	for _, p := range []*float64{o.InputPrice, o.OutputPrice, o.CacheReadPrice, o.CacheWritePrice} {
		if p != nil && !(*p >= 0) {
			return "a price is in US dollars for a million tokens, and not negative"
		}
	}
	return ""
}

func (o override) apply(e *Entry) {
	set(&e.ContextWindow, o.ContextWindow)
	set(&e.MaxOutput, o.MaxOutput)
	set(&e.InputPrice, o.InputPrice)
	set(&e.OutputPrice, o.OutputPrice)
	set(&e.CacheReadPrice, o.CacheReadPrice)
	set(&e.CacheWritePrice, o.CacheWritePrice)
	set(&e.Tools, o.Tools)
	set(&e.Images, o.Images)
	set(&e.Reasoning, o.Reasoning)
	set(&e.Thinking, o.Thinking)
	set(&e.Effort, o.Effort)
	set(&e.Summary, o.Summary)
}

func set[T any](to *T, value *T) {
	if value != nil {
		*to = *value
	}
}

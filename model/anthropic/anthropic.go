// Package anthropic speaks the Messages API of Anthropic, and of whoever speaks
// it likewise.
//
// It streams words, thoughts and calls; gives thoughts back, signed, in the place
// where they stood, as the API demands of a conversation with tools; and marks
// the system prompt, the tools and the newest words for the prompt cache. It does
// not retry: failures are typed, and whoever calls decides.
//
// It refuses nothing by itself but a request without words. A history that ends
// with the assistant is asked to go on; pictures of a kind that the API does not
// take are told in words.
package anthropic

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/internal/wire"
)

// The names of this adapter: of its models, and of what they keep.
const (
	Prefix  = "anthropic/"
	adapter = "anthropic"
)

// DefaultBaseURL is the vendor's own.
const DefaultBaseURL = "https://api.anthropic.com"

// version of the API that is spoken.
const version = "2023-06-01"

// Config says which model is called, and where.
type Config struct {
	// Name is the vendor's name of the model.
	Name string
	// Info is what is known of the model; its name is set from Name.
	Info model.Info
	// BaseURL is DefaultBaseURL if empty. It may end in /v1 or not.
	BaseURL string
	// Key gives the API key when it is needed. It is a function so that no
	// struct that may be printed holds the key, and so that a new key counts
	// at once.
	Key func() string
	// Thinking is "" (the model's own habit), "adaptive", "off", or how many
	// tokens the model may think before it answers, from 1024.
	Thinking string
	// Effort is how much the model tries: low, medium, high, … Empty leaves it
	// to the vendor.
	Effort string
	// HTTP carries the calls; it must have no timeout of its own.
	HTTP *http.Client
	// FirstByte and Idle bound a silent vendor; zero means minutes.
	FirstByte, Idle time.Duration
}

// Model is one model of the vendor.
type Model struct {
	config Config
	budget int64
	wire   wire.Client
	url    string
}

// New makes the model. It does no I/O.
func New(c Config) (*Model, error) {
	budget, err := budgetOf(c.Thinking)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(strings.TrimRight(c.BaseURL, "/"), "/v1")
	if base == "" {
		base = DefaultBaseURL
	}
	c.Info.Name = Prefix + c.Name
	return &Model{
		config: c, budget: budget, url: base + "/v1/messages",
		wire: wire.Client{Vendor: "Anthropic", KeyName: "ANTHROPIC_API_KEY", HTTP: c.HTTP, First: c.FirstByte, Idle: c.Idle},
	}, nil
}

// Info says what the model is.
func (m *Model) Info() model.Info { return m.config.Info }

// Stream calls the model.
func (m *Model) Stream(ctx context.Context, req model.Request, yield func(model.Event) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	body, err := m.request(req)
	if err != nil {
		return err
	}
	key := ""
	if m.config.Key != nil {
		key = m.config.Key()
	}
	if key == "" {
		return m.wire.NoKey()
	}
	header := http.Header{}
	header.Set("X-Api-Key", key)
	header.Set("Anthropic-Version", version)
	return m.wire.Stream(ctx, wire.Call{URL: m.url, Header: header, Key: key, Body: body}, &taker{
		model: m, key: key, req: req,
		answer: wire.Answer{
			Ctx: ctx, Yield: yield, Info: m.config.Info,
			Keep: wire.Keep{Adapter: adapter, Model: m.config.Name},
		},
	})
}

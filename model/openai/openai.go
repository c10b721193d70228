// Package openai speaks OpenAI's two ways of talking to a model: the Responses
// API, for OpenAI itself, and chat completions, which nearly every other server
// understands too.
//
// With Responses nothing is stored at the vendor: a model's reasoning comes back
// encrypted, is kept, and is sent again in its place. With chat completions it
// bends to what compatible servers do differently: reasoning under several names,
// calls without an index or an id, no usage, no [DONE]. It does not retry:
// failures are typed, and whoever calls decides.
package openai

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/internal/wire"
)

// DefaultBaseURL is OpenAI's own.
const DefaultBaseURL = "https://api.openai.com/v1"

// API is a way of talking.
type API string

const (
	// Choose takes Responses for OpenAI's own address, and Chat elsewhere.
	Choose    API = ""
	Chat      API = "chat"
	Responses API = "responses"
)

// Config says which model is called, and where.
type Config struct {
	// Name is the server's name of the model.
	Name string
	// Info is what is known of the model; its Name is what people call it.
	// Reasoning in it says that the model's thoughts can be had, encrypted;
	// without Images, pictures are told in words.
	Info model.Info
	// Vendor is how errors call the server; "OpenAI" if empty.
	Vendor string
	// BaseURL is DefaultBaseURL if empty; it ends in /v1 with most servers.
	BaseURL string
	// Key gives the API key when it is needed. It is a function so that no
	// struct that may be printed holds the key, and so that a new key counts
	// at once. OpenAI itself needs one; other servers may not.
	Key func() string
	// KeyName is what errors tell a person to set; OPENAI_API_KEY if empty.
	KeyName string
	API     API
	// Effort is how much the model reasons: low, medium, high, … Empty leaves it
	// to the vendor.
	Effort string
	// Summary asks Responses to tell the reasoning in words: auto, concise or
	// detailed. OpenAI grants that to verified organisations only.
	Summary string
	// HTTP carries the calls; it must have no timeout of its own.
	HTTP *http.Client
	// FirstByte and Idle bound a silent server; zero means minutes.
	FirstByte, Idle time.Duration
}

// Model is one model of a server.
type Model struct {
	config Config
	wire   wire.Client
	base   string
	own    bool // OpenAI itself
}

// New makes the model. It does no I/O.
func New(c Config) *Model {
	base := strings.TrimRight(c.BaseURL, "/")
	if base == "" {
		base = DefaultBaseURL
	}
	own := Own(base)
	if c.API == Choose {
		c.API = Chat
		if own {
			c.API = Responses
		}
	}
	if c.Info.Name == "" {
		c.Info.Name = "openai/" + c.Name
	}
	vendor, keyName := c.Vendor, c.KeyName
	if vendor == "" {
		vendor = "OpenAI"
		if !own {
			vendor = hostOf(base)
		}
	}
	if keyName == "" {
		keyName = "OPENAI_API_KEY"
	}
	return &Model{
		config: c, base: base, own: own,
		wire: wire.Client{Vendor: vendor, KeyName: keyName, HTTP: c.HTTP, First: c.FirstByte, Idle: c.Idle},
	}
}

// Own says whether the address is OpenAI's own.
func Own(baseURL string) bool {
	host := hostOf(baseURL)
	return baseURL == "" || host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com")
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the server"
	}
	return u.Hostname()
}

// Info says what the model is.
func (m *Model) Info() model.Info { return m.config.Info }

// Stream calls the model.
func (m *Model) Stream(ctx context.Context, req model.Request, yield func(model.Event) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	turns := wire.Turns(req.Messages, m.adapter(), m.config.Name)
	if len(turns) == 0 {
		return &model.Error{Kind: model.Invalid, Message: "There is nothing to answer: the conversation has no words."}
	}
	if !m.config.Info.Images {
		turns = wire.Blind(turns)
	}
	key := ""
	if m.config.Key != nil {
		key = m.config.Key()
	}
	if key == "" && m.own {
		return m.wire.NoKey()
	}
	header := http.Header{}
	if key != "" {
		header.Set("Authorization", "Bearer "+key)
	}
	call := wire.Call{Header: header, Key: key}
	a := &wire.Answer{
		Ctx: ctx, Yield: yield, Info: m.config.Info,
		Keep: wire.Keep{Adapter: m.adapter(), Model: m.config.Name},
	}
	var t wire.Taker
	if m.config.API == Responses {
		call.URL, call.Body = m.base+"/responses", m.responsesRequest(req, turns)
		t = &responsesTaker{model: m, key: key, req: req, answer: a}
	} else {
		call.URL, call.Body = m.base+"/chat/completions", m.chatRequest(req, turns)
		t = &chatTaker{model: m, key: key, req: req, answer: a}
	}
	return m.wire.Stream(ctx, call, t)
}

// adapter names what is kept: a server's thoughts are of use to itself alone.
func (m *Model) adapter() string {
	return "openai+" + string(m.config.API) + "@" + hostOf(m.base)
}

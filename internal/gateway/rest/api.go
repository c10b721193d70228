package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/parley-dev/parley/protocol"
)

const (
	maxBody        = 1 << 20
	maxMessageBody = 10 << 20 // a message may bring images
)

// registerAPI registers every call and gives the description of all of them.
func (d *door) registerAPI() []byte {
	d.api = humago.New(d.mux, config(d.Version))
	describeTypes(d.schemas())
	d.registerSessions()
	d.registerMessages()
	d.registerEvents()
	d.registerPeople()
	d.registerHistory()
	d.registerCheckpoints()
	d.registerSearch()
	d.registerExchange()
	d.registerSettings()
	d.registerModels()
	d.registerRoom()
	spec, err := json.Marshal(tidy(d.api.OpenAPI()))
	if err != nil {
		panic("rest: the API cannot be described: " + err.Error()) // plain data: always can
	}
	return spec
}

func (d *door) schemas() huma.Registry { return d.api.OpenAPI().Components.Schemas }

func config(version string) huma.Config {
	c := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Parley", Version: version,
				Description: "Sessions in which agents work and people watch, steer and approve. " +
					"Every write is a command of the WebSocket protocol, and every error one of its errors.",
			},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry("#/components/schemas/", nameSchema),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"bearer": {Type: "http", Scheme: "bearer", Description: "A token: the one that the server printed, a JWT, or an API key."},
					"apiKey": {Type: "apiKey", In: "header", Name: "X-API-Key"},
					"token":  {Type: "apiKey", In: "query", Name: "token", Description: "For what cannot set headers, such as EventSource."},
				},
			},
			Security: []map[string][]string{{"bearer": {}}, {"apiKey": {}}, {"token": {}}},
			Tags: []*huma.Tag{
				{Name: "sessions"}, {Name: "messages"}, {Name: "journal"}, {Name: "history"}, {Name: "files"}, {Name: "people"}, {Name: "search"}, {Name: "settings"}, {Name: "models"},
			},
		},
		Formats:       map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat}, // the latter is for problem+json
		DefaultFormat: "application/json",
		Transformers:  []huma.Transformer{translate},
	}
	c.AllowAdditionalPropertiesByDefault = true // fields that are not known are passed over
	return c
}

// call is one row of the API.
type call struct {
	method, path string
	id           string // of the operation
	tag          string
	summary, doc string
	// body is what the call takes: its type describes the request.
	body         reflect.Type
	bodyOptional bool
	maxBody      int64
	status       int
	answer       map[string]*huma.MediaType // of answers that no Go type tells
	errors       []protocol.Code            // beside those that every call may give
}

// register serves a call: its handler's errors become problems.
func register[I, O any](d *door, c call, handle func(context.Context, *I) (*O, error)) {
	op := c.operation(d.schemas())
	huma.Register(d.api, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)
		if err != nil {
			d.logInner(ctx, c.id, err)
			return nil, problemOf(err)
		}
		return out, nil
	})
	if c.body != nil {
		// The handler takes the bytes; what they should be is told here.
		op.RequestBody.Required = !c.bodyOptional
		op.RequestBody.Content["application/json"].Schema = d.schemas().Schema(c.body, true, c.id)
	}
}

// logInner keeps what callers are not shown.
func (d *door) logInner(ctx context.Context, id string, err error) {
	var p *Problem
	var e *protocol.Error
	if errors.As(err, &p) || errors.As(err, &e) || ctx.Err() != nil {
		return
	}
	d.Logger.Error("a call failed", "call", id, "err", err)
}

func (c call) operation(schemas huma.Registry) huma.Operation {
	op := huma.Operation{
		Method: c.method, Path: "/api/v1" + c.path, OperationID: c.id, Tags: []string{c.tag},
		Summary: c.summary, Description: c.doc, DefaultStatus: c.status,
		Responses: c.problems(schemas),
	}
	if c.answer != nil {
		op.Responses[strconv.Itoa(http.StatusOK)] = &huma.Response{Description: "OK", Content: c.answer}
	}
	if c.body != nil {
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{}}
		op.SkipValidateBody = true
		op.BodyReadTimeout = time.Minute
		op.MaxBodyBytes = maxBody
		if c.maxBody > 0 {
			op.MaxBodyBytes = c.maxBody
		}
	}
	return op
}

// problems describes the errors of a call, by their status.
func (c call) problems(schemas huma.Registry) map[string]*huma.Response {
	codes := append([]protocol.Code{
		protocol.CodeInvalidMessage, protocol.CodeAuthRequired, protocol.CodeAuthFailed, protocol.CodeTokenExpired,
		protocol.CodeForbidden, protocol.CodeExecutionFailed, protocol.CodeConnectionFailed,
	}, c.errors...)
	if strings.Contains(c.path, "{id}") {
		codes = append(codes, protocol.CodeSessionNotFound, protocol.CodeSessionExpired)
	}
	if c.method != http.MethodGet {
		codes = append(codes, protocol.CodeRateLimited)
	}
	if c.body != nil {
		codes = append(codes, protocol.CodeMessageTooLarge)
	}
	schema := schemas.Schema(reflect.TypeFor[Problem](), true, "Problem")
	responses := map[string]*huma.Response{}
	slices.Sort(codes)
	for _, code := range slices.Compact(codes) {
		spec, _ := code.Spec()
		status := strconv.Itoa(spec.HTTP)
		text := fmt.Sprintf("%d %s: %s", code, spec.Name, spec.Doc)
		if r := responses[status]; r != nil {
			r.Description += "\n" + text
			continue
		}
		responses[status] = &huma.Response{
			Description: text, Content: map[string]*huma.MediaType{problemType: {Schema: schema}},
		}
	}
	return responses
}

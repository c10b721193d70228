package rest

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/parley-dev/parley/protocol"
)

const problemType = "application/problem+json"

// Problem is an error as RFC 9457 writes it, with the fields of the protocol's
// own errors beside.
type Problem struct {
	Type            string         `json:"type" format:"uri-reference" doc:"What kind of error this is: an entry of the list at /docs." example:"/docs#WS_SESSION_NOT_FOUND"`
	Title           string         `json:"title" doc:"The kind of error in words; the same for every error of this kind."`
	Status          int            `json:"status" doc:"The HTTP status." example:"404"`
	Detail          string         `json:"detail" doc:"What happened, and what to do."`
	Code            protocol.Code  `json:"code" doc:"The error's number, the same on every door." example:"3001"`
	Name            string         `json:"name" doc:"The number's name." example:"WS_SESSION_NOT_FOUND"`
	Recoverable     bool           `json:"recoverable" doc:"Whether the same call may succeed later."`
	SuggestedAction string         `json:"suggested_action,omitempty"`
	Context         map[string]any `json:"context,omitempty" doc:"Facts about this error, such as field, retry_after_ms."`
	Instance        string         `json:"instance,omitempty" format:"uri-reference"`
}

func (p *Problem) Error() string  { return p.Detail }
func (p *Problem) GetStatus() int { return p.Status }

// ContentType makes huma send a problem as one.
func (p *Problem) ContentType(string) string { return problemType }

// GetHeaders tells what HTTP has its own fields for.
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="parley"`)
	}
	if ms, ok := p.Context["retry_after_ms"].(int64); ok {
		h.Set("Retry-After", strconv.FormatInt(int64(math.Ceil(float64(ms)/1000)), 10))
	}
	return h
}

// as gives the problem under another status, for errors that HTTP itself names.
func (p *Problem) as(status int) *Problem {
	p.Status = status
	return p
}

// problemOf gives an error as a problem. What is no error of the protocol is
// not shown to callers.
func problemOf(err error) *Problem {
	if p, ok := err.(*Problem); ok {
		return p
	}
	e := protocol.AsError(err)
	p := &Problem{
		Type: "/docs#" + e.Name, Title: e.Name, Status: http.StatusInternalServerError, Detail: e.Message,
		Code: e.Code, Name: e.Name, Recoverable: e.Recoverable, SuggestedAction: e.SuggestedAction, Context: e.Context,
	}
	if spec, ok := e.Code.Spec(); ok {
		p.Title, p.Status = spec.Doc, spec.HTTP
	}
	return p
}

func writeProblem(w http.ResponseWriter, err error) {
	p := problemOf(err)
	for key, values := range p.GetHeaders() {
		w.Header()[key] = values
	}
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(p.Status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(p) // the caller is gone if it fails
}

// translate gives huma's own refusals (a parameter of the wrong kind, a body
// that is too long) as problems of ours.
func translate(ctx huma.Context, _ string, v any) (any, error) {
	m, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	p := problemOf(refusal(m, ctx.Operation().MaxBodyBytes))
	if m.Status != http.StatusUnprocessableEntity && m.Status != http.StatusInternalServerError {
		p.Status = m.Status
	}
	// huma has chosen a status by now and sends it next.
	if _, w := humago.Unwrap(ctx); w != nil {
		if r, ok := w.(*response); ok {
			r.instead = p.Status
		}
	}
	return p, nil
}

func refusal(m *huma.ErrorModel, most int64) error {
	switch m.Status {
	case http.StatusRequestEntityTooLarge:
		return protocol.Errorf(protocol.CodeMessageTooLarge, "the body must be shorter than %d bytes", most).With("limit_bytes", most)
	case http.StatusRequestTimeout:
		return protocol.Errorf(protocol.CodeConnectionTimeout, "the body did not come in time")
	}
	e := protocol.Errorf(protocol.CodeInvalidMessage, "%s", m.Detail)
	for i, detail := range m.Errors {
		if detail == nil {
			continue
		}
		if i == 0 {
			e.Message = fmt.Sprintf("%s: %s", detail.Location, detail.Message)
			e = e.With("field", detail.Location)
			continue
		}
		e.Message += fmt.Sprintf("; %s: %s", detail.Location, detail.Message)
	}
	return e
}

package wire

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/parley-dev/parley/model"
)

// Fault is what a vendor says of a failure, in whichever shape it said it.
type Fault struct {
	// Status is the HTTP status, or zero inside an answer.
	Status int
	// Words are the vendor's own names of what happened: type, code, status.
	Words   []string
	Message string
	// RetryAfter is how long the vendor asked to wait.
	RetryAfter time.Duration
}

// most of an error's body that is read, and most of its text that is shown.
const (
	bodyMost    = 64 << 10
	messageMost = 600
)

// refused reads what a vendor answered instead of a stream.
func (c *Client) refused(resp *http.Response, key string) error {
	kind := resp.Header.Get("Content-Type")
	stream := !strings.Contains(kind, "json") && !strings.Contains(kind, "html")
	if resp.StatusCode < 300 && stream {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, bodyMost))
	f := ReadFault(body)
	f.Status = resp.StatusCode
	f.RetryAfter = retryAfter(resp.Header, "", time.Now())
	if resp.StatusCode < 300 {
		if f.Message == "" {
			return &model.Error{Kind: model.Invalid, Message: fmt.Sprintf(
				"%s answered with %s and not with a stream. Check the base URL.", c.Vendor, kind)}
		}
		f.Status = 0
	}
	return c.Failed(f, key)
}

// ReadFault reads an error in any of the shapes that vendors and compatible
// servers give it.
func ReadFault(body []byte) Fault {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var said struct {
		Error   json.RawMessage `json:"error"`
		Type    any             `json:"type"`
		Code    any             `json:"code"`
		Status  any             `json:"status"`
		Message string          `json:"message"`
		Detail  any             `json:"detail"`
	}
	if json.Unmarshal(body, &said) != nil {
		return Fault{Message: plain(string(body))}
	}
	if len(said.Error) > 0 && string(said.Error) != "null" {
		var text string
		if json.Unmarshal(said.Error, &text) == nil {
			return Fault{Message: text, Words: words(said.Code, said.Type)}
		}
		return ReadFault(said.Error)
	}
	f := Fault{Message: said.Message, Words: words(said.Type, said.Code, said.Status)}
	if f.Message == "" && said.Detail != nil {
		f.Message = fmt.Sprint(said.Detail)
	}
	if status, ok := said.Code.(float64); ok { // as some put the HTTP status there
		f.Status = int(status)
	}
	return f
}

func words(values ...any) []string {
	var out []string
	for _, v := range values {
		if s, ok := v.(string); ok && s != "" {
			out = append(out, strings.ToLower(s))
		}
	}
	return out
}

var tags = regexp.MustCompile(`(?s)<(script|style).*?</(script|style)>|<[^>]*>`)

// plain makes a line of an error page.
func plain(text string) string {
	return strings.Join(strings.Fields(tags.ReplaceAllString(text, " ")), " ")
}

// Failed makes the error that a person reads.
func (c *Client) Failed(f Fault, key string) *model.Error {
	e := &model.Error{Kind: f.Kind(), RetryAfter: f.RetryAfter}
	if e.Kind == model.RateLimited && e.RetryAfter == 0 { // inside an answer there are no headers
		e.RetryAfter = retryAfter(http.Header{}, f.Message, time.Time{})
	}
	said := strings.TrimSpace(hide(f.Message, key))
	if len(said) > messageMost {
		said = strings.ToValidUTF8(said[:messageMost], "") + "…"
	}
	if said == "" {
		said = "it gave no reason"
		if text := http.StatusText(f.Status); text != "" {
			said = fmt.Sprintf("%d %s", f.Status, text)
		}
	}
	e.Message = fmt.Sprintf("%s %s: %s", c.Vendor, verbs[e.Kind], said)
	if e.Kind == model.Auth {
		e.Message += fmt.Sprintf(" (Check %s.)", c.KeyName)
	}
	return e
}

var verbs = map[model.ErrorKind]string{
	model.RateLimited:     "wants fewer calls",
	model.Overloaded:      "is overloaded",
	model.ContextOverflow: "was told more than the model can take",
	model.Auth:            "does not accept the key",
	model.Invalid:         "does not understand the request",
	model.Unavailable:     "failed",
	model.Interrupted:     "broke off its answer",
	model.Refused:         "refuses to answer this",
}

var wait = regexp.MustCompile(`(?i)try again in ([0-9.]+ ?(?:ms|s|m|h)(?:[0-9.]+s)?)`)

// retryAfter is how long a vendor asks to wait, as a header or in words.
func retryAfter(h http.Header, message string, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return span(ms, time.Millisecond)
	}
	after := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(after, 64); err == nil {
		return span(s, time.Second)
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(0, at.Sub(now))
	}
	if m := wait.FindStringSubmatch(message); m != nil {
		if d, err := time.ParseDuration(strings.ReplaceAll(m[1], " ", "")); err == nil {
			return d
		}
	}
	return 0
}

// span bounds what a header may ask for; whoever waits has limits of its own.
func span(n float64, unit time.Duration) time.Duration {
	const most = 24 * time.Hour
	if !(n > 0) {
		return 0
	}
	return time.Duration(min(n*float64(unit), float64(most)))
}

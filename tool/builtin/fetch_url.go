package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/parley-dev/parley/tool"
)

//go:embed fetch_url.md
var fetchURLText string

const fetchURLSchema = `{
	"type": "object",
	"properties": {
		"url": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "Address to fetch, with http or https."},
		"raw": {"type": "boolean", "description": "Give HTML as it is, not as Markdown. Default: false."},
		"offset": {"type": "integer", "minimum": 0, "maximum": 100000000, "description": "Leave out so many bytes of the text, to go on where the last answer ended. Default: 0."}
	},
	"required": ["url"],
	"additionalProperties": false
}`

// FetchURL fetches from the web. It reads no more than 10 MiB, gives no more than
// 64 KiB of text, follows at most five redirects and takes at most 30 seconds.
//
// Whether an address may be reached is decided when it is dialled, on the number
// that the name has at that moment; so no name and no redirect leads to another.
// It goes by no proxy, since a proxy would decide on the number itself.
type FetchURL struct {
	// Domains are those that may be fetched from: "example.com", or
	// "*.example.com" for all below it. None allows all.
	Domains []string
	// Private are networks that may be reached although they are not public.
	Private []netip.Prefix
}

const (
	fetchText      = 64 << 10
	fetchMost      = 10 << 20
	fetchRedirects = 5
	fetchTimeout   = 30 * time.Second
)

type fetchInput struct {
	URL    string `json:"url"`
	Raw    bool   `json:"raw"`
	Offset int    `json:"offset"`
}

// Info says what the tool is.
func (FetchURL) Info() tool.Info {
	return tool.Info{
		Name:        "fetch_url",
		Description: fetchURLText,
		Schema:      json.RawMessage(fetchURLSchema),
		Class:       tool.ClassBrowser,
		Effect:      tool.EffectRead,
		Timeout:     fetchTimeout + 15*time.Second,
	}
}

// Preview shows where it would go.
func (f FetchURL) Preview(_ context.Context, call tool.Call) (string, error) {
	_, u, err := f.decode(call)
	if err != nil {
		return "", err
	}
	return "GET " + u.String(), nil
}

func (f FetchURL) decode(call tool.Call) (fetchInput, *url.URL, error) {
	in, err := tool.Decode[fetchInput](f.Info(), call.Input)
	if err != nil {
		return in, nil, err
	}
	u, err := url.Parse(strings.TrimSpace(in.URL))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return in, nil, &tool.Error{Code: tool.CodeInputInvalid, Message: fmt.Sprintf("%q is not an address that begins with http:// or https://", brief(in.URL))}
	}
	return in, u, nil
}

// Run fetches.
func (f FetchURL) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	in, u, err := f.decode(call)
	if err != nil {
		return tool.Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	if err := f.mayVisit(u); err != nil {
		return tool.Result{}, refusedURL(u, err)
	}
	limited, cancel := context.WithTimeoutCause(ctx, fetchTimeout, errSlow)
	defer cancel()
	client := f.client()
	defer client.CloseIdleConnections()
	fetched, err := f.get(limited, client, u)
	switch {
	case ctx.Err() != nil:
		return tool.Result{}, ctx.Err()
	case errors.Is(context.Cause(limited), errSlow):
		return tool.Result{}, &tool.Error{Code: tool.CodeTimeout, Recoverable: true, Message: fmt.Sprintf("%s did not answer within %v", brief(u.Redacted()), fetchTimeout)}
	case err != nil:
		return tool.Result{}, refusedURL(u, err)
	}
	return fetched.result(in), nil
}

var errSlow = errors.New("the time is over")

// refusedURL tells what failed from what is not allowed.
func refusedURL(u *url.URL, err error) error {
	var no *notAllowed
	if errors.As(err, &no) {
		return &tool.Error{Code: tool.CodeUnavailable, Message: fmt.Sprintf("%s is not fetched: %s", brief(u.Redacted()), no.why), Err: err}
	}
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	return &tool.Error{Code: tool.CodeExecutionFailed, Recoverable: true, Message: fmt.Sprintf("%s could not be fetched: %v", brief(u.Redacted()), err), Err: err}
}

// fetched is what came from an address.
type fetched struct {
	url    string // where it came from in the end
	status int
	kind   string // media type, with its parameters
	body   []byte
	whole  bool
}

func (f FetchURL) get(ctx context.Context, client *http.Client, u *url.URL) (*fetched, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "Parley/1 (fetch_url)")
	req.Header.Set("Accept", "text/html, text/markdown, text/plain, application/json, */*;q=0.5")
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, fetchMost+1))
	if err != nil {
		return nil, err
	}
	out := &fetched{url: res.Request.URL.Redacted(), status: res.StatusCode, kind: res.Header.Get("Content-Type"), body: body, whole: len(body) <= fetchMost}
	out.body = body[:min(len(body), fetchMost)]
	return out, nil
}

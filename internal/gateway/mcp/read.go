package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/internal/index"
	"github.com/parley-dev/parley/protocol"
)

const (
	usualPage   = 20
	longestPage = 200
	// scheme is how a session is named as a resource.
	scheme = "parley://session/"
)

type readInput struct {
	ofSession
	Limit  int `json:"limit,omitempty" jsonschema:"How many entries, at most 200; 20 if it is left out."`
	Offset int `json:"offset,omitempty" jsonschema:"How many of the newest to leave out."`
}

func (d *door) read(ctx context.Context, _ *sdk.CallToolRequest, in readInput) (any, error) {
	if in.Limit == 0 {
		in.Limit = usualPage
	}
	if in.Limit < 0 || in.Limit > longestPage || in.Offset < 0 {
		return nil, protocol.Errorf(protocol.CodeInvalidMessage, "limit must be from 1 to %d and offset not below 0", longestPage)
	}
	return d.page(ctx, in.SessionID, index.Range{Offset: in.Offset, Limit: in.Limit, Tail: true})
}

// page is a part of a session in short, with how many entries there are.
type page struct {
	SessionID string          `json:"session_id"`
	Items     json.RawMessage `json:"items"`
	Total     int             `json:"total"`
	// Incomplete says that only the newest part was looked at.
	Incomplete bool `json:"incomplete,omitempty"`
}

// page asks the index. While that does not know the session as it is, the newest
// records are folded instead.
func (d *door) page(ctx context.Context, id string, r index.Range) (page, error) {
	c := visitorOf(ctx).Caller
	may := func(owner string) error { return auth.Allow(c.Identity, auth.Read, owner, id) }
	lines, err := d.Index.Lines(ctx, id, index.Store, r, may)
	if !errors.Is(err, index.ErrUnsure) {
		return page{SessionID: id, Items: json.RawMessage(lines.Items), Total: lines.Total}, err
	}
	if err := d.Gateway.Authorize(ctx, c, auth.Read, id); err != nil {
		return page{}, err
	}
	records, err := d.Gateway.Engine.Visible(ctx, id, recent)
	if err != nil {
		return page{}, err
	}
	store := history.NewStore(history.Page{Limit: math.MaxInt})
	for _, record := range records {
		store.Add(record)
	}
	items := store.Items()
	end := max(0, len(items)-r.Offset)
	raw, err := json.Marshal(items[max(0, end-r.Limit):end])
	return page{SessionID: id, Items: raw, Total: len(items), Incomplete: len(records) > 0 && records[0].Seq > 1}, err
}

// addResources shows sessions as something to read.
func (d *door) addResources(s *sdk.Server) {
	s.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: scheme + "{session_id}", Name: "session", Title: "A session", MIMEType: "application/json",
		Description: "A session's state and the newest of what was said and done in it.",
	}, func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		id := strings.TrimPrefix(r.Params.URI, scheme)
		state, err := d.state(ctx, id)
		if err != nil {
			if protocol.AsError(err).Code == protocol.CodeSessionNotFound {
				return nil, sdk.ResourceNotFoundError(r.Params.URI)
			}
			return nil, d.told(ctx, "resource", err)
		}
		newest, err := d.page(ctx, id, index.Range{Limit: longestPage, Tail: true})
		if err != nil {
			return nil, d.told(ctx, "resource", err)
		}
		text, err := json.Marshal(map[string]any{"state": state, "messages": newest})
		if err != nil {
			return nil, err
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: "application/json", Text: string(text)}}}, nil
	})
}

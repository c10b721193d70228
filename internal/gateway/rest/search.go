package rest

import (
	"context"
	"net/http"
	"slices"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/index"
	"github.com/parley-dev/parley/protocol"
)

// Index lists sessions and finds words in them.
type Index interface {
	List(ctx context.Context, q index.Query) (index.Page[index.Item], error)
	Search(ctx context.Context, q index.SearchQuery) (index.Page[index.Hit], error)
}

func (d *door) registerSearch() {
	register(d, call{
		method: http.MethodGet, path: "/sessions", id: "list-sessions", tag: "sessions",
		summary: "List sessions",
		doc:     "Those of the caller and those shared with them one by one, the last changed first; an admin sees all. With owner those of one owner.",
	}, d.listSessions)
	register(d, call{
		method: http.MethodGet, path: "/search", id: "search", tag: "search",
		summary: "Find words in conversations", doc: "The newest first. All words must be in one message; words are found by their beginning.",
		errors: []protocol.Code{protocol.CodeSessionNotFound, protocol.CodeSessionExpired},
	}, d.search)
}

// SessionList is a page of the list of sessions.
type SessionList struct {
	Items      []index.Item `json:"items"`
	NextCursor string       `json:"next_cursor,omitempty" doc:"Give it as cursor for what follows; missing at the end."`
	Incomplete bool         `json:"incomplete,omitempty" doc:"The list is being rebuilt; ask again later."`
}

// HitList is a page of what was found.
type HitList struct {
	Items      []index.Hit `json:"items"`
	NextCursor string      `json:"next_cursor,omitempty" doc:"Give it as cursor for what follows; missing at the end."`
	Incomplete bool        `json:"incomplete,omitempty" doc:"The index is being rebuilt; ask again later."`
}

// Paged is the part of an input that asks for a page.
type Paged struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" maxLength:"200" doc:"next_cursor of the page before."`
}

type sessionsInput struct {
	Paged
	Q      string          `query:"q" doc:"A part of the title or of the id, in any case."`
	Status protocol.Status `query:"status" enum:"idle,executing,waiting,paused,completed,failed,cancelled"`
	Owner  string          `query:"owner" doc:"Whose sessions."`
}

type sessionsOutput struct{ Body SessionList }

func (d *door) listSessions(ctx context.Context, in *sessionsInput) (*sessionsOutput, error) {
	scope, err := d.scope(ctx, in.Owner)
	if err != nil {
		return nil, err
	}
	if scope.nothing {
		return &sessionsOutput{SessionList{Items: []index.Item{}}}, nil
	}
	page, err := d.Index.List(ctx, index.Query{
		Owner: scope.owner, OrSessions: scope.sessions,
		Q: in.Q, Status: in.Status, Limit: in.Limit, Cursor: in.Cursor,
	})
	return &sessionsOutput{SessionList(page)}, err
}

type searchInput struct {
	Paged
	Q       string `query:"q" required:"true" doc:"What to find."`
	Session string `query:"session" maxLength:"64" doc:"In this session only."`
}

type hitsOutput struct{ Body HitList }

func (d *door) search(ctx context.Context, in *searchInput) (*hitsOutput, error) {
	q := index.SearchQuery{Q: in.Q, Session: in.Session, Limit: in.Limit, Cursor: in.Cursor}
	if in.Session != "" {
		if err := d.Gateway.Authorize(ctx, callerOf(ctx), auth.Read, in.Session); err != nil {
			return nil, err
		}
	} else {
		scope, err := d.scope(ctx, "")
		if err != nil {
			return nil, err
		}
		q.Owner, q.OrSessions = scope.owner, scope.sessions
	}
	page, err := d.Index.Search(ctx, q)
	return &hitsOutput{HitList(page)}, err
}

// scope is what of the index a caller may see. An empty owner is everyone.
type scope struct {
	owner    string
	sessions []string
	nothing  bool
}

// scope says what the caller may list: what is theirs or shared with them, or
// of one owner, if the caller may see that owner's.
func (d *door) scope(ctx context.Context, owner string) (scope, error) {
	c := callerOf(ctx)
	if err := c.Check(d.Now()); err != nil {
		return scope{}, err
	}
	if err := auth.Allow(c.Identity, auth.List, "", ""); err != nil {
		return scope{}, err
	}
	may := c.Scope()
	switch {
	case may.All:
		return scope{owner: owner}, nil
	case c.User == "":
		return scope{nothing: true}, nil
	case owner == "":
		return scope{owner: c.User, sessions: may.Sessions}, nil
	case slices.Contains(may.Owners, owner):
		return scope{owner: owner}, nil
	}
	return scope{nothing: true}, nil
}

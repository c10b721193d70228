package rest

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/index"
	"github.com/parley-dev/parley/protocol"
)

// Index lists sessions, finds words in them, and tells them line by line.
type Index interface {
	List(ctx context.Context, q index.Query) (index.Page[index.Item], error)
	Search(ctx context.Context, q index.SearchQuery) (index.Page[index.Hit], error)
	Tree(ctx context.Context, session string, may func(index.Item) bool) (index.Tree, error)
	Lines(ctx context.Context, session string, v index.View, r index.Range, may func(owner string) error) (index.Lines, error)
}

func (d *door) registerSearch() {
	register(d, call{
		method: http.MethodGet, path: "/sessions", id: "list-sessions", tag: "sessions",
		summary: "List sessions",
		doc: "Those of the caller and all that others share with them, the last changed first; an admin sees all. With owner those of one owner. " +
			"Titles are sorted from the first letter, everything else from the newest or largest, unless order says otherwise.",
	}, d.listSessions)
	register(d, call{
		method: http.MethodGet, path: "/sessions/{id}/tree", id: "get-session-tree", tag: "sessions",
		summary: "Get the tree of a session",
		doc: "The session that all work was handed on from, and all below it, each before its children, with what each has cost together with those below it. " +
			"At most 500 sessions and 20 levels.",
	}, d.sessionTree)
	register(d, call{
		method: http.MethodGet, path: "/search", id: "search", tag: "search",
		summary: "Find words in conversations", doc: "The newest first. All words must be in one message; words are found by their beginning. Hits that were rewound are marked hidden.",
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
	Cursor string `query:"cursor" maxLength:"400" doc:"next_cursor of the page before."`
}

type sessionsInput struct {
	Paged
	Q         string          `query:"q" doc:"A part of the title or of the id, in any case."`
	Status    protocol.Status `query:"status" enum:"idle,executing,waiting,paused,completed,failed,cancelled"`
	Owner     string          `query:"owner" doc:"Whose sessions."`
	Parent    string          `query:"parent" maxLength:"64" doc:"The session that handed the work on."`
	Root      string          `query:"root" maxLength:"64" doc:"The session that all work of a tree was handed on from."`
	Workspace string          `query:"workspace" doc:"The folder that agents work in."`
	Pinned    string          `query:"pinned" enum:"true,false"`
	Sort      index.Sort      `query:"sort" enum:"updated,created,title,cost,tokens,size,messages" default:"updated"`
	Order     index.Order     `query:"order" enum:"asc,desc"`
}

func (in *sessionsInput) query(s scope) index.Query {
	q := index.Query{
		Owners: s.owners, OrSessions: s.sessions, Q: in.Q, Status: in.Status, Parent: in.Parent, Root: in.Root,
		Workspace: in.Workspace, Sort: in.Sort, Order: in.Order, Limit: in.Limit, Cursor: in.Cursor,
	}
	if in.Pinned != "" {
		pinned := in.Pinned == "true"
		q.Pinned = &pinned
	}
	return q
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
	page, err := d.Index.List(ctx, in.query(scope))
	return &sessionsOutput{SessionList(page)}, err
}

type treeOutput struct{ Body index.Tree }

func (d *door) sessionTree(ctx context.Context, in *sessionInput) (*treeOutput, error) {
	if err := d.Gateway.Authorize(ctx, callerOf(ctx), auth.Read, in.ID); err != nil {
		return nil, err
	}
	may := callerOf(ctx).Scope()
	tree, err := d.Index.Tree(ctx, in.ID, func(i index.Item) bool {
		return may.All || slices.Contains(may.Owners, i.Owner) || slices.Contains(may.Sessions, i.SessionID)
	})
	return &treeOutput{tree}, err
}

type searchInput struct {
	Paged
	Q       string    `query:"q" required:"true" doc:"What to find."`
	Session string    `query:"session" maxLength:"64" doc:"In this session only."`
	Agent   string    `query:"agent" maxLength:"200" doc:"What this agent said."`
	Kind    string    `query:"kind" maxLength:"64" doc:"The word of a say or ask, such as text or followup; or user, assistant or system."`
	From    time.Time `query:"from" doc:"Not before this time."`
	To      time.Time `query:"to" doc:"Not after this time."`
	Hidden  bool      `query:"hidden" default:"true" doc:"Also what was rewound; such hits are marked."`
}

type hitsOutput struct{ Body HitList }

func (d *door) search(ctx context.Context, in *searchInput) (*hitsOutput, error) {
	q := index.SearchQuery{
		Q: in.Q, Session: in.Session, Agent: in.Agent, Kind: in.Kind, From: in.From, To: in.To, Visible: !in.Hidden,
		Limit: in.Limit, Cursor: in.Cursor,
	}
	if in.Session != "" {
		if err := d.Gateway.Authorize(ctx, callerOf(ctx), auth.Read, in.Session); err != nil {
			return nil, err
		}
	} else {
		scope, err := d.scope(ctx, "")
		if err != nil {
			return nil, err
		}
		if scope.nothing {
			return &hitsOutput{HitList{Items: []index.Hit{}}}, nil
		}
		q.Owners, q.OrSessions = scope.owners, scope.sessions
	}
	page, err := d.Index.Search(ctx, q)
	return &hitsOutput{HitList(page)}, err
}

// scope is what of the index a caller may see. No owners is everyone.
type scope struct {
	owners   []string
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
	case may.All && owner == "":
		return scope{}, nil
	case may.All, owner != "" && slices.Contains(may.Owners, owner):
		return scope{owners: []string{owner}}, nil
	case owner != "", len(may.Owners) == 0:
		return scope{nothing: true}, nil
	}
	return scope{owners: may.Owners, sessions: may.Sessions}, nil
}

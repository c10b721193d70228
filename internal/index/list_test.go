package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-dev/parley/protocol"
)

func TestListFilters(t *testing.T) {
	feed := newMemory()
	ix := open(t, path(t), feed)
	feed.create("a1", "ann", "Café Central")
	feed.create("a2", "ann", "한국어 검색")
	feed.create("b1", "bob", "100% _done_")
	feed.create("b2", "bob", "caffeine")
	feed.create("c1", "cy", "CAFÉ too")
	feed.put("a2", protocol.TypeTurnStarted, &protocol.TurnStarted{TurnID: "turn_1", AgentID: "main-monitor-0"})
	feed.put("b2", protocol.TypeTurnStarted, &protocol.TurnStarted{TurnID: "turn_1", AgentID: "main-monitor-0"})
	for _, c := range []struct {
		q    Query
		want string
	}{
		{Query{}, "b2 a2 c1 b1 a1"},
		{Query{Limit: 2}, "b2 a2"},
		{Query{Owners: []string{"ann"}}, "a2 a1"},
		{Query{Owners: []string{"nobody"}}, ""},
		{Query{Owners: []string{"ann"}, OrSessions: []string{"b1", "a1", "gone"}}, "a2 b1 a1"},
		{Query{Owners: []string{"ann"}, OrSessions: []string{"b1", "c1", "b2"}, Limit: 3}, "b2 a2 c1"},
		{Query{Owners: []string{"nobody"}, OrSessions: []string{"b1"}}, "b1"},
		{Query{OrSessions: []string{"b1"}}, "b2 a2 c1 b1 a1"},
		{Query{Status: protocol.StatusExecuting}, "b2 a2"},
		{Query{Status: protocol.StatusExecuting, Owners: []string{"ann"}}, "a2"},
		{Query{Status: protocol.StatusExecuting, Owners: []string{"ann"}, OrSessions: []string{"b2", "b1"}}, "b2 a2"},
		{Query{Status: protocol.StatusFailed}, ""},
		{Query{Q: "caf"}, "b2 c1 a1"},
		{Query{Q: "CAFÉ"}, "c1 a1"},
		{Query{Q: "cafe "}, "c1 a1"},
		{Query{Q: "afé c"}, "a1"},
		{Query{Q: "국어 검"}, "a2"},
		{Query{Q: "%"}, "b1"},
		{Query{Q: "_"}, "b1"},
		{Query{Q: "'"}, ""},
		{Query{Q: "A1"}, "a1"},
		{Query{Q: "caf", Owners: []string{"ann"}, OrSessions: []string{"b1", "b2"}}, "b2 a1"},
	} {
		check(t, fmt.Sprintf("%+v", c.q), ids(list(t, ix, c.q)), c.want)
	}
}

func TestItemJSON(t *testing.T) {
	feed := newMemory()
	ix := open(t, path(t), feed)
	feed.put("child", protocol.TypeSessionCreated, &protocol.SessionCreated{Owner: "ann", ParentID: "p", RootID: "r", Version: "1"})
	feed.say("child", "What a day\nand more")
	feed.put("child", protocol.TypeModelCompleted, &protocol.ModelCompleted{TurnID: "turn_1", Usage: protocol.Usage{InputTokens: 7, OutputTokens: 2, CostUSD: 0.5}})
	p, err := ix.List(t.Context(), Query{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "page", string(got), `{"items":[{"session_id":"child","owner":"ann","title":"What a day","status":"idle",`+
		`"created_at":"2026-02-06T10:00:01.000Z","updated_at":"2026-02-06T10:00:03.000Z","message_count":1,`+
		`"usage":{"input_tokens":7,"output_tokens":2,"cost_usd":0.5},"size":`+fmt.Sprint(feed.size("child"))+`,"parent_id":"p","root_id":"r"}]}`)
	p, err = ix.List(t.Context(), Query{Owners: []string{"nobody"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err = json.Marshal(p); err != nil {
		t.Fatal(err)
	}
	check(t, "empty page", string(got), `{"items":[]}`)
}

// While sessions come and change, paging shows those that stay as they are
// exactly once, and none twice.
func TestListPaging(t *testing.T) {
	feed := newMemory()
	ix := open(t, path(t), feed)
	for i := range 30 {
		// Groups of three share a time, so that the id decides.
		feed.putAt(fmt.Sprintf("s%02d", i), protocol.TypeSessionCreated, &protocol.SessionCreated{Owner: []string{"ann", "bob"}[i%2]}, epoch.Add(time.Duration(i/3-1000)*time.Second))
	}
	for _, base := range []Query{{}, {Owners: []string{"ann"}}, {Owners: []string{"ann"}, OrSessions: []string{"s01", "s03", "s05", "s29"}}} {
		want := strings.Fields(ids(list(t, ix, base)))
		var got, changed []string
		q := base
		q.Limit = 4
		for n := 0; ; n++ {
			p, err := ix.List(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.Fields(ids(p.Items))...)
			if q.Cursor = p.NextCursor; q.Cursor == "" {
				break
			}
			feed.create(fmt.Sprintf("new%d-%d", len(want), n), "ann", "")
			for _, id := range []string{want[n], want[len(want)-1-n]} { // one that was shown, one that was not
				title := "changed"
				feed.put(id, protocol.TypeSessionUpdated, &protocol.SessionUpdated{Title: &title})
				changed = append(changed, id)
			}
		}
		slices.Sort(changed)
		seen := make(map[string]bool)
		for _, id := range got {
			if seen[id] || !slices.Contains(want, id) {
				t.Errorf("%+v: %s is shown twice, or is new", base, id)
			}
			seen[id] = true
		}
		for _, id := range want {
			if !seen[id] && !slices.Contains(changed, id) {
				t.Errorf("%+v: %s did not change and is not shown", base, id)
			}
		}
	}
}

func TestRefusedQueries(t *testing.T) {
	feed := newMemory()
	ix := open(t, path(t), feed)
	for i := range 3 {
		id := fmt.Sprint("s", i)
		feed.create(id, "ann", "")
		feed.say(id, "needle")
	}
	l, err := ix.List(t.Context(), Query{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	s, err := ix.Search(t.Context(), SearchQuery{Q: "needle", Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, err error) {
		t.Helper()
		var e *protocol.Error
		if !errors.As(err, &e) || e.Code != protocol.CodeInvalidMessage {
			t.Errorf("%s gives %v", what, err)
		}
	}
	bad := []string{"x", "!", l.NextCursor + "A", l.NextCursor[1:], strings.Repeat("A", 10000), pack("list 1"), pack("list 1 a b"), pack("list x s1"), pack("list 1 .."), pack("search x"), pack("search 1 2"), "\x00"}
	for _, cursor := range append(bad, s.NextCursor) {
		_, err := ix.List(t.Context(), Query{Cursor: cursor})
		refused("list with cursor "+cursor, err)
	}
	for _, cursor := range append(bad, l.NextCursor) {
		_, err := ix.Search(t.Context(), SearchQuery{Q: "needle", Cursor: cursor})
		refused("search with cursor "+cursor, err)
	}
	_, err = ix.List(t.Context(), Query{Status: "asleep"})
	refused("an unknown status", err)
	_, err = ix.List(t.Context(), Query{Q: strings.Repeat("x", maxQuery+1)})
	refused("a long title", err)
	for _, q := range []string{"", "  \n", strings.Repeat("x", maxQuery+1)} {
		_, err = ix.Search(t.Context(), SearchQuery{Q: q})
		refused("searching for "+q, err)
	}
}

func TestLimits(t *testing.T) {
	feed := newMemory()
	ix := open(t, path(t), feed)
	feed.create("s", "ann", "")
	for i := range 250 {
		feed.create(fmt.Sprint("s", i), "ann", "")
		feed.say("s", "needle")
	}
	for limit, want := range map[int]int{-1: 50, 0: 50, 1: 1, 200: 200, 201: 200, 1 << 40: 200} {
		if got := len(list(t, ix, Query{Limit: limit})); got != want {
			t.Errorf("limit %d lists %d", limit, got)
		}
		if got := len(search(t, ix, SearchQuery{Q: "n", Limit: limit})); got != want {
			t.Errorf("limit %d finds %d", limit, got)
		}
	}
}

// Every list is read from an index, in its order.
func TestListPlans(t *testing.T) {
	ix := open(t, path(t), newMemory())
	for name, q := range map[string]Query{
		"sessions_all":          {},
		"sessions_owner":        {Owners: []string{"ann"}},
		"sessions_status":       {Status: protocol.StatusIdle},
		"sessions_owner_status": {Owners: []string{"ann"}, Status: protocol.StatusIdle, Q: "x"},
	} {
		o := order{by: SortUpdated}
		query, args := q.keys(o, &listCursor{o, "s", int64(5)}, 50)
		plan := plan(t, ix, query, args)
		if !strings.Contains(plan, "INDEX "+name+" ") || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%+v: %s", q, plan)
		}
	}
}

func plan(t *testing.T, ix *Index, query string, args []any) string {
	t.Helper()
	lines, err := collect(context.Background(), ix.readers, func(rows *sql.Rows) (s string, err error) {
		var n int
		return s, rows.Scan(&n, &n, &n, &s)
	}, "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "; ")
}

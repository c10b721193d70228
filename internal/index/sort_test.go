package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/parley-dev/parley/protocol"
)

// Pages in every order give the whole list in that order, whoever asks.
func TestEveryOrderIsPaged(t *testing.T) {
	m := newMemory()
	ix := open(t, path(t), m)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 40 {
		id := fmt.Sprintf("s%02d", i)
		m.create(id, []string{"ann", "bob", "cy"}[i%3], []string{"", "Äpfel " + strings.Repeat("x", 50), "birne", "한국어"}[r.IntN(4)])
		for range r.IntN(3) {
			m.say(id, "x")
			m.put(id, protocol.TypeModelCompleted, &protocol.ModelCompleted{Usage: protocol.Usage{OutputTokens: int64(r.IntN(3)), CostUSD: float64(r.IntN(3)) / 3}})
		}
	}
	less := map[Sort]func(a, b Item) bool{
		SortUpdated:  func(a, b Item) bool { return a.UpdatedAt.Before(b.UpdatedAt.Time) },
		SortCreated:  func(a, b Item) bool { return a.CreatedAt.Before(b.CreatedAt.Time) },
		SortTitle:    func(a, b Item) bool { return normalize(a.Title) < normalize(b.Title) },
		SortCost:     func(a, b Item) bool { return a.Usage.CostUSD < b.Usage.CostUSD },
		SortTokens:   func(a, b Item) bool { return a.Usage.OutputTokens < b.Usage.OutputTokens },
		SortSize:     func(a, b Item) bool { return a.Size < b.Size },
		SortMessages: func(a, b Item) bool { return a.MessageCount < b.MessageCount },
	}
	for _, by := range Sorts() {
		for _, o := range []Order{"", Ascending, Descending} {
			for _, scope := range []Query{{}, {Owners: []string{"ann", "bob"}, OrSessions: []string{"s02", "s05", "s00"}}} {
				q := scope
				q.Sort, q.Order, q.Limit = by, o, 7
				var got []Item
				for {
					p, err := ix.List(t.Context(), q)
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, p.Items...)
					if q.Cursor = p.NextCursor; q.Cursor == "" {
						break
					}
				}
				want := 40
				if len(scope.Owners) > 0 {
					want = 29
				}
				seen := map[string]bool{}
				for i, item := range got {
					seen[item.SessionID] = true
					if i == 0 {
						continue
					}
					a, b := got[i-1], item
					if rising := o == Ascending || o == "" && by == SortTitle; !rising {
						a, b = b, a
					}
					if less[by](b, a) {
						t.Errorf("%s %s: %s is after %s", by, o, item.SessionID, got[i-1].SessionID)
					}
				}
				if len(got) != want || len(seen) != want {
					t.Errorf("%s %s: %d sessions, %d different ones, want %d", by, o, len(got), len(seen), want)
				}
			}
		}
	}
}

func TestOrdersThatAreNot(t *testing.T) {
	m := newMemory()
	ix := open(t, path(t), m)
	for i := range 3 {
		m.create(fmt.Sprint("s", i), "ann", "x")
	}
	p, err := ix.List(t.Context(), Query{Limit: 1, Sort: SortSize})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []Query{
		{Sort: "weight"}, {Order: "sideways"},
		{Cursor: p.NextCursor}, // of another order
		{Sort: SortSize, Order: Ascending, Cursor: p.NextCursor},
	} {
		if _, err := ix.List(t.Context(), q); err == nil {
			t.Errorf("%+v is answered", q)
		}
	}
}

func TestMoreFilters(t *testing.T) {
	m := family()
	yes, no := true, false
	m.put("plain", protocol.TypeSessionCreated, &protocol.SessionCreated{Owner: "dan", Workspace: "/w", Model: "m1", Mode: "code"})
	m.put("plain", protocol.TypeSessionUpdated, &protocol.SessionUpdated{Pinned: &yes})
	ix := open(t, path(t), m)
	many := slices.Repeat([]string{"nobody"}, maxParts+1)
	for _, c := range []struct {
		q    Query
		want string
	}{
		{Query{Parent: "root"}, "alien two one"},
		{Query{Root: "root"}, "alien three two one"},
		{Query{Root: "root", Owners: []string{"ann"}}, "three two one"},
		{Query{Owners: []string{"dan", "bob"}}, "plain alien"},
		{Query{Owners: append(many, "dan", "bob"), OrSessions: []string{"one", "alien"}}, "plain alien one"},
		{Query{Workspace: "/w"}, "plain"},
		{Query{Pinned: &yes}, "plain"},
		{Query{Pinned: &no, Owners: []string{"dan"}}, ""},
	} {
		check(t, fmt.Sprintf("%+v", c.q), ids(list(t, ix, c.q)), c.want)
	}
	item := list(t, ix, Query{Q: "plain"})[0]
	check(t, "fields", fmt.Sprint(item.Workspace, item.Model, item.Mode, item.Pinned), "/wm1codetrue")
	check(t, "children", strings.Join(list(t, ix, Query{Q: "root"})[0].ChildIDs, " "), "one two alien")
	m.put("plain", protocol.TypeSessionUpdated, &protocol.SessionUpdated{Pinned: &no})
	check(t, "unpinned", ids(list(t, ix, Query{Pinned: &yes})), "")
}

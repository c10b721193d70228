package index

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// Words are found by their part or their beginning, in every script.
func TestSearchScripts(t *testing.T) {
	feed := newMemory()
	ix := open(t, path(t), feed)
	feed.create("s", "ann", "")
	texts := []string{
		"데이터베이스를 검색했습니다",                                    // 2
		"東京都の天気を調べて、サーバーに送る",                                // 3
		"北京大学的学生会",                                          // 4
		"Crème brûlée für Ångström",                         // 5
		"the Server answered: 404",                          // 6
		"\u1112\u1161\u11ab\u1100\u1173\u11af (decomposed)", // 7
		"한 글자씩 띄어 쓰기, Go언어 Ver2",                            // 8: spaces do not count between such letters
		"call read_file, then write_file",                   // 9
	}
	for _, text := range texts {
		feed.say("s", text)
	}
	for q, want := range map[string]string{
		"데이터": "s/2", "이터베": "s/2", "검": "s/2", "색했": "s/2", "스를 검색": "s/2", "베이스 검색": "s/2", "색검": "",
		"東": "s/3", "京都": "s/3", "京": "s/4 s/3", "サーバ": "s/3", "ーバー": "s/3", "ｻｰﾊﾞｰ": "s/3", "てんき": "", "天気 送る": "s/3",
		"大学": "s/4", "学生会": "s/4", "学学": "",
		"creme": "s/5", "CRÈME": "s/5", "brulee": "s/5", "fur": "s/5", "ang": "s/5", "rème": "",
		"serv": "s/6", "SERVER": "s/6", "ＳＥＲＶＥＲ": "s/6", "40": "s/6", "erver": "", "answered server": "s/6", "server missing": "",
		"한글": "s/8 s/7", "한": "s/8 s/7", "글": "s/8 s/7", "go언": "s/8", "언어 ver": "s/8", "언어ver": "s/8",
		"read_file": "s/9", "read_fi": "s/9", "read_write": "", "file": "s/9",
		"!!!": "", "。": "", `"`: "",
	} {
		check(t, q, hits(search(t, ix, SearchQuery{Q: q})), want)
	}
}

// Nothing that a person types is a syntax of ours or of SQLite's.
func FuzzSearchQuery(f *testing.F) {
	for _, q := range []string{
		`"`, `"" OR ""`, `a OR b`, `a AND NOT b`, `text : a`, `{text} : a`, `NEAR(a b)`, `a*`, `^a`, `a + b`, `-a`, `(a`, `a"b`, "a\x00b",
		`§1`, `' OR 1=1 --`, `"§1" OR "a`, "가\"나", strings.Repeat("a ", 100), strings.Repeat("가", 200), strings.Repeat("(", 200), "\xff\xfe", `\`, `%_`,
	} {
		f.Add(q)
	}
	feed := newMemory()
	ix := open(f, path(f), feed)
	feed.create("mine", "ann", "needle")
	feed.say("mine", "needle")
	feed.create("other", "bob", "needle")
	feed.say("other", "needle")
	f.Fuzz(func(t *testing.T, q string) {
		for _, q := range []string{q, "needle " + q, q + " needle"} {
			p, err := ix.Search(t.Context(), SearchQuery{Q: q, Owners: []string{"ann"}})
			var refused *protocol.Error
			if err != nil && !(errors.As(err, &refused) && refused.Code == protocol.CodeInvalidMessage) {
				t.Fatalf("search %q: %v", q, err)
			}
			for _, h := range p.Items {
				if h.SessionID != "mine" {
					t.Fatalf("search %q shows session %s", q, h.SessionID)
				}
			}
			l, err := ix.List(t.Context(), Query{Q: q, Owners: []string{"ann"}})
			if err != nil && !(errors.As(err, &refused) && refused.Code == protocol.CodeInvalidMessage) {
				t.Fatalf("list %q: %v", q, err)
			}
			if len(l.Items) > 0 && ids(l.Items) != "mine" {
				t.Fatalf("list %q shows %v", q, ids(l.Items))
			}
		}
	})
}

func TestSearchScope(t *testing.T) {
	feed := newMemory()
	ix := open(t, path(t), feed)
	for _, s := range []struct{ id, owner string }{{"a1", "ann"}, {"a2", "ann"}, {"b1", "bob"}, {"b2", "bob"}} {
		feed.create(s.id, s.owner, "")
		feed.say(s.id, "needle")
	}
	both := func() {
		t.Helper()
		for _, c := range []struct {
			q    SearchQuery
			want string
		}{
			{SearchQuery{}, "b2/2 b1/2 a2/2 a1/2"},
			{SearchQuery{Owners: []string{"ann"}}, "a2/2 a1/2"},
			{SearchQuery{Owners: []string{"ann"}, OrSessions: []string{"b1", "a1", "nope", `"`}}, "b1/2 a2/2 a1/2"},
			{SearchQuery{Owners: []string{"nobody"}}, ""},
			{SearchQuery{Owners: []string{"nobody"}, OrSessions: []string{"b2"}}, "b2/2"},
			{SearchQuery{Session: "b1"}, "b1/2"},
			{SearchQuery{Session: "b1", Owners: []string{"ann"}}, ""},
			{SearchQuery{Session: "b1", Owners: []string{"ann"}, OrSessions: []string{"b1"}}, "b1/2"},
			{SearchQuery{Session: "nope"}, ""},
		} {
			c.q.Q = "needle"
			check(t, fmt.Sprintf("%+v", c.q), hits(search(t, ix, c.q)), c.want)
		}
	}
	both()
	// Those who have more sessions than can be named find the same.
	for i := range maxScope + 1 {
		for _, owner := range []string{"ann", "bob", "nobody"} {
			feed.create(fmt.Sprint(owner, i), owner, "")
		}
	}
	both()
}

// A new version of a message replaces its text, where it was.
func TestSearchUpdated(t *testing.T) {
	feed := newMemory()
	ix := open(t, path(t), feed)
	feed.create("s", "ann", "Two drafts")
	feed.message("s", 100, protocol.MessageCreated, "first draft")
	feed.message("s", 101, protocol.MessageCreated, "")
	feed.say("s", "draft of another")
	check(t, "before", hits(search(t, ix, SearchQuery{Q: "draft"})), "s/4 s/2")
	feed.message("s", 100, protocol.MessageUpdated, "final text")
	feed.message("s", 101, protocol.MessageUpdated, "final too")
	check(t, "old text", hits(search(t, ix, SearchQuery{Q: "draft"})), "s/4")
	check(t, "new text", hits(search(t, ix, SearchQuery{Q: "final"})), "s/3 s/2")
	feed.message("s", 100, protocol.MessageUpdated, "")
	check(t, "removed text", hits(search(t, ix, SearchQuery{Q: "final"})), "s/3")
	feed.message("s", 100, protocol.MessageUpdated, "final again")
	check(t, "text again", hits(search(t, ix, SearchQuery{Q: "final"})), "s/3 s/2")
	if got := search(t, ix, SearchQuery{Q: "again"}); len(got) != 1 || got[0].Role != protocol.RoleUser ||
		got[0].Say != protocol.SayText || got[0].AgentID != "main-monitor-0" || got[0].Snippet != "final «again»" ||
		!got[0].Timestamp.Equal(epoch.Add(2e9)) || got[0].Title != "Two drafts" {
		t.Errorf("got %+v", got)
	}
}

func TestSearchForkAndRewind(t *testing.T) {
	feed := newMemory()
	ix := open(t, path(t), feed)
	feed.create("s", "ann", "")
	feed.say("s", "keep needle")
	feed.say("s", "drop needle")
	feed.fork("s", 2, "f", "bob")
	feed.put("s", protocol.TypeRewound, &protocol.Rewound{RewindID: "r", Head: protocol.MessageID(2)})
	feed.say("s", "new needle")
	got := search(t, ix, SearchQuery{Q: "needle"})
	check(t, "all", hits(got), "s/5 f/2 s/3 s/2")
	for _, h := range got {
		if h.Hidden != (h.SessionID == "s" && h.MessageID == protocol.MessageID(3)) {
			t.Errorf("%s %s: hidden is %v", h.SessionID, h.MessageID, h.Hidden)
		}
	}
	check(t, "the fork's owner", hits(search(t, ix, SearchQuery{Q: "needle", Owners: []string{"bob"}})), "f/2")
	items := list(t, ix, Query{Owners: []string{"bob"}})
	if len(items) != 1 || items[0].ForkedFrom != "s" {
		t.Errorf("got %+v", items)
	}
	feed.delete("s")
	check(t, "the fork stays", hits(search(t, ix, SearchQuery{Q: "needle"})), "f/2")
}

// While others write, paging shows each message that was there exactly once.
func TestSearchPaging(t *testing.T) {
	feed := newMemory()
	ix := open(t, path(t), feed)
	feed.create("s", "ann", "")
	var want []string
	for i := range 25 {
		feed.message("s", int64(i+1), protocol.MessageCreated, "needle")
		want = append([]string{fmt.Sprint("s/", i+2)}, want...)
	}
	var got []string
	q := SearchQuery{Q: "needle", Limit: 4}
	for pages := 1; ; pages++ {
		p, err := ix.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.Fields(hits(p.Items))...)
		feed.message("s", int64(1000+pages), protocol.MessageCreated, "needle, new")
		feed.message("s", int64(pages), protocol.MessageUpdated, "needle, changed")
		if pages == 3 { // a rebuild in between harms no cursor
			if err := ix.replace(t.Context(), ix.store, errors.New("the test wants it")); err != nil {
				t.Fatal(err)
			}
		}
		if q.Cursor = p.NextCursor; q.Cursor == "" {
			if pages != 7 {
				t.Errorf("25 hits came on %d pages of 4", pages)
			}
			break
		}
	}
	check(t, "all pages", strings.Join(got, " "), strings.Join(want, " "))
}

func TestSearchFilters(t *testing.T) {
	feed := newMemory()
	ix := open(t, path(t), feed)
	feed.create("a", "ann", "")
	feed.create("b", "bob", "")
	put := func(session, agent string, d protocol.MessageRecord) {
		d.Action, d.Message.Ts, d.Message.Text = protocol.MessageCreated, int64(feed.last[session]+1), "needle"
		feed.mu.Lock()
		defer feed.mu.Unlock()
		frame, err := protocol.Record{
			Seq: feed.last[session] + 1, Type: protocol.TypeMessage, Time: epoch.Add(time.Duration(feed.at+1) * time.Hour), AgentID: agent, Data: &d,
		}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		feed.putFrame(session, frame)
	}
	say := func(role protocol.Role, s protocol.Say) protocol.MessageRecord {
		return protocol.MessageRecord{Role: role, Message: protocol.Message{Type: protocol.KindSay, Say: s}}
	}
	put("a", "main", say(protocol.RoleUser, protocol.SayText))           // at 3 h
	put("a", "task", say(protocol.RoleAssistant, protocol.SayReasoning)) // 4 h
	put("b", "main", protocol.MessageRecord{Role: protocol.RoleAssistant, Message: protocol.Message{Type: protocol.KindAsk, Ask: protocol.AskFollowup}})
	put("b", "main", say(protocol.RoleSystem, protocol.SayError)) // 6 h
	feed.put("a", protocol.TypeRewound, &protocol.Rewound{RewindID: "r", Head: protocol.MessageID(2)})
	at := func(h int) time.Time { return epoch.Add(time.Duration(h) * time.Hour) }
	for _, c := range []struct {
		q    SearchQuery
		want string
	}{
		{SearchQuery{}, "b/3 b/2 a/3 a/2"},
		{SearchQuery{Owners: []string{"ann", "bob"}}, "b/3 b/2 a/3 a/2"},
		{SearchQuery{Owners: []string{"bob"}, OrSessions: []string{"a"}}, "b/3 b/2 a/3 a/2"},
		{SearchQuery{Owners: []string{"bob"}}, "b/3 b/2"},
		{SearchQuery{Agent: "task"}, "a/3"},
		{SearchQuery{Kind: "assistant"}, "b/2 a/3"},
		{SearchQuery{Kind: "user"}, "a/2"},
		{SearchQuery{Kind: "reasoning"}, "a/3"},
		{SearchQuery{Kind: "followup"}, "b/2"},
		{SearchQuery{Kind: "error", Session: "a"}, ""},
		{SearchQuery{From: at(4)}, "b/3 b/2 a/3"},
		{SearchQuery{To: at(4)}, "a/3 a/2"},
		{SearchQuery{From: at(4), To: at(5)}, "b/2 a/3"},
		{SearchQuery{Visible: true}, "b/3 b/2 a/2"},
		{SearchQuery{Visible: true, Agent: "task"}, ""},
	} {
		c.q.Q = "needle"
		check(t, fmt.Sprintf("%+v", c.q), hits(search(t, ix, c.q)), c.want)
	}
	for _, h := range search(t, ix, SearchQuery{Q: "needle"}) {
		if h.Hidden != (h.AgentID == "task") {
			t.Errorf("%s %s is marked hidden: %v", h.SessionID, h.MessageID, h.Hidden)
		}
	}
	if _, err := ix.Search(t.Context(), SearchQuery{Q: "needle", Kind: "shouting"}); err == nil {
		t.Error("a kind that does not exist is searched for")
	}
}

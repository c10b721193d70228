package journaltest

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/parley-dev/parley/internal/journal"
)

// put queues parts that must be stored.
func (s *suite) put(session string, parts ...journal.Part) {
	s.Helper()
	capability[journal.Parts](s).PutParts(session, parts, func(err error) { s.Errorf("parts of %s: %v", session, err) })
}

// parts demands what is stored. The append before it makes sure that what was
// queued earlier is.
func (s *suite) parts(session string, want ...journal.Part) {
	s.Helper()
	got, err := capability[journal.Parts](s).Parts(s.ctx, session)
	s.must(err)
	if len(got) == 0 && len(want) == 0 {
		return
	}
	if !reflect.DeepEqual(got, want) {
		s.Fatalf("parts of %s are %+v, not %+v", session, got, want)
	}
}

func testParts(s *suite) {
	capability[journal.Parts](s)
	s.parts("nobody")
	s.add("a", 0, 1)
	s.add("b", 0, 1)
	meta := []byte(`{"role":"assistant"}`)
	list := []journal.Part{
		{Open: "open_1", Index: 0, Text: "Hello", Meta: meta},
		{Open: "open_1", Index: 1, Text: " \x00 wörld"},
	}
	s.put("a", journal.Part{Open: "open_2", Index: 0, Text: "another", Meta: []byte("m")})
	s.put("a", list...)
	for i := range list {
		list[i].Text = "changed"
	}
	meta[0] = 'X'
	for i := 2; i < 12; i++ {
		s.put("a", journal.Part{Open: "open_1", Index: i, Text: fmt.Sprint(i)})
	}
	s.put("b", journal.Part{Open: "open_1", Index: 0})
	s.add("a", 1, 1)
	want := []journal.Part{
		{Open: "open_1", Index: 0, Text: "Hello", Meta: []byte(`{"role":"assistant"}`)},
		{Open: "open_1", Index: 1, Text: " \x00 wörld"},
	}
	for i := 2; i < 12; i++ {
		want = append(want, journal.Part{Open: "open_1", Index: i, Text: fmt.Sprint(i)})
	}
	want = append(want, journal.Part{Open: "open_2", Index: 0, Text: "another", Meta: []byte("m")})
	s.parts("a", want...)
	s.parts("b", journal.Part{Open: "open_1", Index: 0})
	s.holds("a", 2)
}

// The append that closes a message takes its parts away, all that were put
// before it and no others.
func testPartsClosed(s *suite) {
	capability[journal.Parts](s)
	s.add("a", 0, 1)
	s.add("b", 0, 1)
	keep := journal.Part{Open: "open_keep", Index: 0, Text: "kept"}
	s.put("a", keep)
	s.put("b", journal.Part{Open: "open_0", Index: 0, Text: "of another session"})
	last := uint64(1)
	for round := range 30 {
		open := fmt.Sprint("open_", round)
		for i := range 5 {
			s.put("a", journal.Part{Open: open, Index: i, Text: "text"})
		}
		a := appended("a", last, 1)
		a.Closes = []string{open}
		s.must(s.j.Append(s.ctx, a))
		last++
		s.parts("a", keep)
	}
	s.parts("b", journal.Part{Open: "open_0", Index: 0, Text: "of another session"})

	// A refused append takes nothing away.
	a := appended("a", 0, 1)
	a.Closes = []string{"open_keep"}
	if err := s.j.Append(s.ctx, a); !errors.Is(err, journal.ErrConflict) {
		s.Fatal(err)
	}
	s.parts("a", keep)
	s.must(s.j.Delete(s.ctx, "a"))
	s.parts("a")
}

func testPartsRefused(s *suite) {
	p := capability[journal.Parts](s)
	s.add("gone", 0, 1)
	s.must(s.j.Delete(s.ctx, "gone"))
	for id, want := range map[string]error{"nobody": journal.ErrNotFound, "gone": journal.ErrDeleted} {
		told := make(chan error, 1)
		p.PutParts(id, []journal.Part{{Open: "o", Text: "lost"}}, func(err error) { told <- err })
		if err := <-told; !errors.Is(err, want) {
			s.Errorf("parts of %s: %v", id, err)
		}
		s.parts(id)
	}
	p.PutParts("nobody", []journal.Part{{Open: "o"}}, nil) // nobody wants to know
}

func testPartsSurvive(s *suite) {
	capability[journal.Parts](s)
	s.add("a", 0, 1)
	s.put("a", journal.Part{Open: "o", Index: 0, Text: "one"})
	s.put("a", journal.Part{Open: "o", Index: 1, Text: "two"})
	s.reopen()
	s.parts("a", journal.Part{Open: "o", Index: 0, Text: "one"}, journal.Part{Open: "o", Index: 1, Text: "two"})
}

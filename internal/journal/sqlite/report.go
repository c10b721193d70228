package sqlite

import (
	"fmt"
	"strings"
)

// Report is what Check found.
type Report struct {
	File      string    `json:"file"`
	Sessions  int64     `json:"sessions"`
	Records   int64     `json:"records"`
	Parts     int64     `json:"parts"`
	Snapshots int64     `json:"snapshots"`
	Blobs     int64     `json:"blobs"`
	Problems  []Problem `json:"problems"`
	// Omitted is how many problems more there are than are listed.
	Omitted int `json:"omitted,omitempty"`
	// Repaired says what Repair did, before it checked again.
	Repaired []string `json:"repaired,omitempty"`
}

// Problem is one thing that is not as it was written.
type Problem struct {
	Kind    Kind   `json:"kind"`
	Session string `json:"session_id,omitempty"`
	Seq     uint64 `json:"seq,omitempty"`
	What    string `json:"what"`
	// Repairable says that Repair takes care of it without losing a record.
	Repairable bool `json:"repairable"`
}

// Kind is the part of a journal that a problem is in.
type Kind string

const (
	KindFile     Kind = "file"     // the database itself
	KindRecord   Kind = "record"   // a record is damaged or missing
	KindSession  Kind = "session"  // a session's own row
	KindPart     Kind = "part"     // unfinished text
	KindSnapshot Kind = "snapshot" // a folded state
	KindBlob     Kind = "blob"     // a payload or the reference to it
)

// maxProblems is how many problems a report lists: one bad page can spoil
// thousands of records.
const maxProblems = 1000

// OK says that everything is as it was written.
func (r *Report) OK() bool { return len(r.Problems) == 0 }

func (r *Report) add(p Problem) {
	if len(r.Problems) >= maxProblems {
		r.Omitted++
		return
	}
	r.Problems = append(r.Problems, p)
}

// repairable says whether there is something that Repair can do.
func (r *Report) repairable() bool {
	for _, p := range r.Problems {
		if p.Repairable {
			return true
		}
	}
	return false
}

// String is the report for a person.
func (r *Report) String() string {
	var b strings.Builder
	for _, done := range r.Repaired {
		fmt.Fprintf(&b, "repaired: %s\n", done)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "%s\n", p)
	}
	if r.Omitted > 0 {
		fmt.Fprintf(&b, "… and %d problems more\n", r.Omitted)
	}
	fmt.Fprintf(&b, "%s: %d sessions, %d records, %d parts, %d snapshots, %d blobs: ", r.File, r.Sessions, r.Records, r.Parts, r.Snapshots, r.Blobs)
	switch {
	case r.OK():
		b.WriteString("all is well\n")
	case r.repairable():
		fmt.Fprintf(&b, "%d problems; `parley fsck` takes care of those marked repairable\n", len(r.Problems)+r.Omitted)
	default:
		fmt.Fprintf(&b, "%d problems; restore a copy, or see docs/journal-format.md on recovering by hand\n", len(r.Problems)+r.Omitted)
	}
	return b.String()
}

func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(string(p.Kind))
	if p.Session != "" {
		fmt.Fprintf(&b, " of session %s", p.Session)
	}
	if p.Seq != 0 {
		fmt.Fprintf(&b, " at %d", p.Seq)
	}
	fmt.Fprintf(&b, ": %s", p.What)
	if p.Repairable {
		b.WriteString(" (repairable)")
	}
	return b.String()
}

// Package exchange carries whole sessions in and out of Parley: our own archive,
// the journal as lines, and the formats of other systems.
//
// What it promises:
//
//   - An export is a fold of the journal. It reads the session page by page and
//     holds no more of it in memory than a page, however long it is; it ends at
//     the record that was the last when it began.
//   - An archive holds everything: every record in the bytes in which it is
//     stored, hidden ones too, and every blob. It is checked as a whole before
//     any of it is used.
//   - Of a file of another system, what can be read is taken, and what cannot
//     is reported with its place. A session that was read is at rest: no turn
//     is open, nobody is asked anything.
//   - What is read is bounded: sizes, numbers, depth. Names that lead out of a
//     folder, links and devices are refused.
//
// What it refuses: it stores nothing and asks nobody's permission; whoever
// calls does both. It takes over no permissions either: what people allowed
// elsewhere is not allowed here. Records hold no secrets, so exports hold none.
package exchange

import (
	"fmt"
	"slices"
	"strings"
)

// Format names how a session is written down.
type Format string

const (
	Archive  Format = "archive"  // one file with everything
	Roo      Format = "roo"      // a task folder of Roo Code and its relatives
	Yaar     Format = "yaar"     // a session log folder
	Store    Format = "store"    // a message store file
	Markdown Format = "markdown" // a transcript for people
	JSONL    Format = "jsonl"    // the records, one to a line
)

// Spec is one row of the table of formats.
type Spec struct {
	Format Format
	// Import says that it can be read as well as written.
	Import bool
	// Folder says that it is several files, which travel as a zip or tar.
	Folder    bool
	MediaType string
	Extension string
	write     exporter
	read      importer
}

// Formats lists every format.
func Formats() []Spec {
	return []Spec{
		{Archive, true, false, "application/vnd.parley.archive", ".parley", writeArchive, readArchive},
		{Roo, true, true, "application/zip", ".zip", writeRoo, readRoo},
		{Yaar, true, true, "application/zip", ".zip", writeYaar, readYaar},
		{Store, true, false, "application/json", ".json", writeStore, readStore},
		{Markdown, false, false, "text/markdown; charset=utf-8", ".md", writeMarkdown, nil},
		{JSONL, true, false, "application/jsonl", ".jsonl", writeJSONL, readJSONL},
	}
}

// Lookup finds a format by its name. The error lists those there are.
func Lookup(name string) (Spec, error) {
	all := Formats()
	names := make([]string, len(all))
	for i, s := range all {
		if string(s.Format) == name {
			return s, nil
		}
		names[i] = string(s.Format)
	}
	slices.Sort(names)
	return Spec{}, &Refusal{Reason: fmt.Sprintf("there is no format %.40q; there are %s", name, strings.Join(names, ", "))}
}

// Refusal says why a file was not taken at all.
type Refusal struct {
	Reason string
	// Report tells what is wrong place by place; nil if the reason says all.
	Report *Report
}

func (r *Refusal) Error() string { return r.Reason }

func refuse(format string, args ...any) *Refusal {
	return &Refusal{Reason: fmt.Sprintf(format, args...)}
}

package exchange

import "fmt"

// Report tells what of a file could not be taken as it is.
type Report struct {
	Problems []Finding `json:"problems"`
	// More is how many problems there are beside those listed.
	More int `json:"more,omitempty"`
}

// Finding is one thing that was left out or changed, and where it stood.
type Finding struct {
	File string `json:"file,omitempty"`
	// Line counts from 1; 0 if the file has no lines to speak of.
	Line int `json:"line,omitempty"`
	// Index counts the entries of a list from 0; nil if it is about none.
	Index   *int   `json:"index,omitempty"`
	Problem string `json:"problem"`
}

func (p Finding) String() string {
	where := p.File
	switch {
	case p.Line > 0:
		where += fmt.Sprintf(":%d", p.Line)
	case p.Index != nil:
		where += fmt.Sprintf("[%d]", *p.Index)
	}
	if where == "" {
		return p.Problem
	}
	return where + ": " + p.Problem
}

// problemsMost is how many problems a report lists; a file that is nothing but
// damage says no more than that.
const problemsMost = 1000

func (r *Report) put(p Finding) {
	if len(r.Problems) >= problemsMost {
		r.More++
		return
	}
	r.Problems = append(r.Problems, p)
}

// Add reports something about a file as a whole, or, without a file, about the
// session.
func (r *Report) Add(file, format string, args ...any) {
	r.put(Finding{File: file, Problem: fmt.Sprintf(format, args...)})
}

func (r *Report) line(file string, line int, format string, args ...any) {
	r.put(Finding{File: file, Line: line, Problem: fmt.Sprintf(format, args...)})
}

func (r *Report) entry(file string, index int, format string, args ...any) {
	r.put(Finding{File: file, Index: &index, Problem: fmt.Sprintf(format, args...)})
}

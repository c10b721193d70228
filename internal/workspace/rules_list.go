package workspace

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A checkpoint keeps the ignore rules that held when the folder was scanned, because a
// file that is not in it may have been there, ignored. Those of a .gitignore that is in
// the checkpoint are there already; the list beside the files has the others: of files
// that are ignored themselves, that were too long, or that changed since they were
// read, and those that are in no .gitignore of the workspace.

// rule is an item of the list.
type rule struct {
	kind string
	at   string
	text []byte
}

const (
	ruleMade    = "made"    // what machines make
	ruleUnder   = "under"   // at is the path of the workspace in the repository
	ruleAbove   = "above"   // of the repository; at is a file of it
	ruleExclude = "exclude" // of a repository in the workspace, whose top is at
	ruleOwn     = "own"     // instead of what the checkpoint has as the .gitignore in at
	ruleMixed   = "mixed"   // other rules held for some of the files
)

// encodeRules writes items one after the other, since texts can hold anything: "kind
// length at", a zero byte, the text.
func encodeRules(list []rule) []byte {
	var b bytes.Buffer
	for _, r := range list {
		fmt.Fprintf(&b, "%s %d %s\x00%s", r.kind, len(r.text), r.at, r.text)
	}
	return b.Bytes()
}

// decodeRules gives nothing if the list is none.
func decodeRules(b []byte) (list []rule) {
	for len(b) > 0 {
		about, rest, ok := bytes.Cut(b, []byte{0})
		kind, more, _ := strings.Cut(string(about), " ")
		size, at, _ := strings.Cut(more, " ")
		n, err := strconv.Atoi(size)
		if !ok || err != nil || n < 0 || n > len(rest) {
			return nil
		}
		list = append(list, rule{kind, at, rest[:n:n]})
		b = rest[n:]
	}
	return list
}

// list are the items of the outer rules.
func (o outer) list() []rule {
	list := []rule{{kind: ruleMade, text: []byte(o.made)}, {kind: ruleUnder, at: o.under}}
	for _, t := range o.texts {
		list = append(list, rule{ruleAbove, t.file, t.text})
	}
	return list
}

// take is the other way round, item by item.
func (o *outer) take(r rule) {
	switch r.kind {
	case ruleMade:
		o.made = string(r.text)
	case ruleUnder:
		o.under = r.at
	case ruleAbove:
		o.texts = append(o.texts, ruleText{r.at, r.text})
	}
}

// listRules adds the items of a folder.
func (n *node) listRules(list []rule, at string) []rule {
	if len(n.exclude) > 0 {
		list = append(list, rule{ruleExclude, at, n.exclude})
	}
	if n.unlisted() {
		list = append(list, rule{ruleOwn, at, n.rules})
	}
	return list
}

// ruleList is the list of a manifest, with the items of its folders.
func (m *manifest) ruleList(own []rule) []byte {
	slices.SortFunc(own, func(a, b rule) int { return strings.Compare(a.at+"\x00"+a.kind, b.at+"\x00"+b.kind) })
	list := append(m.outer.list(), own...)
	if m.mixed {
		list = append(list, rule{kind: ruleMixed})
	}
	return encodeRules(list)
}

// takeRules brings back what a list says. The manifest has all files already. Without
// a list nothing is known of what was left out.
func (m *manifest) takeRules(content []byte) {
	list := decodeRules(content)
	m.mixed = list == nil
	m.root.walk("", func(_ string, n *node) { n.used = n.stored() })
	for _, r := range list {
		switch m.outer.take(r); r.kind {
		case ruleExclude:
			n := m.folder(r.at, true)
			n.exclude, n.repository = r.text, true
		case ruleMixed:
			m.mixed = true
		case ruleOwn:
			m.folder(r.at, true).ruleBy(r.at, ruleFile{text: r.text, there: true})
		}
	}
}

// ruleBy gives a folder the rules of its file.
func (n *node) ruleBy(at string, r ruleFile) {
	n.rules, n.used, n.ruled, n.cut = r.text, r.name(), r.there, 0
	if r.cut {
		n.cut = r.size
	}
	n.apart = strings.ContainsRune(at, '\n')
}

// emptyBlob is what git calls a file without content.
var emptyBlob = blobOID(nil)

// unlisted says that the rules that hold in a folder are not those of the .gitignore
// that the state has there.
func (n *node) unlisted() bool {
	return n.stored() != n.used || n.apart && n.used != oid{}
}

// stored is the name of the .gitignore that the state has in a folder; an empty one
// has none.
func (n *node) stored() oid {
	if f := n.files[ignoreName]; f != nil && f.oid != emptyBlob {
		return f.oid
	}
	return oid{}
}

// over puts the rules of a folder over those from above.
func (n *node) over(r *rules, at string) *rules { return r.with(n.exclude, at).with(n.rules, at) }

// pastRules are those of a checkpoint.
type pastRules struct {
	first *rules
	texts map[string]*pastTexts
	blob  func(folder string) ([]byte, error) // the .gitignore that the checkpoint has
	err   error
}

type pastTexts struct {
	exclude, own []byte
	known        bool // own is what held
}

// newPastRules is nil if there is no list, or one that does not count for all files: it
// is not known then what was left out.
func newPastRules(content []byte, blob func(folder string) ([]byte, error)) *pastRules {
	list := decodeRules(content)
	if list == nil || slices.ContainsFunc(list, func(r rule) bool { return r.kind == ruleMixed }) {
		return nil
	}
	p := &pastRules{texts: map[string]*pastTexts{}, blob: blob}
	var o outer
	for _, r := range list {
		switch o.take(r); r.kind {
		case ruleExclude:
			p.at(r.at).exclude = r.text
		case ruleOwn:
			p.at(r.at).own, p.at(r.at).known = r.text, true
		}
	}
	p.first = o.rules()
	return p
}

func (p *pastRules) at(folder string) *pastTexts {
	if p.texts[folder] == nil {
		p.texts[folder] = &pastTexts{}
	}
	return p.texts[folder]
}

// cover says whether a path was left out.
func (p *pastRules) cover(name string, isDir bool) (bool, error) {
	left := p.first.covers(name, isDir, func(folder string) [][]byte {
		t := p.at(folder)
		if !t.known && p.err == nil {
			t.own, p.err = p.blob(folder)
			t.known = p.err == nil
		}
		return [][]byte{t.exclude, t.own}
	})
	return left, p.err
}

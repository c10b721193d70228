package workspace

import (
	"path"
	"strings"
)

// paths looks at some paths only, and gives those that cannot be captured.
func (s *scan) paths(names []string) ([]Missing, error) {
	var refused []Missing
	for _, name := range names {
		clean, err := cleanPath(name)
		if err != nil {
			return nil, err
		}
		if why := s.path(clean); why != nil {
			refused = append(refused, *why)
		}
	}
	s.wg.Wait()
	return refused, s.err
}

func (s *scan) path(name string) *Missing {
	if name == "." {
		s.all()
		s.wg.Wait()
		return nil
	}
	for part := range strings.SplitSeq(name, "/") {
		if isGit(part) {
			return &Missing{Path: name, Reason: GitName}
		}
	}
	if s.avoids(name) {
		return &Missing{Path: name, Reason: Ignored}
	}
	d, err := s.root.descend(path.Dir(name))
	if err != nil {
		s.lost(name, err)
		return nil
	}
	defer d.close()
	base := path.Base(name)
	st, err := d.stat(base)
	if err != nil {
		s.lost(name, err)
		return nil
	}
	known := s.m.at(name).there()
	var r *rules
	var ignored bool
	if !known || st.isDir() {
		r, ignored = s.rulesAt(name, st.isDir())
	}
	if below := s.m.folder(name, false); ignored && !known && (below == nil || below.hollow()) {
		return &Missing{Path: name, Reason: Ignored}
	}
	n := s.m.folder(path.Dir(name), true)
	n.empty = false
	delete(n.missing, base)
	if !st.isDir() {
		if below := n.dirs[base]; below != nil {
			s.goneBelow(below, name)
			delete(n.dirs, base)
		}
		s.file(d, n, name, base)
		return nil
	}
	if known {
		s.gone(n, name, base)
	}
	s.below(d, n, base, place{at: name, stamp: st, rules: r, ignored: ignored, fresh: true})
	s.wg.Wait()
	return nil
}

// lost takes a path out of the manifest that is not in the folder any more.
func (s *scan) lost(name string, err error) {
	if !notThere(err) {
		return
	}
	n := s.m.folder(path.Dir(name), false)
	if n == nil {
		return
	}
	base := path.Base(name)
	delete(n.missing, base)
	if n.files[base] != nil {
		s.gone(n, name, base)
	}
	if below := n.dirs[base]; below != nil {
		s.goneBelow(below, name)
		delete(n.dirs, base)
	}
}

// rulesAt gives the rules that hold for a path and whether they leave it out.
func (s *scan) rulesAt(name string, isDir bool) (*rules, bool) {
	last := s.first
	read := func(folder string) []byte {
		d, err := s.root.descend(folder)
		if err != nil {
			return nil
		}
		defer d.close()
		text := readRules(d, ignoreName)
		last = last.with(text, folder)
		return text
	}
	left := s.first.covers(name, isDir, read)
	return last, left
}

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
		s.m.outer = s.outer
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
	if !st.isDir() {
		s.named(d, name, base)
		return nil
	}
	r, ignored, err := s.rulesAt(name)
	if err != nil {
		s.fail(err)
		return nil
	}
	if below := s.m.folder(name, false); ignored && (below == nil || below.hollow()) {
		return &Missing{Path: name, Reason: Ignored}
	}
	n := s.m.folder(path.Dir(name), true)
	n.empty = false
	delete(n.missing, base)
	if n.files[base] != nil {
		s.gone(n, name, base)
	}
	s.below(d, n, base, place{at: name, stamp: st, rules: r, ignored: ignored, fresh: true})
	s.wg.Wait()
	return nil
}

// named looks at a file that a caller names: it is about to be written, or was, so it
// is kept whatever the rules say.
func (s *scan) named(d *dir, name, base string) {
	n := s.m.folder(path.Dir(name), true)
	n.empty = false
	if n.missing[base].Reason != RulesCut {
		delete(n.missing, base)
	}
	if below := n.dirs[base]; below != nil {
		s.goneBelow(below, name)
		delete(n.dirs, base)
	}
	s.file(d, n, name, base)
}

// lost takes a path out of the manifest that is not in the folder any more. One that
// cannot be looked at stays as it was, and is named.
func (s *scan) lost(name string, err error) {
	if exhausted(err) {
		s.fail(err)
		return
	}
	if !notThere(err) {
		s.m.skip(name, Missing{Path: name, Reason: Unreadable})
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

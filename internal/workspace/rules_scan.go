package workspace

import (
	"bytes"
	"path/filepath"
)

// rulesOf reads the rules of a folder and says whether they changed. Of a file that
// cannot be read, what it said before holds.
func (s *scan) rulesOf(d *dir, n *node, at string) (changed bool, err error) {
	used, exclude := n.used, n.exclude
	own, err := readRules(d, ignoreName)
	switch {
	case exhausted(err):
		return false, err
	case err != nil:
		n.ruled = true
	default:
		n.ruleBy(at, own)
	}
	if err := s.excludeOf(d, n, at); err != nil {
		return false, err
	}
	return n.used != used || !bytes.Equal(n.exclude, exclude), nil
}

// excludeOf does the same for the rules of a repository inside the workspace.
func (s *scan) excludeOf(d *dir, n *node, at string) error {
	if at == "" {
		return nil
	}
	if _, err := d.stat(".git"); notThere(err) { // nearly always
		n.repository, n.exclude = false, nil
		return nil
	}
	r, top, err := readExclude(s.root, filepath.Join(s.Workspace.folder, at))
	if exhausted(err) {
		return err
	}
	if n.repository = top; err == nil {
		n.exclude = r.text
	}
	return nil
}

// excludes adds the repositories whose own rules changed, which no watch tells.
func (s *scan) excludes(list unrest) {
	for at := range s.m.repositories {
		n := s.m.folder(at, false)
		if n == nil || !n.repository {
			delete(s.m.repositories, at)
			continue
		}
		r, _, err := readExclude(s.root, filepath.Join(s.Workspace.folder, at))
		if err != nil || !bytes.Equal(r.text, n.exclude) {
			list.add(at, true)
		}
	}
}

// rulesAt gives the rules that hold for a folder and whether they leave it out. They may
// not be those of the latest scan.
func (s *scan) rulesAt(name string) (last *rules, left bool, err error) {
	last = s.first
	s.m.mixed = s.m.mixed || !s.outer.equal(s.m.outer)
	read := func(folder string) [][]byte {
		n := &node{}
		if known := s.m.folder(folder, false); known != nil {
			n.used, n.rules, n.exclude = known.used, known.rules, known.exclude
		}
		d, e := s.root.descend(folder)
		if e == nil {
			var changed bool
			changed, e = s.rulesOf(d, n, folder)
			s.m.mixed = s.m.mixed || changed
			d.close()
		}
		if exhausted(e) {
			err = e
		}
		last = n.over(last, folder)
		return [][]byte{n.exclude, n.rules}
	}
	left = s.first.covers(name, true, read)
	return last, left, err
}

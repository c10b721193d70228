package workspace

import (
	"maps"
	"slices"
	"strings"
)

// everything brings the manifest up to date: it looks at the folders that are known to
// be disturbed, or at all of them.
func (s *scan) everything() error {
	list, known := s.disturbed()
	if known {
		s.excludes(list)
		if s.some(list) {
			return s.err
		}
		s.m.scan++ // what was looked at so far does not count
		s.list = nil
	}
	s.all()
	s.wg.Wait()
	if s.watch != nil && s.err == nil && !s.cut.Load() {
		s.watch.settle()
	}
	return s.err
}

// some looks at some folders only, and says whether that was enough.
func (s *scan) some(list unrest) bool {
	s.list = list
	cache := map[string]*rules{}
	for _, at := range slices.Sorted(maps.Keys(list)) { // a folder before those in it
		if s.stopped() {
			return true
		}
		ok := s.spot(at, list[at], cache)
		s.wg.Wait()
		if !ok {
			return false
		}
	}
	return true
}

// spot looks at one folder. One that is not in the manifest, or not there, is found by
// way of the folder above it, which is disturbed too.
func (s *scan) spot(at string, deep bool, cache map[string]*rules) bool {
	n, p := s.place(at, cache)
	if n == nil || n.seen == s.m.scan || p.ignored && n.hollow() {
		return true
	}
	d, err := s.root.descend(at)
	if err != nil { // one that cannot be read was named by the look at the folder above
		return notThere(err) || s.m.folder(above(at), false).seen == s.m.scan
	}
	if p.stamp, err = d.stat("."); err != nil {
		d.close()
		return false
	}
	p.shallow = !deep
	s.folder(d, n, p)
	return true
}

// place finds out where a folder is as a walk from the top would: by the rules that
// were read of those above it. The cache has the rules that hold in folders.
func (s *scan) place(at string, cache map[string]*rules) (*node, place) {
	n, p := s.m.root, place{at: at, rules: s.first}
	if at == "" {
		return n, p
	}
	upper := ""
	for part := range strings.SplitSeq(at, "/") {
		if cache[upper] == nil {
			cache[upper] = n.over(p.rules, upper)
		}
		p.rules = cache[upper]
		upper = join(upper, part)
		if n = n.dirs[part]; n == nil {
			return nil, p
		}
		p.ignored = p.ignored || p.rules.ignores(upper, true)
	}
	return n, p
}

// hear has a folder watched before it is looked at.
func (s *scan) hear(d *dir, p *place) error {
	if s.watch == nil || !s.watch.add(d, p.at) {
		return nil
	}
	// What happened between the stamp and the watch was not heard.
	st, err := d.stat(".")
	p.stamp = st
	return err
}

// again has a folder looked at by the next scan, whether or not anything is heard
// from it.
func (s *scan) again(at string, deep bool) {
	s.mu.Lock()
	s.restless.add(at, deep)
	s.mu.Unlock()
}

// note remembers a folder for the lists beside the files, and for the next scan.
func (s *scan) note(n *node, at string) {
	notable := n.notable()
	if !notable && !n.repository {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if notable {
		s.notable = append(s.notable, at)
	}
	if n.repository {
		s.tops = append(s.tops, at)
	}
}

// settle hands what the scan found out about folders to the manifest. After one that
// was cut off nothing is known of any.
func (s *scan) settle(all bool) {
	for _, at := range s.notable {
		s.m.notable[at] = struct{}{}
	}
	for _, at := range s.tops {
		s.m.repositories[at] = struct{}{}
	}
	switch {
	case s.cut.Load():
		s.m.restless, s.m.stale = nil, true
	case all:
		s.m.restless, s.m.stale, s.m.mixed = s.restless, false, false
	case s.m.restless != nil:
		for at, deep := range s.restless {
			s.m.restless.add(at, deep)
		}
	}
	if s.watch != nil && s.watch.failed() != nil {
		s.deafen(s.watch.failed())
	}
}

// above is the folder that a path lies in.
func above(name string) string {
	return name[:max(0, strings.LastIndexByte(name, '/'))]
}

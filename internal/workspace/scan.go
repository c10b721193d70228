package workspace

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// scan compares the folder, or some paths of it, with the manifest, stores what
// changed, and brings the manifest up to date. Several goroutines walk at once,
// each in folders of its own.
type scan struct {
	*hold
	m     *manifest
	watch *watch // may be nil
	list  unrest // what it heard, if the scan goes by that
	root  *dir
	store *importer
	outer outer
	first *rules // the outer ones
	fsNow int64
	fresh bool      // stamps of folders do not count
	end   time.Time // zero: there is time
	tell  func(looked int)

	spare  chan struct{} // for further goroutines
	wg     sync.WaitGroup
	looked atomic.Int64
	cut    atomic.Bool // time ran out, or there were too many files

	mu       sync.Mutex
	edits    []edit
	restless unrest // for the next scan
	notable  []string
	tops     []string // of repositories
	err      error    // the first that ends the scan
}

func (h *hold) scan(m *manifest, root *dir, store *importer, o Save) (*scan, error) {
	now, err := h.trashClock()
	if err != nil {
		return nil, err
	}
	outer, cut, err := readOuter(root, h.folder, m.outer)
	if err != nil {
		return nil, err
	}
	m.scan++
	s := &scan{
		hold: h, m: m, watch: h.watch, root: root, store: store, outer: outer, first: outer.rules(), fsNow: now, tell: o.Progress,
		spare: make(chan struct{}, runtime.GOMAXPROCS(0)), restless: unrest{},
	}
	s.fresh = m.scan%freshEvery == 0 || m.stale || !outer.equal(m.outer)
	m.cut = cut
	if o.Paths == nil {
		m.outer = outer
	}
	if o.Paths == nil && o.Within == 0 {
		o.Within = h.Workspace.store.limits.Scan
	}
	if o.Within > 0 {
		s.end = time.Now().Add(o.Within)
	}
	return s, nil
}

// freshEvery is how often a scan lists every folder, should a file system not stamp
// them as it ought to.
const freshEvery = 32

// all scans the folder itself.
func (s *scan) all() {
	d, err := s.root.sub(".")
	if err != nil {
		s.fail(err)
		return
	}
	st, err := d.stat(".")
	if err != nil {
		d.close()
		s.fail(err)
		return
	}
	s.folder(d, s.m.root, place{stamp: st, rules: s.first, fresh: s.fresh})
}

// place is where a walk is.
type place struct {
	at      string // the folder's path
	stamp   stamp  // and its stamp
	rules   *rules // of the folders above
	ignored bool   // they leave out the folder: only what is known in it counts
	fresh   bool   // they are not those of the scan before
	shallow bool   // known folders in it are looked at only if they are in the list
}

// folder looks at a folder and at those in it, and closes it. The names in a folder
// whose stamp is the same are those that are known, and those that were ignored.
func (s *scan) folder(d *dir, n *node, p place) {
	defer d.close()
	defer s.note(n, p.at)
	if s.stopped() {
		return
	}
	if err := s.hear(d, &p); err != nil {
		s.unreadable(n, p.at, err)
		return
	}
	names, err := s.names(d, n, &p)
	if err != nil {
		s.unreadable(n, p.at, err)
		return
	}
	n.missing = nil
	if n.cut > 0 {
		n.skip(ignoreName, Missing{Path: join(p.at, ignoreName), Reason: RulesCut, Size: n.cut})
	}
	for i, name := range names {
		if i%checkEvery == checkEvery-1 && s.stopped() {
			return
		}
		s.name(d, n, name, p)
	}
	s.count(len(names))
	s.sweep(d, n, p.at)
	n.seen, n.stamp = s.m.scan, p.stamp.unlessFresh(s.fsNow)
}

// checkEvery is after how many names a scan asks whether it is to end.
const checkEvery = 256

// names gives the names of a folder to look at, and puts the folder's rules over those
// from above. In one that is left out these are the known ones, however many there are.
func (s *scan) names(d *dir, n *node, p *place) ([]string, error) {
	if p.ignored {
		n.ruleBy(p.at, ruleFile{})
		n.repository, n.exclude, n.empty = false, nil, false
		return n.names(), nil
	}
	listed := n.stamp == p.stamp
	if !listed || p.fresh || n.ruled || n.repository {
		changed, err := s.rulesOf(d, n, p.at)
		if err != nil {
			return nil, err
		}
		p.fresh = p.fresh || changed
	}
	p.rules = n.over(p.rules, p.at)
	if listed && !p.fresh {
		return n.names(), nil
	}
	names, err := d.names()
	if err == nil {
		n.empty = len(names) == 0
	}
	return names, err
}

// name looks at one name of a folder. What is known stays known, also when a rule
// leaves it out by now.
func (s *scan) name(d *dir, n *node, name string, p place) {
	st, err := d.stat(name)
	if err != nil { // gone since; sweep looks again
		if exhausted(err) {
			s.fail(err)
		} else if !notThere(err) {
			s.again(p.at, false)
		}
		return
	}
	known := n.files[name]
	if known != nil && known.stamp == st { // nearly always
		known.scan = s.m.scan
		if st.restless() {
			s.again(p.at, false)
		}
		return
	}
	full := join(p.at, name)
	switch below := n.dirs[name]; {
	case isGit(name):
		if name != ".git" {
			n.skip(name, Missing{Path: full, Reason: GitName})
		}
		return
	case st.isDir():
		if known != nil {
			s.gone(n, full, name)
		}
		left := p.ignored || p.rules.ignores(full, true)
		if left && (below == nil || below.hollow()) {
			delete(n.dirs, name)
			return
		}
		if s.avoids(full) {
			return
		}
		if p.shallow && !p.fresh && below != nil && !s.list[full] {
			below.scan = s.m.scan
			return
		}
		s.below(d, n, name, place{at: full, stamp: st, rules: p.rules, ignored: left, fresh: p.fresh})
		return
	case known == nil && (p.ignored || p.rules.ignores(full, false)):
		return
	}
	s.file(d, n, full, name)
}

// below looks into a folder of a folder, with another goroutine if one is to
// spare.
func (s *scan) below(d *dir, n *node, name string, p place) {
	next := n.dirs[name]
	sub, err := d.sub(name)
	if exhausted(err) {
		s.fail(err)
		return
	}
	if err != nil {
		if !notThere(err) {
			n.skip(name, Missing{Path: p.at + "/", Reason: Unreadable})
			s.again(above(p.at), false)
			s.again(p.at, true)
			if next != nil {
				next.scan = s.m.scan
				next.unlist()
			}
		}
		return
	}
	if next == nil {
		next = newNode()
		n.dirs[name] = next
	}
	next.scan = s.m.scan
	select {
	case s.spare <- struct{}{}:
		s.wg.Go(func() {
			s.folder(sub, next, p)
			<-s.spare
		})
	default:
		s.folder(sub, next, p)
	}
}

// file looks at a file and takes it in if it changed.
func (s *scan) file(d *dir, n *node, full, name string) {
	if s.cut.Load() {
		return
	}
	known := n.files[name]
	seen, err := look(d, name, known, s.Workspace.store.limits.File, s.fsNow)
	switch {
	case notThere(err):
		return
	case exhausted(err):
		s.fail(err)
		return
	case err != nil:
		seen.why = Unreadable
	}
	if seen.why != "" {
		n.skip(name, seen.missing(full))
		if seen.stamp.restless() {
			s.again(above(full), false)
		}
		if known != nil {
			s.gone(n, full, name)
		}
		return
	}
	s.take(n, full, name, seen)
}

// take puts what was seen into the manifest, and its content into the store.
func (s *scan) take(n *node, full, name string, seen sight) {
	known := n.files[name]
	changed := known == nil || known.version != seen.version
	if seen.content != nil && (known == nil || known.oid != seen.oid) {
		if err := s.store.blob(seen.oid, seen.content); err != nil {
			s.fail(err)
			return
		}
	}
	n.files[name] = &file{version: seen.version, stamp: seen.stamp, scan: s.m.scan}
	n.odd = n.odd || s.m.ord.odd(seen.version)
	if seen.stamp.restless() {
		s.again(above(full), false)
	}
	if changed {
		s.edit(full, seen.version)
	}
}

// sweep drops what is in the manifest and not in the folder. A list of names that
// is made while others rename can miss some, so each is asked for by name.
func (s *scan) sweep(d *dir, n *node, at string) {
	for name, f := range n.files {
		if f.scan == s.m.scan {
			continue
		}
		if _, err := d.stat(name); notThere(err) {
			s.gone(n, join(at, name), name)
		} else if _, skipped := n.missing[name]; !skipped {
			f.stamp = stamp{} // it was moved away and back: next time
			s.again(at, false)
		}
	}
	for name, below := range n.dirs {
		if below.scan == s.m.scan {
			continue
		}
		if st, err := d.stat(name); notThere(err) || err == nil && !st.isDir() {
			s.goneBelow(below, join(at, name))
			delete(n.dirs, name)
		}
	}
}

func (s *scan) gone(n *node, full, name string) {
	delete(n.files, name)
	s.edit(full, version{})
}

func (s *scan) goneBelow(n *node, at string) {
	n.walk(at, func(at string, n *node) {
		for name := range n.files {
			s.edit(join(at, name), version{})
		}
	})
}

// unreadable says of a folder that it could not be listed. What was known in it
// stays as it was.
func (s *scan) unreadable(n *node, at string, err error) {
	if exhausted(err) {
		s.fail(err)
		return
	}
	n.unlist()
	n.missing = nil
	n.skip("", Missing{Path: at + "/", Reason: Unreadable})
	s.again(at, true)
}

func (s *scan) edit(full string, v version) {
	s.mu.Lock()
	s.edits = append(s.edits, edit{full, v})
	s.mu.Unlock()
}

func (s *scan) fail(err error) {
	s.mu.Lock()
	s.err = errors.Join(s.err, err)
	s.mu.Unlock()
	s.cut.Store(true)
}

// count adds to what was looked at.
func (s *scan) count(names int) {
	n := s.looked.Add(int64(names))
	if s.tell != nil && n/1000 != (n-int64(names))/1000 {
		s.tell(int(n))
	}
	if n > int64(s.Workspace.store.limits.Files) {
		s.cut.Store(true)
	}
}

// stopped says that the scan is to end. It asks the clock seldom.
func (s *scan) stopped() bool {
	if s.cut.Load() {
		return true
	}
	if err := s.ctx.Err(); err != nil {
		s.fail(err)
		return true
	}
	if !s.end.IsZero() && !time.Now().Before(s.end) {
		s.cut.Store(true)
		return true
	}
	return false
}

package workspace

import (
	"path"
	"slices"
	"strings"
)

// manifest is the latest state of a folder that is stored, with what is needed
// to tell quickly that a file is still the same. It stands for the commit tip and
// is thrown away whenever a save fails: it can be read again from there.
type manifest struct {
	tip   string // "" before the first checkpoint
	tree  string
	ord   ordinary
	root  *node
	side  oid  // of the lists beside the files
	whole bool // everything was looked at once
	scan  int  // counts scans, to tell names that are gone

	outer outer     // that held in the latest scan
	cut   []Missing // files of outer rules that are too long
	mixed bool      // some paths were looked at since then by other rules
	stale bool      // a scan was cut off: what it found out about rules was not followed everywhere
	// repositories are folders that may be the top of one. No watch tells of changes in
	// their ".git".
	repositories map[string]struct{}

	// restless are folders to look at although a watch heard nothing from them. It is
	// nil until everything was looked at.
	restless unrest
	// notable are the folders that the lists beside the files may name, and others.
	notable map[string]struct{}
}

// node is a folder.
type node struct {
	files   map[string]*file
	dirs    map[string]*node
	missing map[string]Missing
	empty   bool // nothing at all lies in it
	odd     bool // some files may have permissions that are written down
	seen    int  // the scan that looked at all of it
	scan    int  // the scan that met it

	stamp stamp  // of the moment when it was listed; zero if it must be listed again
	ruled bool   // it has a file of ignore rules
	rules []byte // which holds these
	used  oid    // their name; a manifest that was just loaded may have no more of them
	cut   int64  // the size of that file if it is too long
	apart bool   // git cannot be asked for it by its path

	repository bool   // it is the top of one, and not that of the workspace
	exclude    []byte // which has these rules
}

type file struct {
	version
	stamp stamp // of the moment when it was read; zero if it must be read again
	scan  int
}

func newNode() *node { return &node{files: map[string]*file{}, dirs: map[string]*node{}} }

func newManifest() *manifest {
	return &manifest{tree: emptyTree, ord: usual, root: newNode(), notable: map[string]struct{}{}, repositories: map[string]struct{}{}}
}

// notable says that the lists beside the files have something of a folder.
func (n *node) notable() bool {
	return n.empty || n.odd || len(n.missing) > 0 || len(n.exclude) > 0 || n.unlisted()
}

// names are those that are known to lie in a folder and are not ignored.
func (n *node) names() []string {
	list := make([]string, 0, len(n.files)+len(n.dirs)+len(n.missing))
	for name := range n.files {
		list = append(list, name)
	}
	for name := range n.dirs {
		list = append(list, name)
	}
	for name := range n.missing {
		if n.files[name] == nil && n.dirs[name] == nil {
			list = append(list, name)
		}
	}
	return list
}

// folder gives the node of a folder, made if asked for: it is then about to be changed
// without a look at it.
func (m *manifest) folder(name string, create bool) *node {
	if create {
		m.touch(name)
	}
	n := m.root
	if name == "." {
		return n
	}
	for begin := 0; begin < len(name); {
		end := len(name)
		if i := strings.IndexByte(name[begin:], '/'); i >= 0 {
			end = begin + i
		}
		next := n.dirs[name[begin:end]]
		if next == nil {
			if !create {
				return nil
			}
			next = newNode()
			n.dirs[name[begin:end]] = next
			m.touch(name[:end])
		}
		n, begin = next, end+1
	}
	return n
}

// touch remembers a folder that was changed without a look at it.
func (m *manifest) touch(at string) {
	if at == "." {
		at = ""
	}
	m.notable[at] = struct{}{}
	if m.restless != nil {
		m.restless.add(at, false)
	}
}

// eachNotable visits the folders that the lists beside the files name.
func (m *manifest) eachNotable(visit func(at string, n *node)) {
	for at := range m.notable {
		if n := m.folder(at, false); n != nil && n.notable() {
			visit(at, n)
		} else {
			delete(m.notable, at)
		}
	}
}

// at gives what the state has at a path.
func (m *manifest) at(name string) version {
	if n := m.folder(path.Dir(name), false); n != nil {
		if f := n.files[path.Base(name)]; f != nil {
			return f.version
		}
	}
	return version{}
}

// set writes down that a path holds a version now; its file must be read again.
func (m *manifest) set(name string, v version) {
	n := m.folder(path.Dir(name), v.there())
	switch {
	case n == nil:
	case !v.there():
		delete(n.files, path.Base(name))
		m.touch(path.Dir(name))
	default:
		n.files[path.Base(name)] = &file{version: v}
		n.empty = false
		n.odd = n.odd || m.ord.odd(v)
	}
}

func (m *manifest) skip(name string, why Missing) {
	n := m.folder(path.Dir(strings.TrimSuffix(name, "/")), true)
	n.skip(path.Base(name), why)
}

func (n *node) skip(name string, why Missing) {
	if n.missing == nil {
		n.missing = map[string]Missing{}
	}
	n.missing[name] = why
}

// hollow says that nothing of a folder is in the state.
func (n *node) hollow() bool {
	if len(n.files) > 0 {
		return false
	}
	for _, d := range n.dirs {
		if !d.hollow() {
			return false
		}
	}
	return true
}

// unlist has a folder and those in it listed again when they can be: other rules may
// hold by now.
func (n *node) unlist() { n.walk("", func(_ string, n *node) { n.stamp = stamp{} }) }

// walk visits every folder of the state.
func (n *node) walk(at string, visit func(at string, n *node)) {
	visit(at, n)
	for name, d := range n.dirs {
		d.walk(join(at, name), visit)
	}
}

func join(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

// missing lists what was not captured, in order.
func (m *manifest) missing() []Missing {
	list := slices.Clone(m.cut)
	m.eachNotable(func(_ string, n *node) {
		for _, why := range n.missing {
			list = append(list, why)
		}
	})
	slices.SortFunc(list, func(a, b Missing) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// sides are the lists that go beside the files.
func (m *manifest) sides() []side {
	var modes, missing, folders []string
	var own []rule
	m.eachNotable(func(at string, n *node) {
		own = n.listRules(own, at)
		if n.empty && at != "" {
			folders = append(folders, at)
		}
		for _, why := range n.missing {
			missing = append(missing, why.String())
		}
		if !n.odd {
			return
		}
		for name, f := range n.files {
			if m.ord.odd(f.version) {
				modes = append(modes, encodeMode(join(at, name), f.perm))
			}
		}
	})
	return []side{
		{sideModes, encodeList(modes)}, {sideMissing, encodeList(missing)},
		{sideFolders, encodeList(folders)}, {sideRules, m.ruleList(own)},
	}
}

// sideOID tells whether lists are the same.
func sideOID(list []side) oid {
	var all []byte
	for _, s := range list {
		o := blobOID(s.content)
		all = append(all, o[:]...)
	}
	return blobOID(all)
}

// looked lists the folders of which a scan saw everything.
func (m *manifest) looked() []byte {
	var list []string
	m.root.walk("", func(at string, n *node) {
		if n.seen == m.scan {
			list = append(list, at+"/")
		}
	})
	return encodeList(list)
}

// settleOrdinary picks the permissions that most files have, once, at the first
// checkpoint.
func (m *manifest) settleOrdinary() {
	count := map[bool]map[uint16]int{false: {}, true: {}}
	m.root.walk("", func(_ string, n *node) {
		for _, f := range n.files {
			if f.kind == regular {
				count[f.executable()][f.perm]++
			}
		}
	})
	m.ord.plain = most(count[false], usual.plain)
	m.ord.executable = most(count[true], usual.executable)
	m.root.walk("", func(at string, n *node) {
		n.odd = false
		for _, f := range n.files {
			n.odd = n.odd || m.ord.odd(f.version)
		}
		if n.odd {
			m.notable[at] = struct{}{}
		}
	})
}

func most(count map[uint16]int, otherwise uint16) uint16 {
	best := otherwise
	for perm, n := range count {
		if n > count[best] || n == count[best] && perm < best {
			best = perm
		}
	}
	return best
}

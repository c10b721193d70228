package workspace

import (
	"fmt"
	"strings"
)

// load gives the manifest of the latest state: the one in memory if nobody has
// saved since, else it is read from the repository.
func (h *hold) load() (*manifest, error) {
	tip, err := h.readTip()
	if err != nil {
		return nil, err
	}
	if h.manifest != nil && h.manifest.tip == tip {
		return h.manifest, nil
	}
	h.calls.miss()
	if tip == "" {
		return newManifest(), nil
	}
	m, err := h.read(tip)
	if err != nil {
		return nil, fmt.Errorf("read the latest checkpoint: %w", err)
	}
	h.readStamps(m)
	return m, nil
}

// read makes a manifest from a checkpoint. No file in it has a stamp.
func (h *hold) read(hash string) (*manifest, error) {
	b, err := h.batch(h.ctx, h.lock)
	if err != nil {
		return nil, err
	}
	defer b.close()
	s, err := b.state(hash)
	if err != nil {
		return nil, err
	}
	m := newManifest()
	m.tip, m.tree, m.ord, m.whole = hash, s.tree, s.ordinary(), s.Whole
	if err := h.eachFile(s, m.set); err != nil {
		return nil, err
	}
	for _, why := range s.missing {
		m.skip(why.Path, why)
	}
	for _, folder := range s.folders {
		m.folder(folder, true).empty = true
	}
	m.takeRules(s.rules)
	m.side = sideOID(m.sides())
	return m, nil
}

// eachFile visits every file of a checkpoint.
func (h *hold) eachFile(s *state, visit func(name string, v version)) error {
	out, err := h.git.run(h.ctx, h.lock, "ls-tree", "-r", "-z", "--full-tree", s.tree)
	if err != nil {
		return err
	}
	return eachLine(out, func(mode string, o oid, name string) { visit(strings.Clone(name), s.version(mode, o, name)) })
}

// eachLine reads what ls-tree prints: "100644 blob oid", a tab, a path.
func eachLine(out []byte, visit func(mode string, o oid, name string)) error {
	for line := range strings.SplitSeq(string(out), "\x00") {
		if line == "" {
			continue
		}
		about, name, ok := strings.Cut(line, "\t")
		fields := strings.Fields(about)
		if !ok || len(fields) != 3 {
			return fmt.Errorf("git lists %q", line)
		}
		o, ok := parseOID(fields[2])
		if !ok {
			return fmt.Errorf("git lists %q", line)
		}
		visit(fields[0], o, name)
	}
	return nil
}

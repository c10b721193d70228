package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"sync"
)

// Options say where settings come from.
type Options struct {
	// Dir is the folder of the stored settings; it is made at the first write.
	Dir string
	// File is parley.yaml; empty for none. It is read again when it changes.
	File string
	// Others are names in File that are options of the server.
	Others []string
	// Env reads the environment; os.LookupEnv if nil. It is read once.
	Env func(string) (string, bool)
	// Flags are settings given on the command line.
	Flags map[string]string
	// Logger is told of every problem once; the default discards it.
	Logger *slog.Logger
}

// Store gives and keeps settings. It reads files when they change and not
// before, and can be used by many goroutines.
type Store struct {
	options Options
	table   table
	env     source
	flags   source

	writing sync.Mutex // one Update at a time; taken before mu

	mu     sync.Mutex
	file   source
	seen   stamp                 // of File
	stored map[string]stored     // by owner
	known  map[string]*Effective // by owner, of the layers as they are
	news   []Change              // that nobody was told of yet
	subs   map[int]func(Change)
	nextID int

	telling sync.Mutex
}

// stored is what a document of the folder says, and the stamp it had.
type stored struct {
	src  source
	seen stamp
}

// maxKnown bounds what is kept in memory of owners who were here once.
const maxKnown = 1000

// Open makes a store. Nothing in the files or the environment makes it fail:
// what cannot be used is in Problems.
func Open(o Options) *Store {
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Store{options: o, table: newTable(), stored: map[string]stored{}, known: map[string]*Effective{}, subs: map[int]func(Change){}}
	s.env = s.table.readTexts(Environment, "environment", func(k Key) (string, string) {
		text, _ := o.Env(k.Variable())
		return k.Variable(), text
	})
	s.flags = s.table.readTexts(Flag, "command line", func(k Key) (string, string) { return k.Name, o.Flags[k.Name] })
	s.log(s.env.problems, s.flags.problems)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rereadFile()
	s.look(server)
	return s
}

func (s *Store) log(all ...[]Problem) {
	for _, problems := range all {
		for _, p := range problems {
			s.options.Logger.Warn("a setting has a problem", "file", p.File, "line", p.Line, "key", p.Key, "problem", p.Text)
		}
	}
}

// server stands for the server itself where an owner is asked for.
const server = ""

// path is where an owner's settings are stored. Names of accounts may hold what
// paths may not.
func (s *Store) path(owner string) string {
	if owner == server {
		return filepath.Join(s.options.Dir, "server.json")
	}
	sum := sha256.Sum256([]byte(owner))
	return filepath.Join(s.options.Dir, hex.EncodeToString(sum[:16])+".json")
}

// Effective tells what holds for an owner, and, with settings of a session's
// own, in that session. An empty owner is nobody: the server itself.
func (s *Store) Effective(owner string, session map[string]json.RawMessage) *Effective {
	defer s.tell()
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.current(owner)
	if len(session) == 0 {
		return e
	}
	var entries []entry
	for name, raw := range session {
		entries = append(entries, entry{name: name, raw: raw, file: "session"})
	}
	own := s.table.newSource(Session, entries)
	e = s.table.fold(append(s.layers(owner), own)...)
	e.problems = append(own.problems, e.problems...)
	return e
}

// current is what holds for an owner now. mu is held.
func (s *Store) current(owner string) *Effective {
	s.refresh(owner)
	if e, ok := s.known[owner]; ok {
		return e
	}
	e := s.table.fold(s.layers(owner)...)
	s.known[owner] = e
	return e
}

// layers are those of an owner, from the weakest to the strongest.
func (s *Store) layers(owner string) []source {
	all := []source{s.file, s.env, s.flags, s.stored[server].src}
	if owner != server {
		all = append(all, s.stored[owner].src)
	}
	return all
}

// Problems lists what is not used: in the owner's stored settings, and, for an
// admin, in everything that concerns all.
func (s *Store) Problems(owner string, admin bool) []Problem {
	e := s.Effective(owner, nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []Problem{}
	for _, src := range s.layers(owner) {
		if admin || src.layer == Owner {
			all = append(all, src.problems...)
		}
	}
	return append(all, e.problems...)
}

// Look notices what others have written to the files that were read before, and
// tells subscribers of it. Whoever reads settings sees it without.
func (s *Store) Look() {
	defer s.tell()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh(server)
	for owner := range maps.Clone(s.stored) {
		s.look(owner)
	}
}

// refresh notices files that have changed since they were read.
func (s *Store) refresh(owner string) {
	if now := stampOf(s.options.File); s.options.File != "" && !now.same(s.seen) {
		before := s.file
		s.rereadFile()
		s.changed(server, diff(before, s.file))
	}
	s.look(server)
	if owner != server {
		s.look(owner)
	}
}

func (s *Store) rereadFile() {
	s.seen = stampOf(s.options.File)
	s.file = s.table.readYAML(s.options.File, s.options.Others)
	s.log(s.file.problems)
}

// look reads a stored document anew if it has changed.
func (s *Store) look(owner string) {
	path := s.path(owner)
	now := stampOf(path) // before the content: a change meanwhile is noticed next time
	if old, ok := s.stored[owner]; ok && old.seen.same(now) {
		return
	}
	s.put(owner, readDocument(path), now)
}

// put takes a document as what is stored now.
func (s *Store) put(owner string, doc *document, seen stamp) {
	if len(s.stored) > maxKnown {
		s.stored, s.known = map[string]stored{server: s.stored[server]}, map[string]*Effective{}
	}
	layer := Owner
	if owner == server {
		layer = Server
	}
	src := s.table.newSource(layer, doc.entries())
	if doc.owner != "" && doc.owner != owner {
		src.problems = append(src.problems, doc.notOf(owner))
	}
	if doc.broken != nil {
		src = source{layer: layer, problems: []Problem{*doc.broken}}
	}
	s.log(src.problems)
	before, again := s.stored[owner]
	s.stored[owner] = stored{src, seen}
	delete(s.known, owner)
	if again {
		s.changed(owner, diff(before.src, src))
	}
}

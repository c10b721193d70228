package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Options say where checkpoints are kept, and how much.
type Options struct {
	// Dir is the folder of all shadow repositories.
	Dir string
	// Avoid are folders that are never looked into although they may lie in a
	// workspace: the server's data. Dir is always one of them.
	Avoid []string
	// Home is the person's home folder; the system is asked if it is empty.
	Home   string
	Limits Limits
	Logger *slog.Logger
	// NoWatch makes every scan look at every file. Otherwise the system is asked to
	// tell which folders something happened in, where it can.
	NoWatch bool
}

// Limits bound what checkpoints cost. Zero fields take their defaults.
type Limits struct {
	File  int64         // a larger file is not captured; 32 MiB
	Files int           // a scan that meets more is incomplete; a million
	Scan  time.Duration // a scan that takes longer is incomplete; a minute
	Trash time.Duration // how long displaced files wait in the trash; 14 days
	Merge int64         // a larger file is not merged; 4 MiB
	Text  int64         // a diff gives no content of larger files; 1 MiB
}

func (l Limits) withDefaults() Limits {
	or := func(v *int64, d int64) {
		if *v == 0 {
			*v = d
		}
	}
	or(&l.File, 32<<20)
	or(&l.Merge, 4<<20)
	or(&l.Text, 1<<20)
	or((*int64)(&l.Scan), int64(time.Minute))
	or((*int64)(&l.Trash), int64(14*24*time.Hour))
	if l.Files == 0 {
		l.Files = 1_000_000
	}
	return l
}

// Store keeps the checkpoints of many folders.
type Store struct {
	dir       string
	avoid     []string
	home      string
	limits    Limits
	log       *slog.Logger
	git       git
	geometric bool // git can join a few packs without touching the rest
	syncsRefs bool // and syncs refs, as it always did objects
	// plainRenames does without exchanging names in one step.
	plainRenames bool
	watching     bool
	watches      atomic.Int64 // folders that are watched, of all workspaces
	closed       atomic.Bool
	unavailable  error // why no checkpoints are kept

	mu      sync.Mutex
	folders map[string]*Workspace
}

// Open uses a folder for checkpoints and makes it if it does not exist. Where none
// can be kept, every folder is refused with the reason (ErrUnavailable), and
// nothing else suffers.
func Open(o Options) (*Store, error) {
	home := filepath.Join(o.Dir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, fmt.Errorf("open checkpoints: %w", err)
	}
	s := &Store{limits: o.Limits.withDefaults(), log: o.Logger, watching: canWatch && !o.NoWatch, folders: map[string]*Workspace{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	var err error
	if s.dir, err = resolve(o.Dir); err != nil {
		return nil, fmt.Errorf("open checkpoints: %w", err)
	}
	s.git = git{home: filepath.Join(s.dir, "home"), dir: s.dir}
	if s.unavailable = s.findGit(); s.unavailable != nil {
		s.log.Warn("files of workspaces are not kept", "err", s.unavailable)
	}
	s.home = o.Home
	if s.home == "" {
		s.home, _ = os.UserHomeDir() // a service may have none
	}
	if real, err := resolve(s.home); err == nil && s.home != "" {
		s.home = real
	}
	s.avoid = []string{s.dir}
	for _, dir := range o.Avoid {
		if dir, err = resolve(dir); err == nil && !slices.Contains(s.avoid, dir) {
			s.avoid = append(s.avoid, dir)
		}
	}
	return s, nil
}

// findGit says why no checkpoints can be kept, if so.
func (s *Store) findGit() (err error) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		return fmt.Errorf("%w: that is done on Linux and macOS only", ErrUnavailable)
	}
	if s.git.program, err = exec.LookPath("git"); err != nil {
		return fmt.Errorf("%w: git is not on the PATH; install it and start again", ErrUnavailable)
	}
	printed, err := s.git.version(versionWithin)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	s.geometric = modern(printed, 2, 32)
	s.syncsRefs = modern(printed, 2, 36)
	return nil
}

func resolve(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// now is when something happens for people to read.
func (s *Store) now() time.Time { return time.Now().UTC() }

// Workspace keeps the checkpoints of one folder. Its methods may be called by
// many at once; those that write wait for each other.
type Workspace struct {
	store  *Store
	folder string   // symbolic links resolved
	avoid  []string // below the folder
	dir    string   // ours: lock, git, trash
	trash  string   // on the file system of the folder
	git    git
	turn   chan struct{} // one writer of this process

	// What follows belongs to whoever has the turn.
	tidy     bool      // nothing of a crash is left
	used     time.Time // when it was last
	manifest *manifest
	calls    calls
	refs     refs
	removed  time.Time   // when refs went last, as far as refs knows
	watch    *watch      // nil: every scan is a whole one
	idle     *time.Timer // ends the watch
	unheard  bool        // the folder cannot be watched
}

// Folder is where it is, with symbolic links resolved.
func (w *Workspace) Folder() string { return w.folder }

// Of gives the checkpoints of a folder. It costs nothing before the first of
// them is saved. The error is a *ProtectedError if this folder may have none.
func (s *Store) Of(_ context.Context, folder string) (*Workspace, error) {
	switch {
	case s.closed.Load():
		return nil, ErrClosed
	case s.unavailable != nil:
		return nil, s.unavailable
	}
	if !filepath.IsAbs(folder) {
		return nil, fmt.Errorf("the workspace %q is not an absolute path", folder)
	}
	real, err := resolve(folder)
	if err != nil {
		return nil, fmt.Errorf("the workspace cannot be opened: %w", err)
	}
	if info, err := os.Stat(real); err != nil {
		return nil, fmt.Errorf("the workspace cannot be opened: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("the workspace %s is not a folder", real)
	}
	if err := protect(real, s.home, s.avoid); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.folders[real]; w != nil {
		return w, nil
	}
	w, err := s.workspace(real)
	if err != nil {
		return nil, err
	}
	s.folders[real] = w
	return w, nil
}

func (s *Store) workspace(folder string) (*Workspace, error) {
	sum := sha256.Sum256([]byte(folder))
	dir := filepath.Join(s.dir, hex.EncodeToString(sum[:12]))
	if err := os.MkdirAll(filepath.Join(dir, "git"), 0o700); err != nil {
		return nil, fmt.Errorf("open checkpoints: %w", err)
	}
	w := &Workspace{
		store: s, folder: folder, dir: dir, turn: make(chan struct{}, 1),
		git: git{program: s.git.program, home: s.git.home, dir: filepath.Join(dir, "git")},
	}
	for _, a := range s.avoid {
		if below, ok := strings.CutPrefix(a, strings.TrimSuffix(folder, "/")+"/"); ok {
			w.avoid = append(w.avoid, filepath.ToSlash(below))
		}
	}
	return w, w.placeTrash()
}

// avoids says that a path is Parley's own.
func (w *Workspace) avoids(name string) bool {
	for _, a := range w.avoid {
		if within(name, a) {
			return true
		}
	}
	return within(name, ownFolder)
}

// Close waits for what is under way and writes down what makes the next start
// quick. After it everything is refused.
func (s *Store) Close() error {
	s.closed.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, w := range s.folders {
		w.turn <- struct{}{}
		errs = append(errs, w.keepStamps())
		w.manifest = nil
		w.stopWatch()
		<-w.turn
	}
	return errors.Join(errs...)
}

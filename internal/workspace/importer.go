package workspace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// importer writes objects through one git fast-import, which is started when
// there is something to write. It takes content and paths from us and looks at
// no file itself.
type importer struct {
	git  git
	hold *hold

	mu        sync.Mutex
	cmd       *exec.Cmd
	in        *bufio.Writer
	pipe      io.Closer
	out       *bufio.Reader
	complaint bytes.Buffer
	sent      map[oid]struct{}
	failed    error
}

func (h *hold) importer() *importer { return &importer{git: h.git, hold: h, sent: map[oid]struct{}{}} }

func (m *importer) start() error {
	if m.cmd != nil || m.failed != nil {
		return m.failed
	}
	cmd := m.git.command(m.hold.ctx, m.hold.lock, "fast-import", "--quiet", "--force", "--done", "--depth=0", "--date-format=raw")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	cmd.Stderr = &m.complaint
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start git: %w", err)
	}
	m.cmd, m.pipe, m.in, m.out = cmd, in, bufio.NewWriterSize(in, 256<<10), bufio.NewReader(out)
	return nil
}

// blob stores content and may be called by many at once.
func (m *importer) blob(o oid, content []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.sent[o]; ok {
		return nil
	}
	if err := m.start(); err != nil {
		return err
	}
	m.sent[o] = struct{}{}
	fmt.Fprintf(m.in, "blob\ndata %d\n", len(content))
	_, _ = m.in.Write(content)
	return m.check(m.in.WriteByte('\n'))
}

// edit puts a version at a path of a tree, or takes the path away.
type edit struct {
	path string
	to   version
}

// commit is a checkpoint to be: a tree with edits, and blobs beside it.
type commit struct {
	branch  string // the ref that is moved to it
	message string
	at      int64
	tree    string // what the edits are made to; "" is an empty one
	edits   []edit
	beside  []side
	refs    []string
}

// commit writes a checkpoint without a parent, so that each can be kept or
// dropped alone, and points the branch and the refs at it. It ends the importer.
func (m *importer) commit(c commit) (hash, tree string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.start(); err != nil {
		return "", "", err
	}
	if len(c.edits) >= manyEdits {
		if c.tree, err = m.plant(c.tree, c.edits); err != nil {
			return "", "", err
		}
		c.edits = nil
	}
	w := m.in
	fmt.Fprintf(w, "commit %s\nmark :1\ncommitter Parley <parley@localhost> %d +0000\ndata %d\n%s\n", c.branch, c.at, len(c.message), c.message)
	if c.tree != "" && c.tree != emptyTree {
		fmt.Fprintf(w, "M 040000 %s files\n", c.tree)
	}
	// Deletions first: a folder may become a file, or a file a folder.
	for _, e := range c.edits {
		if !e.to.there() {
			fmt.Fprintf(w, "D %s\n", quote("files/"+e.path))
		}
	}
	for _, e := range c.edits {
		if e.to.there() {
			fmt.Fprintf(w, "M %s %s %s\n", e.to.mode(), e.to.oid, quote("files/"+e.path))
		}
	}
	for _, s := range c.beside {
		fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n%s\n", s.name, len(s.content), s.content)
	}
	fmt.Fprintf(w, "\nget-mark :1\nls :1 \"files\"\n")
	for _, ref := range c.refs {
		fmt.Fprintf(w, "reset %s\nfrom :1\n\n", ref)
	}
	fmt.Fprintf(w, "done\n")
	if err := m.check(w.Flush()); err != nil {
		return "", "", err
	}
	if hash, err = m.line(); err != nil {
		return "", "", err
	}
	listed, err := m.line()
	if err != nil {
		return "", "", err
	}
	if err := m.finish(); err != nil {
		return "", "", err
	}
	if err := m.hold.syncRefs(append(c.refs, c.branch)...); err != nil {
		return "", "", err
	}
	tree = emptyTree
	if fields := strings.Fields(listed); len(fields) == 4 && fields[1] == "tree" {
		tree = fields[2]
	}
	return hash, tree, nil
}

// abandon ends the importer, if it still runs; nothing it was told counts.
func (m *importer) abandon() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cmd == nil || m.failed != nil {
		return
	}
	_ = m.cmd.Cancel()
	_ = m.pipe.Close()
	_ = m.cmd.Wait()
	_ = m.fail(errAbandoned)
}

var errAbandoned = errors.New("the checkpoint was given up")

func (m *importer) line() (string, error) {
	s, err := m.out.ReadString('\n')
	return strings.TrimSuffix(s, "\n"), m.check(err)
}

// finish waits until everything is on disk and the refs point at it.
func (m *importer) finish() error {
	_ = m.pipe.Close()
	err := m.cmd.Wait()
	m.failed = errAbandoned // no further use
	if err != nil {
		return m.fail(gitError(m.hold.ctx, "fast-import", err, m.complaint.String()))
	}
	return nil
}

// check turns a broken pipe into what git had to say.
func (m *importer) check(err error) error {
	if err == nil || m.failed != nil {
		return m.failed
	}
	_ = m.pipe.Close()
	if e := m.cmd.Wait(); e != nil {
		err = e
	}
	return m.fail(gitError(m.hold.ctx, "fast-import", err, m.complaint.String()))
}

// fail ends the use of an importer that has ended. What it left in the repository goes
// when the hold is released.
func (m *importer) fail(err error) error {
	m.failed = err
	m.git.failed.Store(true)
	return err
}

// quote writes a path so that any bytes can be in it.
func quote(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			b.WriteByte('\\')
			s := strconv.FormatUint(uint64(c), 8)
			b.WriteString("000"[len(s):] + s)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

package workspace

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// batch reads objects through one git cat-file.
type batch struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (w *Workspace) batch(ctx context.Context, lock *os.File) (*batch, error) {
	cmd := w.git.command(ctx, lock, "cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start git: %w", err)
	}
	return &batch{cmd, in, bufio.NewReaderSize(out, 64<<10)}, nil
}

func (b *batch) close() {
	_ = b.in.Close()
	_, _ = io.Copy(io.Discard, b.out)
	_ = b.cmd.Wait()
}

var errMissingObject = errors.New("the object is not there")

// object is what git knows by a name.
type object struct {
	hash    string
	kind    string
	size    int64
	content []byte // nil if it is larger than asked for
}

// get reads an object, but not the content of one that is larger than limit.
func (b *batch) get(name string, limit int64) (object, error) {
	if strings.ContainsAny(name, "\n") {
		return object{}, errMissingObject
	}
	if _, err := io.WriteString(b.in, name+"\n"); err != nil {
		return object{}, fmt.Errorf("ask git for %s: %w", name, err)
	}
	line, err := b.out.ReadString('\n')
	if err != nil {
		return object{}, fmt.Errorf("git said nothing about %s: %w", name, err)
	}
	fields := strings.Fields(line)
	if len(fields) != 3 || fields[len(fields)-1] == "missing" {
		return object{}, errMissingObject
	}
	o := object{hash: fields[0], kind: fields[1]}
	if o.size, err = strconv.ParseInt(fields[2], 10, 64); err != nil {
		return object{}, fmt.Errorf("git said %q about %s", strings.TrimSpace(line), name)
	}
	if o.size > limit {
		_, err = io.CopyN(io.Discard, b.out, o.size+1)
		return o, err
	}
	o.content = make([]byte, o.size+1)
	if _, err := io.ReadFull(b.out, o.content); err != nil {
		return object{}, err
	}
	o.content = o.content[:o.size]
	return o, nil
}

// everything is a limit for objects that are ours.
const everything = 1 << 40

// blob reads the content of a file.
func (b *batch) blob(o oid) ([]byte, error) {
	got, err := b.get(o.String(), everything)
	if err != nil {
		return nil, fmt.Errorf("read content %s: %w", o, err)
	}
	return got.content, nil
}

// state is a checkpoint read back.
type state struct {
	header
	hash    string
	tree    string
	modes   map[string]uint16
	missing []Missing
	folders []string
	rules   []byte
	looked  map[string]struct{}
}

// state reads a checkpoint, or says that there is none of that hash.
func (b *batch) state(hash string) (*state, error) {
	if !validHash(hash) {
		return nil, fmt.Errorf("%w (%.60q)", ErrUnknown, hash)
	}
	c, err := b.get(hash, everything)
	if errors.Is(err, errMissingObject) || err == nil && c.kind != "commit" {
		return nil, fmt.Errorf("%w (%s)", ErrUnknown, hash)
	}
	if err != nil {
		return nil, err
	}
	_, message, _ := strings.Cut(string(c.content), "\n\n")
	s := &state{hash: hash, tree: emptyTree}
	if s.header, err = parseHeader([]byte(message)); err != nil {
		return nil, fmt.Errorf("checkpoint %s: %w", hash, err)
	}
	tree, err := b.get(hash+":files", everything)
	if err == nil {
		s.tree = tree.hash
	} else if !errors.Is(err, errMissingObject) {
		return nil, err
	}
	return s, b.sides(s)
}

func (b *batch) sides(s *state) error {
	for name, put := range map[string]func([]byte){
		sideModes:   func(c []byte) { s.modes = decodeModes(c) },
		sideMissing: func(c []byte) { s.missing = decodeMissing(c) },
		sideFolders: func(c []byte) { s.folders = decodeList(c) },
		sideRules:   func(c []byte) { s.rules = c },
		sideLooked: func(c []byte) {
			s.looked = map[string]struct{}{}
			for _, folder := range decodeList(c) {
				s.looked[folder] = struct{}{}
			}
		},
	} {
		got, err := b.get(s.hash+":"+name, everything)
		if errors.Is(err, errMissingObject) {
			continue
		}
		if err != nil {
			return err
		}
		put(got.content)
	}
	return nil
}

// version completes what a tree says about a path.
func (s *state) version(mode string, o oid, path string) version {
	v := versionOf(mode, o, s.ordinary())
	if perm, ok := s.modes[path]; ok && v.kind == regular {
		v.perm = perm
	}
	return v
}

package workspace

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Refs of a repository: the state that the next checkpoint is compared with, and
// one for each checkpoint of a session.
const (
	tipRef   = "refs/parley/tip"
	savedRef = "refs/checkpoints/"
)

// repositoryConfig is all the configuration there is. Checkpoints become small
// packs, synced; Tend joins them.
const repositoryConfig = `[core]
	repositoryformatversion = 0
	bare = true
	filemode = true
	hooksPath = /dev/null
	attributesFile = /dev/null
	logAllRefUpdates = false
	compression = 1
	bigFileThreshold = 8m
	fsync = committed,reference
	protectHFS = false
	protectNTFS = false
[fastimport]
	unpackLimit = 1
[gc]
	auto = 0
[pack]
	threads = 1
	writeBitmaps = false
[maintenance]
	auto = false
`

// initialise makes the repository, or completes one that was cut off while it was
// made. The head is written last: it tells that all is there.
func (h *hold) initialise() error {
	if h.begun() {
		return nil
	}
	for _, sub := range []string{"objects/pack", "objects/info", "refs/parley", "refs/checkpoints", "info"} {
		if err := os.MkdirAll(filepath.Join(h.git.dir, sub), 0o700); err != nil {
			return err
		}
	}
	if err := writeFile(filepath.Join(h.git.dir, "config"), []byte(repositoryConfig)); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(h.dir, "folder"), []byte(h.folder)); err != nil {
		return err
	}
	return writeFile(filepath.Join(h.git.dir, "HEAD"), []byte("ref: refs/heads/none\n"))
}

// begun says whether there is a repository.
func (w *Workspace) begun() bool {
	_, err := os.Stat(filepath.Join(w.git.dir, "HEAD"))
	return err == nil
}

// readTip gives the hash of the latest state, or "".
func (h *hold) readTip() (string, error) {
	b, err := os.ReadFile(filepath.Join(h.git.dir, filepath.FromSlash(tipRef)))
	if err == nil {
		if hash := strings.TrimSpace(string(b)); validHash(hash) {
			return hash, nil
		}
		return "", fmt.Errorf("the checkpoints of %s are damaged: %s reads %.60q", h.folder, tipRef, b)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	out, err := h.git.run(h.ctx, h.lock, "for-each-ref", "--format=%(objectname)", tipRef)
	return strings.TrimSpace(string(out)), err
}

func validHash(hash string) bool {
	_, ok := parseOID(hash)
	return ok
}

// refOf is the ref of a checkpoint that a session saved at a time. Session ids
// may hold what a ref may not, so they are written in hexadecimal digits.
func refOf(session string, at time.Time) string {
	return fmt.Sprintf("%s%s/%019d", savedRef, hexOf(session), at.UnixNano())
}

func hexOf(session string) string { return "s" + hex.EncodeToString([]byte(session)) }

// saved is a checkpoint in the list of a session.
type saved struct {
	ref     string
	at      time.Time // since when the session has it
	session string
	hash    string
	header  header
}

// list gives the checkpoints of a session, or of all, oldest first.
func (w *Workspace) list(ctx context.Context, lock *os.File, session string, all bool) ([]saved, error) {
	prefix := savedRef
	if !all {
		prefix += hexOf(session) + "/"
	}
	out, err := w.git.run(ctx, lock, "for-each-ref", "--format=%(refname)%00%(objectname)%00%(contents:subject)%00", prefix)
	if err != nil {
		return nil, err
	}
	var items []saved
	fields := bytes.Split(out, []byte{0})
	for ; len(fields) >= 3; fields = fields[3:] {
		ref := strings.TrimSpace(string(fields[0]))
		name, since, _ := strings.Cut(strings.TrimPrefix(ref, savedRef), "/")
		id, err := hex.DecodeString(strings.TrimPrefix(name, "s"))
		if err != nil {
			continue // not one of ours
		}
		nanoseconds, err := strconv.ParseInt(since, 10, 64)
		if err != nil {
			continue
		}
		item := saved{ref: ref, at: time.Unix(0, nanoseconds).UTC(), session: string(id), hash: string(fields[1])}
		if item.header, err = parseHeader(fields[2]); err != nil {
			return nil, fmt.Errorf("checkpoint %s of %s: %w", item.hash, w.folder, err)
		}
		items = append(items, item)
	}
	return items, nil
}

// writeFile puts a file in place whole, synced.
func writeFile(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

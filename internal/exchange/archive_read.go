package exchange

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/parley-dev/parley/protocol"
)

// readArchive checks all of an archive: every frame, every hash, every size. One
// that is damaged is not taken: a copy that is whole in part only is not a copy.
// What its journal holds can still be imported as jsonl.
func readArchive(ctx context.Context, src Source, o Options) (*Incoming, error) {
	a := &archive{src: src, limits: o.Limits, blobs: map[string]span{}}
	a.in = &Incoming{Report: &Report{}, Blob: a.blob}
	if err := a.read(ctx); err != nil {
		var r *Refusal
		if errors.As(err, &r) || ctx.Err() != nil {
			return nil, err
		}
		return nil, &Refusal{Reason: fmt.Sprintf("the archive is not whole and nothing was imported: %v", err), Report: a.in.Report}
	}
	a.in.ID = a.SessionID
	a.in.Blobs = slices.Sorted(maps.Keys(a.blobs))
	for _, hash := range a.Missing {
		a.in.Report.Add(archiveManifest, "the blob %s was not there any more when the archive was made", hash)
	}
	return a.in, nil
}

// archive is one being read.
type archive struct {
	manifest
	src    Source
	limits Limits
	in     *Incoming
	listed map[string]int64 // sizes of the blobs that the manifest lists
	blobs  map[string]span
}

// span is where a file's content lies in the archive.
type span struct{ from, size int64 }

func (a *archive) read(ctx context.Context) error {
	section := io.NewSectionReader(a.src, 0, a.src.Size)
	t := tar.NewReader(section)
	for i := 0; ; i++ {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return a.complete(i)
		}
		if err != nil {
			return fmt.Errorf("file %d of it cannot be read: %w", i+1, err)
		}
		if h.Typeflag != tar.TypeReg || i > a.limits.Entries {
			return refuse("%.100q has no place in an archive", h.Name)
		}
		from, err := section.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		if err := a.file(i, h, from, t); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// file checks the next file of the archive.
func (a *archive) file(i int, h *tar.Header, from int64, r io.Reader) error {
	hash, isBlob := strings.CutPrefix(h.Name, archiveBlobs)
	switch {
	case i == 0 && h.Name == archiveManifest:
		return a.readManifest(h, r)
	case i == 0:
		return refuse("this is no archive of Parley: the first file in it is %.100q, not %s", h.Name, archiveManifest)
	case i == 1 && h.Name == archiveJournal:
		return a.readJournal(h, r)
	case i == 1:
		return fmt.Errorf("the second file is %.100q, not %s", h.Name, archiveJournal)
	case !isBlob:
		return refuse("%.100q has no place in an archive", h.Name)
	}
	return a.readBlob(hash, h.Size, from, r)
}

func (a *archive) readManifest(h *tar.Header, r io.Reader) error {
	if h.Size > a.limits.Frame {
		return refuse("the manifest has %d bytes; at most %d are taken", h.Size, a.limits.Frame)
	}
	if err := json.NewDecoder(r).Decode(&a.manifest); err != nil {
		return fmt.Errorf("%s: %w", archiveManifest, err)
	}
	if a.Format != archiveFormat {
		return refuse("this is no archive of Parley: its manifest says %.40q", a.Format)
	}
	if a.Version != archiveVersion {
		return refuse("the archive is of version %d; this program reads version %d", a.Version, archiveVersion)
	}
	if a.Records == 0 || a.Records > uint64(a.limits.Records) || a.Journal.Size > a.limits.Frames {
		return refuse("the session is too large or empty: it has %d records in %d bytes; at most %d in %d can be taken in",
			a.Records, a.Journal.Size, a.limits.Records, a.limits.Frames)
	}
	a.listed = make(map[string]int64, len(a.Blobs))
	for _, b := range a.Blobs {
		a.listed[b.SHA256] = b.Size
	}
	return nil
}

func (a *archive) readJournal(h *tar.Header, r io.Reader) error {
	if h.Size != a.Journal.Size {
		return fmt.Errorf("%s has %d bytes where the manifest says %d", archiveJournal, h.Size, a.Journal.Size)
	}
	sum := sha256.New()
	lines := newLines(io.TeeReader(r, sum), a.limits.Frame)
	for lines.next() {
		frame := slices.Clone(lines.scanner.Bytes())
		if err := a.in.addFrame(frame, lines.number, true, a.limits); err != nil {
			a.in.Report.line(archiveJournal, lines.number, "%v", err)
			var too *Refusal
			if errors.As(err, &too) {
				return err
			}
			return fmt.Errorf("%s:%d: %w", archiveJournal, lines.number, err)
		}
	}
	if err := lines.err(); err != nil {
		return fmt.Errorf("%s:%d: %w", archiveJournal, lines.number+1, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != a.Journal.SHA256 {
		return fmt.Errorf("%s has the hash %s where the manifest says %.64s", archiveJournal, got, a.Journal.SHA256)
	}
	if n := uint64(len(a.in.Frames)); n != a.Records {
		return fmt.Errorf("%s has %d records where the manifest says %d", archiveJournal, n, a.Records)
	}
	return a.references()
}

// references checks that the manifest accounts for every blob that a record
// refers to: whoever refers to a blob may read it.
func (a *archive) references() error {
	missing := map[string]bool{}
	for _, hash := range a.Missing {
		missing[hash] = true
	}
	for i, frame := range a.in.Frames {
		r, err := protocol.DecodeRecord(frame)
		if err != nil {
			return err
		}
		for _, hash := range r.Blobs() {
			if _, listed := a.listed[hash]; !listed && !missing[hash] {
				return fmt.Errorf("%s:%d: it refers to the blob %.64q, which is not in the archive", archiveJournal, i+1, hash)
			}
		}
	}
	return nil
}

func (a *archive) readBlob(hash string, size, from int64, r io.Reader) error {
	if want, ok := a.listed[hash]; !ok || want != size {
		return fmt.Errorf("the blob %.64q is not the one that the manifest lists", hash)
	}
	if size > a.limits.Blob {
		return refuse("the blob %.64q has %d bytes; at most %d are taken", hash, size, a.limits.Blob)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, r); err != nil {
		return fmt.Errorf("blob %s: %w", hash, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != hash {
		return fmt.Errorf("the blob %.64s is damaged: its content has the hash %s", hash, got)
	}
	a.blobs[hash] = span{from, size}
	return nil
}

// complete checks that nothing is missing at the end.
func (a *archive) complete(files int) error {
	if files < 2 {
		return errors.New("it ends before its journal does")
	}
	for _, b := range a.Blobs {
		if _, ok := a.blobs[b.SHA256]; !ok {
			return fmt.Errorf("the blob %.64q is missing", b.SHA256)
		}
	}
	return nil
}

// blob reads a blob that was checked.
func (a *archive) blob(hash string) ([]byte, error) {
	s, ok := a.blobs[hash]
	if !ok {
		return nil, fmt.Errorf("there is no blob %.64q in the archive", hash)
	}
	content := make([]byte, s.size)
	if _, err := a.src.ReadAt(content, s.from); err != nil {
		return nil, err
	}
	if sumOf(content) != hash {
		return nil, fmt.Errorf("the blob %s changed while it was read", hash)
	}
	return content, nil
}

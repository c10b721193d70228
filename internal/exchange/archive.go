package exchange

import (
	"archive/tar"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/parley-dev/parley/internal/journal"
)

// An archive is a tar of plain files:
//
//	manifest.json   what is in it; always first
//	journal.jsonl   the stored frames, one to a line, in their own bytes
//	blobs/HASH      what was too long for a record, by the SHA-256 of it
//
// It holds no time of its own and no machine's name: a session that has not
// changed gives the same archive.
const (
	archiveFormat   = "parley-archive"
	archiveVersion  = 1
	archiveManifest = "manifest.json"
	archiveJournal  = "journal.jsonl"
	archiveBlobs    = "blobs/"
)

// manifest says what an archive holds.
type manifest struct {
	Format    string         `json:"format"`
	Version   int            `json:"version"`
	SessionID string         `json:"session_id"`
	Records   uint64         `json:"records"`
	Journal   manifestFile   `json:"journal"`
	Blobs     []manifestFile `json:"blobs"`
	// Missing are blobs that records refer to and that were not there any more.
	Missing []string `json:"missing,omitempty"`
}

type manifestFile struct {
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

func writeArchive(ctx context.Context, w io.Writer, e *export) error {
	m := manifest{
		Format: archiveFormat, Version: archiveVersion, SessionID: e.ID, Records: e.records,
		Journal: manifestFile{hex.EncodeToString(e.sum.Sum(nil)), e.bytes}, Blobs: []manifestFile{},
	}
	for _, hash := range e.blobs {
		if err := ctx.Err(); err != nil {
			return err
		}
		content, err := e.Blob(hash)
		if err != nil || sumOf(content) != hash {
			m.Missing = append(m.Missing, hash)
			continue
		}
		m.Blobs = append(m.Blobs, manifestFile{hash, int64(len(content))})
	}
	head, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	out := archiveWriter{tar.NewWriter(w)}
	if err := out.file(archiveManifest, int64(len(head)), func(w io.Writer) error { _, err := w.Write(head); return err }); err != nil {
		return err
	}
	if err := out.file(archiveJournal, e.bytes, func(w io.Writer) error { return e.frames(ctx, w) }); err != nil {
		return err
	}
	for _, b := range m.Blobs {
		err := out.file(archiveBlobs+b.SHA256, b.Size, func(w io.Writer) error {
			content, err := e.Blob(b.SHA256)
			if err == nil {
				_, err = w.Write(content)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return out.Close()
}

func (e *export) frames(ctx context.Context, w io.Writer) error {
	out := bufio.NewWriter(w)
	err := e.each(ctx, func(r journal.Record) error {
		if _, err := out.Write(r.Frame); err != nil {
			return err
		}
		return out.WriteByte('\n')
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

type archiveWriter struct{ *tar.Writer }

func (a archiveWriter) file(name string, size int64, write func(io.Writer) error) error {
	if err := a.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, Format: tar.FormatPAX}); err != nil {
		return err
	}
	if err := write(a); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return a.Flush()
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

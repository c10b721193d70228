package exchange

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// Source is a file to read.
type Source struct {
	io.ReaderAt
	Size int64
	// Name is what reports call it.
	Name string
}

func (s Source) open() io.Reader { return io.NewSectionReader(s, 0, s.Size) }

// Options bound what is read.
type Options struct {
	Limits Limits
	// Now is the time of what has none of its own.
	Now time.Time
}

// Limits of what is taken in. A zero field means its default.
type Limits struct {
	File    int64 // bytes of one file of a folder, unpacked; 256 MiB
	Entries int   // files of a folder or archive; 100,000
	Frame   int64 // bytes of one record, or of one entry of a list; 16 MiB
	Frames  int64 // bytes of all records; 512 MiB
	Records int   // 1,000,000
	Blob    int64 // bytes of one blob; 256 MiB
	Depth   int   // of nested objects and lists; 64
}

func (l Limits) orDefaults() Limits {
	set := func(v *int64, to int64) {
		if *v <= 0 {
			*v = to
		}
	}
	set(&l.File, 256<<20)
	set(&l.Frame, 16<<20)
	set(&l.Frames, 512<<20)
	set(&l.Blob, 256<<20)
	for _, f := range []struct {
		v  *int
		to int
	}{{&l.Entries, 100_000}, {&l.Records, 1_000_000}, {&l.Depth, 64}} {
		if *f.v <= 0 {
			*f.v = f.to
		}
	}
	return l
}

// Incoming is a session that was read and is not stored. Either Records or
// Frames are set; both are numbered from 1 and begin with session_created.
type Incoming struct {
	// ID is the id that the session had, if it may have it here.
	ID string
	// Records are those of a format that is not ours: made from what was read.
	Records []protocol.Record
	// Frames are stored records in their own bytes.
	Frames [][]byte
	// Blobs are the hashes of what came along; Blob gives their content.
	Blobs  []string
	Blob   func(hash string) ([]byte, error)
	Report *Report

	bytes int64
}

type importer func(context.Context, Source, Options) (*Incoming, error)

// Read reads a session from a file. What is wrong with the file is a *Refusal,
// or stands in the report.
func Read(ctx context.Context, f Format, src Source, o Options) (*Incoming, error) {
	spec, err := Lookup(string(f))
	if err != nil {
		return nil, err
	}
	if !spec.Import {
		return nil, refuse("%s is for reading by people and cannot be imported", f)
	}
	o.Limits = o.Limits.orDefaults()
	in, err := spec.read(ctx, src, o)
	if err != nil {
		return nil, err
	}
	if protocol.CheckSessionID(in.ID) != nil {
		in.ID = ""
	}
	if in.Report.Problems == nil {
		in.Report.Problems = []Finding{}
	}
	return in, nil
}

// Created is the first record's data.
func (in *Incoming) Created() (*protocol.SessionCreated, error) {
	if len(in.Records) > 0 {
		return in.Records[0].Data.(*protocol.SessionCreated), nil
	}
	r, err := protocol.DecodeRecord(in.Frames[0])
	if err != nil {
		return nil, err
	}
	return r.Data.(*protocol.SessionCreated), nil
}

// SetCreated replaces the first record's data. A frame that would say the same
// keeps its bytes.
func (in *Incoming) SetCreated(d *protocol.SessionCreated) error {
	if len(in.Records) > 0 {
		in.Records[0].Data = d
		return nil
	}
	r, err := protocol.DecodeRecord(in.Frames[0])
	if err != nil {
		return err
	}
	before, err := r.Encode()
	if err != nil {
		return err
	}
	r.Data = d
	after, err := r.Encode()
	if err == nil && string(before) != string(after) {
		in.Frames[0] = after
	}
	return err
}

// check refuses a file of which nothing could be used.
func (in *Incoming) check() error {
	if len(in.Frames) > 0 || len(in.Records) > 1 {
		return nil
	}
	why := "there is nothing in it"
	if len(in.Report.Problems) > 0 {
		why = in.Report.Problems[0].String()
	}
	return &Refusal{Reason: fmt.Sprintf("nothing of the file can be read: %s", why), Report: in.Report}
}

// keepImages gives the images that are not references to blobs.
func keepImages(images []string) (kept []string, dropped int) {
	for _, image := range images {
		if strings.HasPrefix(image, protocol.BlobURL) {
			dropped++
			continue
		}
		kept = append(kept, image)
	}
	return kept, dropped
}

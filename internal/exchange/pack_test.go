package exchange_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/exchange"
	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

var noon = time.Date(2026, 2, 6, 12, 0, 0, 0, time.UTC)

const agent = "main-monitor-0"

func source(b []byte) exchange.Source {
	return exchange.Source{ReaderAt: bytes.NewReader(b), Size: int64(len(b)), Name: "file"}
}

func read(t testing.TB, f exchange.Format, b []byte) (*exchange.Incoming, error) {
	t.Helper()
	return exchange.Read(t.Context(), f, source(b), exchange.Options{Now: noon})
}

func mustRead(t testing.TB, f exchange.Format, b []byte) *exchange.Incoming {
	t.Helper()
	in, err := read(t, f, b)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// file is one of a packed folder.
type file struct {
	name, content string
	link          string // set for a symbolic link
}

func tarOf(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.content)), Mode: 0o600}
		if f.link != "" {
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, f.link, 0
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if f.link == "" {
			if _, err := w.Write([]byte(f.content)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipOf(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate}
		if f.link != "" {
			h.SetMode(os.ModeSymlink | 0o777)
		}
		out, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write([]byte(f.content + f.link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func unzip(t testing.TB, packed []byte) map[string][]byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := b.ReadFrom(r); err != nil {
			t.Fatal(err)
		}
		files[f.Name] = b.Bytes()
	}
	return files
}

// folder reads a folder of testdata.
func folder(t testing.TB, name string) (files []file) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", name, "*"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file{name: filepath.Base(path), content: string(b)})
	}
	return files
}

// records gives an incoming session as it would be stored and read again.
func records(t testing.TB, in *exchange.Incoming) (all []protocol.Record) {
	t.Helper()
	for _, r := range in.Records {
		frame, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		in.Frames = append(in.Frames, frame)
	}
	frames := in.Frames
	if len(in.Records) > 0 {
		in.Frames = nil
	}
	for i, frame := range frames {
		r, err := protocol.DecodeRecord(frame)
		if err != nil || r.Seq != uint64(i)+1 {
			t.Fatalf("record %d is numbered %d: %v: %s", i+1, r.Seq, err, frame)
		}
		all = append(all, r)
	}
	if _, ok := all[0].Data.(*protocol.SessionCreated); !ok {
		t.Fatalf("the first record is %s", all[0].Type)
	}
	return all
}

// shown is the ui history of records.
func shown(all []protocol.Record) (messages []protocol.Message) {
	u := history.NewUI(history.Page{})
	for _, r := range all {
		u.Add(r)
	}
	for _, m := range u.Items() {
		messages = append(messages, m.Message)
	}
	return messages
}

func heard(all []protocol.Record) []model.Message { return history.Model(all, agent) }

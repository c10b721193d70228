// Package web is the page that the server shows in a browser: its built files,
// and how they are served. They come from the program itself, compressed, and
// ask no other host for anything.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

//go:embed all:dist
var dist embed.FS

// policy lets the page load its own files and talk to its own server, and
// nothing else. Styles may stand in elements: they are how things are placed.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; " +
	"connect-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// Mount serves the page at the root, for each place in it that has an address
// of its own, and its files under /assets/.
func Mount(mux *http.ServeMux) {
	files := load()
	page := files["index.html"]
	for _, at := range []string{"GET /{$}", "GET /s/{session}", "GET /settings"} {
		mux.Handle(at, page)
	}
	mux.HandleFunc("GET /assets/{name}", func(w http.ResponseWriter, r *http.Request) {
		if f := files["assets/"+r.PathValue("name")]; f != nil {
			f.ServeHTTP(w, r)
			return
		}
		http.NotFound(w, r)
	})
}

// file is one file of the page.
type file struct {
	name  string
	plain []byte
	etag  func() string // a hash of it: made when it is first asked for, as start-up need not wait for it
	gzip  func() []byte // made when it is first asked for
}

func load() map[string]*file {
	files := map[string]*file{}
	root, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	_ = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		plain, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		files[name] = &file{name: name, plain: plain, gzip: sync.OnceValue(func() []byte { return compress(plain) }), etag: sync.OnceValue(func() string { return tag(plain) })}
		return nil
	})
	return files
}

func tag(content []byte) string {
	sum := sha256.Sum256(content)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

func compress(plain []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(plain) // into memory
	_ = z.Close()
	return b.Bytes()
}

// ServeHTTP gives the file, or says that the browser has it already: names stay
// the same from version to version, so it always asks.
func (f *file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", typeOf(f.name))
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", f.etag())
	content := f.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") && len(content) > 1024 {
		content = f.gzip()
		h.Set("Content-Encoding", "gzip")
		h.Set("ETag", strings.TrimSuffix(f.etag(), `"`)+`-gzip"`)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// typeOf does not leave to the machine's own tables what a script is.
func typeOf(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".webmanifest":
		return "application/manifest+json"
	}
	return mime.TypeByExtension(path.Ext(name))
}

package exchange

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// folder is the files of a packed folder that a format knows, by their names.
type folder struct {
	// name is what the folder was called, if it was packed with its name.
	name  string
	files map[string]func() (io.ReadCloser, error)
}

// openFolder finds the files with these names in a zip or tar. Others are
// passed over, but a name or kind of file that has no place in a folder is
// refused: whoever packed it meant harm.
func openFolder(src Source, names []string, l Limits) (*folder, error) {
	magic := make([]byte, 4)
	if n, err := src.ReadAt(magic, 0); n < 4 && err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	f := &folder{files: map[string]func() (io.ReadCloser, error){}}
	if bytes.HasPrefix(magic, []byte("PK")) {
		return f, f.zip(src, names, l)
	}
	return f, f.tar(src, names, l)
}

func (f *folder) zip(src Source, names []string, l Limits) error {
	z, err := zip.NewReader(src, src.Size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return refuse("the zip file cannot be read: %v", err)
	}
	if len(z.File) > l.Entries {
		return refuse("the zip file holds %d files; at most %d are taken", len(z.File), l.Entries)
	}
	for _, entry := range z.File {
		mode := entry.Mode()
		wanted, err := f.look(entry.Name, mode, int64(min(entry.UncompressedSize64, 1<<62)), names, l)
		if err != nil {
			return err
		}
		if !wanted {
			continue
		}
		err = f.put(entry.Name, func() (io.ReadCloser, error) {
			r, err := entry.Open()
			if err != nil {
				return nil, err
			}
			return readCloser{&bounded{r, l.File}, r}, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *folder) tar(src Source, names []string, l Limits) error {
	t := tar.NewReader(src.open())
	for i := 0; ; i++ {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return refuse("the file is neither a zip nor a tar that can be read: %v", err)
		}
		if i >= l.Entries {
			return refuse("the tar file holds more than %d files", l.Entries)
		}
		mode := h.FileInfo().Mode()
		if h.Typeflag == tar.TypeLink {
			mode |= fs.ModeSymlink
		}
		wanted, err := f.look(h.Name, mode, h.Size, names, l)
		if err != nil {
			return err
		}
		if !wanted {
			continue
		}
		if err := f.put(h.Name, func() (io.ReadCloser, error) { return openTar(src, i, l) }); err != nil {
			return err
		}
	}
}

// openTar goes to the entry of a tar with this index.
func openTar(src Source, index int, l Limits) (io.ReadCloser, error) {
	t := tar.NewReader(src.open())
	for range index + 1 {
		if _, err := t.Next(); err != nil {
			return nil, err
		}
	}
	return io.NopCloser(&bounded{t, l.File}), nil
}

// look says whether a packed file is wanted.
func (f *folder) look(name string, mode fs.FileMode, size int64, names []string, l Limits) (bool, error) {
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") || strings.ContainsAny(name, "\x00:") {
		return false, refuse("the file %.100q would lie outside of its folder; nothing was read", name)
	}
	switch {
	case mode.IsDir():
		return false, nil
	case !mode.IsRegular():
		return false, refuse("the file %.100q is a link or a device, not a plain file; nothing was read", name)
	case !slices.Contains(names, path.Base(clean)) || strings.Count(clean, "/") > 1:
		return false, nil
	case size > l.File:
		return false, refuse("the file %.100q has %d bytes; at most %d are taken", name, size, l.File)
	}
	return true, nil
}

func (f *folder) put(name string, open func() (io.ReadCloser, error)) error {
	dir, base := path.Split(path.Clean(strings.ReplaceAll(name, `\`, "/")))
	dir = strings.TrimSuffix(dir, "/")
	if _, twice := f.files[base]; twice || len(f.files) > 0 && dir != f.name {
		return refuse("there are several folders in the file; import them one by one")
	}
	f.name, f.files[base] = dir, open
	return nil
}

// first gives the first of these files that is there.
func (f *folder) first(names ...string) (name string, ok bool) {
	i := slices.IndexFunc(names, func(n string) bool { return f.files[n] != nil })
	if i < 0 {
		return "", false
	}
	return names[i], true
}

// read visits a file; what keeps it from being read is reported.
func (f *folder) read(name string, report *Report, visit func(io.Reader)) {
	r, err := f.files[name]()
	if err != nil {
		report.Add(name, "it cannot be opened: %v", err)
		return
	}
	defer r.Close()
	visit(r)
}

type readCloser struct {
	io.Reader
	io.Closer
}

// packed writes the files of a folder as they come, without knowing their size.
type packed struct{ *zip.Writer }

func (p packed) file(name string, write func(io.Writer) error) error {
	w, err := p.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err != nil {
		return err
	}
	if err := write(w); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

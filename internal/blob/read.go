package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
)

// Open reads a blob. The caller closes the reader. Only who reads to the end
// knows that all of it is right: a damaged blob ends with a *DamageError.
func (s *Store) Open(hash string) (io.ReadCloser, error) {
	path, err := s.path(hash)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, explain(path, err)
	}
	return &reader{file: f, want: hash, sum: sha256.New()}, nil
}

type reader struct {
	file *os.File
	want string
	sum  hash.Hash
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.file.Read(p)
	r.sum.Write(p[:n])
	if err == io.EOF {
		if got := hex.EncodeToString(r.sum.Sum(nil)); got != r.want {
			return n, &DamageError{Path: r.file.Name(), Hash: r.want, Got: got}
		}
	}
	return n, err
}

func (r *reader) Close() error { return r.file.Close() }

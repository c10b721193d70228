package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/parley-dev/parley/internal/blob"
)

func open(t *testing.T) (*blob.Store, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := blob.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

func place(dir, hash string) string { return filepath.Join(dir, hash[:2], hash[2:4], hash) }

// files lists what lies in a store, temporary files included.
func files(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestPutAndOpen(t *testing.T) {
	s, dir := open(t)
	for _, content := range [][]byte{nil, []byte("hello"), bytes.Repeat([]byte("0123456789"), 100_000)} {
		hash, err := s.Put(t.Context(), content)
		if err != nil {
			t.Fatal(err)
		}
		if hash != blob.Hash(content) {
			t.Fatalf("the hash of %d bytes is %s", len(content), hash)
		}
		got, err := s.Get(hash)
		if err != nil || !bytes.Equal(got, content) {
			t.Fatalf("%d bytes came back as %d, %v", len(content), len(got), err)
		}
		if size, err := s.Size(hash); err != nil || size != int64(len(content)) {
			t.Errorf("size is %d, %v", size, err)
		}
		if has, err := s.Has(hash); !has || err != nil {
			t.Errorf("Has gave %v, %v", has, err)
		}
	}
	h1, n, err := s.PutReader(t.Context(), iotest.OneByteReader(strings.NewReader("hello")))
	if err != nil || n != 5 || h1 != blob.Hash([]byte("hello")) {
		t.Errorf("PutReader gave %s, %d, %v", h1, n, err)
	}
	if got := files(t, dir); len(got) != 3 {
		t.Errorf("three contents lie in %d files: %v", len(got), got)
	}
}

func TestMissing(t *testing.T) {
	s, _ := open(t)
	hash := blob.Hash([]byte("nobody put this"))
	if has, err := s.Has(hash); has || err != nil {
		t.Errorf("Has gave %v, %v", has, err)
	}
	if _, err := s.Open(hash); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Open gave %v", err)
	}
}

func TestHashesAreNoPaths(t *testing.T) {
	s, dir := open(t)
	secret := filepath.Join(filepath.Dir(dir), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	hash := blob.Hash([]byte("x"))
	for _, bad := range []string{"", "..", "../secret", "../../secret", "/etc/passwd", strings.ToUpper(hash), hash[1:], hash + "0", "../" + hash[3:], hash[:60] + "/../", hash[:63] + "\x00", strings.Repeat(".", 64)} {
		if blob.ValidHash(bad) {
			t.Errorf("%q passes for a hash", bad)
		}
		if _, err := s.Open(bad); !errors.Is(err, blob.ErrHash) {
			t.Errorf("Open(%q) gave %v", bad, err)
		}
		if _, err := s.Has(bad); !errors.Is(err, blob.ErrHash) {
			t.Errorf("Has(%q) gave %v", bad, err)
		}
	}
}

func TestDamageIsReportedAndHealed(t *testing.T) {
	s, dir := open(t)
	content := bytes.Repeat([]byte("content "), 10_000)
	hash, err := s.Put(t.Context(), content)
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{
		"flipped":   append([]byte{'C'}, content[1:]...),
		"truncated": content[:len(content)-1],
		"longer":    append(bytes.Clone(content), 'x'),
		"empty":     {},
	} {
		if err := os.WriteFile(place(dir, hash), bad, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := s.Open(hash)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, r)
		r.Close()
		var damage *blob.DamageError
		if !errors.As(err, &damage) || damage.Hash != hash {
			t.Errorf("a %s blob was read with %v", name, err)
		}
		if _, err := s.Put(t.Context(), content); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(hash); err != nil || !bytes.Equal(got, content) {
			t.Errorf("a %s blob that was put again reads %v", name, err)
		}
	}
}

func TestConcurrentPutsOfOneContent(t *testing.T) {
	s, dir := open(t)
	content := bytes.Repeat([]byte("same"), 50_000)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			hash, err := s.Put(t.Context(), content)
			if err != nil {
				t.Error(err)
				return
			}
			if got, err := s.Get(hash); err != nil || !bytes.Equal(got, content) {
				t.Errorf("right after Put: %v", err)
			}
		})
	}
	wg.Wait()
	if got := files(t, dir); len(got) != 1 {
		t.Errorf("one content lies in %v", got)
	}
}

func TestSweep(t *testing.T) {
	s, dir := open(t)
	put := func(content string, age time.Duration) string {
		t.Helper()
		hash, err := s.Put(t.Context(), []byte(content))
		if err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(place(dir, hash), then, then); err != nil {
			t.Fatal(err)
		}
		return hash
	}
	used, old, young := put("used", 48*time.Hour), put("old", 48*time.Hour), put("young", 0)
	again := put("again", 48*time.Hour)
	if _, err := s.Put(t.Context(), []byte("again")); err != nil { // as young as new
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "README")
	leftover, fresh := filepath.Join(dir, "tmp", "put-1"), filepath.Join(dir, "tmp", "put-2")
	for _, path := range []string{foreign, leftover, fresh} {
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	then := time.Now().Add(-48 * time.Hour)
	for _, path := range []string{foreign, leftover} {
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	done, err := s.Sweep(t.Context(), func(hash string) bool { return hash == used }, time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if want := (blob.Swept{Kept: 3, Removed: 1, Freed: 3, Leftovers: 1}); done != want {
		t.Errorf("the sweep did %+v, not %+v", done, want)
	}
	for hash, want := range map[string]bool{used: true, young: true, again: true, old: false} {
		if has, err := s.Has(hash); has != want || err != nil {
			t.Errorf("%s after the sweep: %v, %v", hash, has, err)
		}
	}
	for path, want := range map[string]bool{foreign: true, fresh: true, leftover: false} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s after the sweep: %v", path, err)
		}
	}
}

// A sweep that runs all the time takes away nothing that was just put, though
// nobody refers to it and each was there before, old.
func TestSweepWhilePutting(t *testing.T) {
	s, dir := open(t)
	grace := time.Now().Add(-time.Hour)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := s.Sweep(t.Context(), func(string) bool { return false }, grace); err != nil {
				t.Error(err)
			}
		}
	})
	content := []byte("wanted again and again")
	for range 150 {
		hash, err := s.Put(t.Context(), content)
		if err != nil {
			t.Fatal(err)
		}
		if has, err := s.Has(hash); !has || err != nil {
			t.Fatalf("right after Put: %v, %v", has, err)
		}
		then := time.Now().Add(-48 * time.Hour)
		if err := os.Chtimes(place(dir, hash), then, then); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	close(stop)
	wg.Wait()
}

// A blob that is put again after Sweep has asked about it stays.
func TestPutBetweenQuestionAndRemoval(t *testing.T) {
	s, dir := open(t)
	content := []byte("wanted again")
	hash, err := s.Put(t.Context(), content)
	if err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(place(dir, hash), then, then); err != nil {
		t.Fatal(err)
	}
	done, err := s.Sweep(t.Context(), func(string) bool {
		if _, err := s.Put(t.Context(), content); err != nil {
			t.Error(err)
		}
		return false
	}, time.Now().Add(-time.Hour))
	if err != nil || done.Removed != 0 || done.Kept != 1 {
		t.Errorf("the sweep did %+v, %v", done, err)
	}
	if has, err := s.Has(hash); !has || err != nil {
		t.Errorf("after the sweep: %v, %v", has, err)
	}
}

func TestPutThatFailsLeavesNothing(t *testing.T) {
	s, dir := open(t)
	broken := errors.New("the line broke")
	r := io.MultiReader(strings.NewReader("half of it"), iotest.ErrReader(broken))
	if _, _, err := s.PutReader(t.Context(), r); !errors.Is(err, broken) {
		t.Errorf("a broken reader gave %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Put(ctx, []byte("too late")); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled put gave %v", err)
	}
	if got := files(t, dir); len(got) != 0 {
		t.Errorf("failed puts left %v", got)
	}
}

func FuzzHashNeverLeavesTheStore(f *testing.F) {
	f.Add("../../etc/passwd")
	f.Add(blob.Hash(nil))
	dir := f.TempDir()
	s, err := blob.New(dir)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, hash string) {
		_, err := s.Open(hash)
		if blob.ValidHash(hash) != errors.Is(err, blob.ErrNotFound) || !blob.ValidHash(hash) != errors.Is(err, blob.ErrHash) {
			t.Errorf("Open(%q) gave %v", hash, err)
		}
	})
}

package workspace

import (
	"crypto/rand"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// noise is content that cannot be compressed.
func noise(size int) string {
	b := make([]byte, size)
	_, _ = rand.Read(b)
	return string(b)
}

// A disk that is full is not kept full by checkpoints that found no room.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.ok(x.store.Close())
	x.store = nil
	x.ok(os.RemoveAll(x.data))
	x.ok(os.Mkdir(x.data, 0o700))
	if err := unix.Mount("tmpfs", x.data, "tmpfs", 0, "size=3m"); err != nil {
		t.Skipf("a small disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() { x.ok(unix.Unmount(x.data, unix.MNT_DETACH)) })
	size := func(size string) { x.ok(unix.Mount("tmpfs", x.data, "tmpfs", unix.MS_REMOUNT, "size="+size)) }
	used := func() uint64 {
		var st unix.Statfs_t
		x.ok(unix.Statfs(x.data, &st))
		return (st.Blocks - st.Bfree) * uint64(st.Bsize)
	}
	x.open(Limits{})
	x.write("a", "1")
	x.save()
	before := used()

	for _, name := range []string{"b", "c", "d", "e"} {
		x.write(name, noise(1<<20))
	}
	for range 2 {
		if _, err := x.w.Save(t.Context(), Save{Session: "s"}); err == nil {
			t.Fatal("4 MiB fit into 3")
		}
		if left := x.remains(); len(left) > 0 || used() > before+64<<10 {
			t.Fatalf("a save without room left %d bytes and %v", used()-before, left)
		}
	}
	size("6m")
	c := x.save()
	if got := x.files(c.Hash); len(got) != 5 || got["e"] != x.content("e") {
		t.Errorf("with room for it a checkpoint holds %d files", len(got))
	}
	before = used()
	h, err := x.w.hold(t.Context())
	x.ok(err)
	_, err = h.git.run(t.Context(), h.lock, "repack", "-q", "-a", "-d", "-f")
	h.release()
	if err == nil {
		t.Fatal("two packs of 4 MiB fit into 6")
	}
	if left := x.remains(); len(left) > 0 || used() > before+64<<10 {
		t.Errorf("a repack without room left %d bytes and %v", used()-before, left)
	}
	x.ok(x.store.Check(t.Context()))
}

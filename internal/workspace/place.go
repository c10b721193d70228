package workspace

import (
	"errors"
	"io/fs"
	"os"
)

// exchange swaps a file of the trash with one of the folder. Where the file system
// cannot do that in one step, the old file is taken out first and the new one gets
// the name only if nobody took it in between.
func (h *hold) exchange(trash *dir, slot string, at *dir, name string) error {
	if !h.store.plainRenames {
		if err := swap(trash, slot, at, name); !cannot(err) {
			return err
		}
	}
	if err := moveOver(at, name, trash, slot+outSuffix); err != nil {
		return err
	}
	if err := h.moveIn(trash, slot, at, name); err != nil {
		if back := h.moveIn(trash, slot+outSuffix, at, name); back != nil {
			return errors.Join(err, back)
		}
		return err
	}
	return moveOver(trash, slot+outSuffix, trash, slot)
}

// moveIn moves a file of the trash to a name of the folder that nothing has.
func (h *hold) moveIn(trash *dir, slot string, at *dir, name string) error {
	if !h.store.plainRenames {
		if err := moveNew(trash, slot, at, name); !cannot(err) {
			return err
		}
	}
	if err := hardLink(trash, slot, at, name); err != nil {
		return err
	}
	return trash.remove(slot)
}

// moveOut moves a file of the folder into the trash, where the name is free.
func (h *hold) moveOut(at *dir, name string, trash *dir, slot string) error {
	return moveOver(at, name, trash, slot)
}

// prepare writes a version into the trash, from where it is moved into place. Its
// name is right only when it is complete and synced.
func (b *bin) prepare(slot string, v version, content []byte, like func(*os.File)) error {
	if v.kind == link {
		return b.dir.symlink(string(content), slot)
	}
	f, err := b.dir.create(slot + newSuffix)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if like != nil {
		like(f)
	}
	err = errors.Join(err, f.Chmod(fileMode(v.perm)), f.Sync(), f.Close())
	if err != nil {
		return errors.Join(err, b.dir.remove(slot+newSuffix))
	}
	return moveOver(b.dir, slot+newSuffix, b.dir, slot)
}

// fileMode turns permission bits into what package os takes.
func fileMode(perm uint16) os.FileMode {
	m := os.FileMode(perm & 0o777)
	for bit, mode := range map[uint16]os.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
		if perm&bit != 0 {
			m |= mode
		}
	}
	return m
}

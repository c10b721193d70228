package workspace

import (
	"errors"
	"io/fs"
	"strings"
)

// descend opens a folder below, one name at a time; "" and "." are the folder itself,
// opened once more.
func (d *dir) descend(name string) (*dir, error) { return d.reach(name, false) }

// reach is descend that makes the folders that are not there.
func (d *dir) reach(name string, create bool) (*dir, error) {
	at, err := d.sub(".")
	if err != nil || name == "" || name == "." {
		return at, err
	}
	for part := range strings.SplitSeq(name, "/") {
		next, err := at.sub(part)
		if create && errors.Is(err, fs.ErrNotExist) {
			if err = at.mkdir(part); err == nil || errors.Is(err, fs.ErrExist) {
				next, err = at.sub(part)
			}
		}
		at.close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

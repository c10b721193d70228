package workspace

import "golang.org/x/sys/unix"

// swap exchanges what two names hold, in one step.
func swap(a *dir, x string, b *dir, y string) error {
	return unix.Renameat2(a.fd, x, b.fd, y, unix.RENAME_EXCHANGE)
}

// moveNew moves a file to a name that nothing has.
func moveNew(a *dir, x string, b *dir, y string) error {
	return unix.Renameat2(a.fd, x, b.fd, y, unix.RENAME_NOREPLACE)
}

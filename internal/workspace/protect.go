package workspace

import (
	"path/filepath"
	"slices"
	"strings"
)

// closed are folders of the system: neither they nor what is in them.
var closed = []string{
	"/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/run", "/sbin", "/sys",
	"/usr/bin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/sbin", "/usr/share", "/usr/include",
	"/System", "/Library", "/private/etc",
}

// shared are folders that belong to everybody: a project may lie in them, but
// they are none themselves.
var shared = []string{
	"/", "/home", "/lost+found", "/media", "/mnt", "/opt", "/root", "/srv", "/tmp", "/usr", "/usr/local", "/usr/src", "/var", "/var/lib",
	"/var/tmp", "/var/log", "/var/cache", "/Applications", "/Users", "/Volumes", "/private", "/private/tmp", "/private/var",
}

// protect refuses a folder, whose symbolic links are resolved, that is no
// place for checkpoints.
func protect(folder, home string, avoid []string) error {
	refuse := func(reason string) error { return &ProtectedError{Folder: folder, Reason: reason} }
	for _, c := range closed {
		if within(folder, c) && !onDrive(folder) {
			return refuse("it belongs to the operating system")
		}
	}
	if slices.Contains(shared, folder) {
		return refuse("it is shared by the whole system")
	}
	for _, dir := range avoid {
		if within(folder, dir) {
			return refuse("it is where Parley keeps its own data")
		}
	}
	if home == "" {
		return nil
	}
	if within(home, folder) {
		return refuse("it is the home folder, or holds it")
	}
	for _, name := range []string{"Desktop", "Documents", "Downloads"} {
		its := filepath.Join(home, name)
		if real, err := filepath.EvalSymlinks(its); err == nil {
			its = real
		}
		if folder == its {
			return refuse("it is the " + name + " folder, where much lies that no agent should take back")
		}
	}
	return nil
}

// onDrive says that a folder lies on a drive that a desktop has mounted:
// /run/media/NAME/DRIVE.
func onDrive(folder string) bool {
	below, ok := strings.CutPrefix(folder, "/run/media/")
	return ok && strings.Count(below, "/") >= 1
}

// within says whether a path is a folder or lies in it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

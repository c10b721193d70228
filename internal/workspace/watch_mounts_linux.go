package workspace

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// mounts tells whether something was mounted in a folder, or unmounted, which changes
// what lies there without an event.
type mounts struct {
	folder string
	file   int    // mountFile: the kernel says when it is another
	inside string // the lines of it that are about the folder
}

const mountFile = "/proc/self/mountinfo"

func newMounts(folder string) (*mounts, error) {
	file, err := unix.Open(mountFile, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", mountFile, err)
	}
	m := &mounts{folder: folder, file: file}
	m.inside, err = m.read()
	if err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

func (m *mounts) close() { _ = unix.Close(m.file) }

// changed asks the kernel first: machines that run containers have long lists.
func (m *mounts) changed() bool {
	ask := []unix.PollFd{{Fd: int32(m.file), Events: unix.POLLPRI}}
	if n, err := retry(func() (int, error) { return unix.Poll(ask, 0) }); n == 0 && err == nil {
		return false
	}
	before := m.inside
	var err error
	m.inside, err = m.read()
	return err != nil || m.inside != before
}

// read gives the lines whose fifth field, the place, is in the folder.
func (m *mounts) read() (string, error) {
	text, err := os.ReadFile(mountFile)
	if err != nil {
		return "", err
	}
	plain := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	var inside strings.Builder
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 4 && within(plain.Replace(fields[4]), m.folder) {
			inside.WriteString(line)
		}
	}
	return inside.String(), nil
}

package workspace

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// header is the message of a commit: one line of JSON.
type header struct {
	Session    string    `json:"session"`
	Reason     string    `json:"reason"`
	Created    time.Time `json:"created"`
	Changed    int       `json:"files_changed"`
	Plain      uint16    `json:"plain"`      // permissions of files that are not in "modes"
	Executable uint16    `json:"executable"` // likewise of executable ones
	Incomplete bool      `json:"incomplete,omitempty"`
	// Whole says that the folder was scanned once, now or before: only then does a file
	// that is not in the checkpoint mean that there was none.
	Whole bool `json:"whole"`
}

func (c Checkpoint) header(m *manifest) header {
	return header{
		Session: c.Session, Reason: c.Reason, Created: c.Created, Changed: c.FilesChanged,
		Plain: m.ord.plain, Executable: m.ord.executable, Incomplete: c.Incomplete, Whole: m.whole,
	}
}

func (h header) String() string {
	b, err := json.Marshal(h)
	if err != nil { // times before year 0 and after 9999
		return "{}"
	}
	return string(b)
}

func parseHeader(b []byte) (h header, err error) {
	if err = json.Unmarshal(b, &h); err != nil {
		err = fmt.Errorf("its description cannot be read: %w", err)
	}
	return h, err
}

func (h header) ordinary() ordinary { return ordinary{h.Plain, h.Executable} }

// side is a list that lies beside the files in a commit. Lists hold paths in
// any bytes, so their items end in a zero byte.
type side struct {
	name    string
	content []byte
}

const (
	sideModes   = "modes"   // permissions that git does not keep: "600 path"
	sideMissing = "missing" // what was not captured: "why size path", or "why size@modified path"
	sideFolders = "folders" // folders with nothing in them
	sideRules   = "rules"   // ignore rules that held and are not among the files
	sideLooked  = "looked"  // of an incomplete checkpoint: folders that were looked at
)

// Reason says why a file was not captured.
type Reason string

const (
	TooLarge   Reason = "too_large"
	Special    Reason = "special"    // a FIFO, a socket, a device
	Unreadable Reason = "unreadable" // Path ends in "/" if it is a folder
	GitName    Reason = "git_name"   // .git in other letters, which git cannot store
	Ignored    Reason = "ignored"    // a folder that a caller names, but left out by the ignore rules; or our own
	RulesCut   Reason = "rules_cut"  // a file of ignore rules that is too long: the last of its rules do not count
)

// Missing is something that lies in the folder and is not in a checkpoint.
type Missing struct {
	Path   string
	Reason Reason
	Size   int64
	// Modified is when a file that is too large was written last, in nanoseconds.
	Modified int64
}

func encodeList(items []string) []byte {
	slices.Sort(items)
	var b strings.Builder
	for _, item := range items {
		b.WriteString(item)
		b.WriteByte(0)
	}
	return []byte(b.String())
}

func decodeList(b []byte) []string {
	if len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
}

func encodeMode(path string, perm uint16) string {
	return strconv.FormatUint(uint64(perm), 8) + " " + path
}

func decodeModes(b []byte) map[string]uint16 {
	modes := map[string]uint16{}
	for _, item := range decodeList(b) {
		perm, path, _ := strings.Cut(item, " ")
		if n, err := strconv.ParseUint(perm, 8, 16); err == nil {
			modes[path] = uint16(n)
		}
	}
	return modes
}

func (m Missing) String() string {
	size := strconv.FormatInt(m.Size, 10)
	if m.Modified != 0 {
		size += "@" + strconv.FormatInt(m.Modified, 10)
	}
	return string(m.Reason) + " " + size + " " + m.Path
}

func decodeMissing(b []byte) []Missing {
	var list []Missing
	for _, item := range decodeList(b) {
		reason, rest, _ := strings.Cut(item, " ")
		size, path, _ := strings.Cut(rest, " ")
		size, modified, _ := strings.Cut(size, "@")
		n, _ := strconv.ParseInt(size, 10, 64)
		at, _ := strconv.ParseInt(modified, 10, 64)
		list = append(list, Missing{Path: path, Reason: Reason(reason), Size: n, Modified: at})
	}
	return list
}

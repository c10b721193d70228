package agent

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// guideMost is how much of a workspace's AGENTS.md an agent is told.
	guideMost = 32 << 10
	// skillsMost is how many skills an agent is told of.
	skillsMost = 50
)

// skillFolders are where a workspace keeps its skills: folders with a SKILL.md.
var skillFolders = []string{".parley/skills", ".agents/skills"}

// instructions is what a workspace tells every agent: its AGENTS.md, and which
// skills it offers. What cannot be read is left out.
func instructions(workspace string) string {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return ""
	}
	defer root.Close()
	var out strings.Builder
	if guide := readSome(root, "AGENTS.md", guideMost); guide != "" {
		fmt.Fprintf(&out, "\n\nThe workspace says of itself (AGENTS.md):\n\n%s", guide)
	}
	for i, s := range skills(root) {
		if i == 0 {
			out.WriteString("\n\nThe workspace offers these skills. Read the file before you do such a thing:")
		}
		fmt.Fprintf(&out, "\n- %s: %s", s.file, s.about)
	}
	return out.String()
}

func readSome(root *os.Root, name string, most int64) string {
	f, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	raw, err := io.ReadAll(io.LimitReader(f, most+utf8.UTFMax))
	if err != nil {
		return ""
	}
	text := strings.TrimSpace(strings.ToValidUTF8(string(raw[:min(int64(len(raw)), most)]), ""))
	if int64(len(raw)) > most {
		text += "\n(… it is longer than this)"
	}
	return text
}

type skill struct{ file, about string }

// skills lists what a workspace offers, in order of their names.
func skills(root *os.Root) (out []skill) {
	for _, folder := range skillFolders {
		entries, err := fs.ReadDir(root.FS(), folder)
		if err != nil {
			continue
		}
		for _, e := range entries {
			file := path.Join(folder, e.Name(), "SKILL.md")
			if text := readSome(root, file, 4<<10); text != "" && len(out) < skillsMost {
				out = append(out, skill{file, aboutSkill(text)})
			}
		}
	}
	slices.SortFunc(out, func(a, b skill) int { return strings.Compare(a.file, b.file) })
	return out
}

// aboutSkill is what a skill says it is for: the description in its front
// matter, or its first line.
func aboutSkill(text string) string {
	lines := bufio.NewScanner(strings.NewReader(text))
	first := ""
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if about, ok := strings.CutPrefix(line, "description:"); ok {
			return clipLine(strings.Trim(strings.TrimSpace(about), `"'`))
		}
		if first == "" && line != "---" && line != "" && !strings.HasPrefix(line, "name:") {
			first = strings.TrimLeft(line, "# ")
		}
	}
	return clipLine(first)
}

func clipLine(s string) string {
	const most = 300
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

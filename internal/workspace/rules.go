package workspace

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// ruleFile is a file of ignore rules as it was read.
type ruleFile struct {
	text  []byte
	there bool
	cut   bool // it is too long, and the last of it does not count
	size  int64
}

// readRules reads a file of rules, if there is one. An error means that there is
// something that cannot be read. A link is none, as with git.
func readRules(d *dir, name string) (ruleFile, error) {
	f, err := d.open(name)
	if notThere(err) {
		return ruleFile{}, nil
	}
	if err != nil {
		return ruleFile{}, err
	}
	defer f.Close()
	st, err := stampFile(f)
	if err != nil || !st.isRegular() {
		return ruleFile{}, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile+1))
	if err != nil {
		return ruleFile{}, err
	}
	r := ruleFile{text: text, there: true, cut: len(text) > maxIgnoreFile, size: st.size}
	if r.cut { // half a line can mean anything
		r.text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	return r, nil
}

// name is what git calls the text; no rules have none.
func (r ruleFile) name() oid {
	if len(r.text) == 0 {
		return oid{}
	}
	return blobOID(r.text)
}

// readExclude reads the rules that a person keeps for one repository alone. The folder
// is the top of it, by its whole path. A ".git" that is a file, as worktrees and
// submodules have it, can point anywhere: all that is read there is a text of this
// name, for its patterns.
func readExclude(root *dir, folder string) (r ruleFile, top bool, err error) {
	git := filepath.Join(folder, ".git")
	st, err := root.stat(git)
	if notThere(err) {
		return ruleFile{}, false, nil
	}
	if err == nil && st.isRegular() {
		git, err = commonGit(root, folder)
	}
	if err != nil || git == "" {
		return ruleFile{}, true, err
	}
	r, err = readRules(root, filepath.Join(git, "info", "exclude"))
	return r, true, err
}

// commonGit follows a ".git" that is a file to what all worktrees have in common.
func commonGit(root *dir, folder string) (string, error) {
	line := func(name string) (string, error) {
		r, err := readRules(root, name)
		return strings.TrimRight(string(r.text), "\r\n"), err
	}
	from := func(base, name string) string {
		if filepath.IsAbs(name) {
			return filepath.Clean(name)
		}
		return filepath.Join(base, name)
	}
	text, err := line(filepath.Join(folder, ".git"))
	to, ok := strings.CutPrefix(text, "gitdir: ")
	if err != nil || !ok || strings.ContainsRune(to, 0) {
		return "", err
	}
	git := from(folder, to)
	common, err := line(filepath.Join(git, "commondir"))
	if err != nil || common == "" || strings.ContainsRune(common, 0) {
		return git, err
	}
	return from(git, common), nil
}

// outer are the rules that hold before any .gitignore of the workspace: what machines
// make, and what the repository says that the workspace is the top of or lies in.
type outer struct {
	made  string
	under string // the path of the workspace in the repository
	texts []ruleText
}

// ruleText is what a file of the repository says.
type ruleText struct {
	file string // its path there
	text []byte
}

const excludeName = ".git/info/exclude"

// folder is where a text counts.
func (t ruleText) folder() string {
	if t.file == excludeName {
		return ""
	}
	return above(t.file)
}

// readOuter reads the outer rules anew: no watch tells of changes above a workspace. It
// also gives what was too long. A file that cannot be read says what it said before.
func readOuter(root *dir, folder string, was outer) (o outer, cut []Missing, err error) {
	o.made = machineMade
	top, err := topOf(root, folder)
	if err != nil || top == "" {
		return o, nil, err
	}
	if top != folder {
		o.under = strings.TrimPrefix(folder, strings.TrimSuffix(top, "/")+"/")
	}
	add := func(file string, r ruleFile, failed error) {
		if exhausted(failed) {
			err = failed
		} else if failed != nil && was.under == o.under {
			r.text = was.text(file)
		}
		if len(r.text) > 0 {
			o.texts = append(o.texts, ruleText{file, r.text})
		}
		if from, e := filepath.Rel(folder, filepath.Join(top, file)); e == nil && r.cut {
			cut = append(cut, Missing{Path: filepath.ToSlash(from), Reason: RulesCut, Size: r.size})
		}
	}
	r, _, failed := readExclude(root, top)
	add(excludeName, r, failed)
	if top == folder {
		return o, cut, err
	}
	for in := range eachAbove(o.under) {
		file := join(in, ignoreName)
		r, failed := readRules(root, filepath.Join(top, file))
		add(file, r, failed)
	}
	if (*rules)(nil).covers(o.under, true, o.in) { // whoever works in what is left out does not mean that
		return outer{made: machineMade}, nil, err
	}
	return o, cut, err
}

// topOf finds the repository that a folder is the top of or lies in, if it does.
func topOf(root *dir, folder string) (string, error) {
	for {
		_, err := root.stat(filepath.Join(folder, ".git"))
		if err == nil {
			return folder, nil
		}
		up := filepath.Dir(folder)
		switch {
		case exhausted(err):
			return "", err
		case up == folder:
			return "", nil
		}
		folder = up
	}
}

// eachAbove gives the folders that a path lies in, the top first.
func eachAbove(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if !yield("") {
			return
		}
		for i := range len(name) {
			if name[i] == '/' && !yield(name[:i]) {
				return
			}
		}
	}
}

func (o outer) in(folder string) (texts [][]byte) {
	for _, t := range o.texts {
		if t.folder() == folder {
			texts = append(texts, t.text)
		}
	}
	return texts
}

func (o outer) text(file string) []byte {
	for _, t := range o.texts {
		if t.file == file {
			return t.text
		}
	}
	return nil
}

func (o outer) rules() *rules {
	r := (*rules)(nil).with([]byte(o.made), "")
	under := o.under
	if under != "" {
		under += "/"
	}
	for _, t := range o.texts {
		r = &rules{above: r, own: matcher(t.text, t.folder()), under: under}
	}
	return r
}

func (o outer) equal(p outer) bool {
	return o.made == p.made && o.under == p.under && slices.EqualFunc(o.texts, p.texts, func(a, b ruleText) bool {
		return a.file == b.file && bytes.Equal(a.text, b.text)
	})
}

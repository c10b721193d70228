package parley_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link = regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)
	// A path in code marks: something of this tree, if its first part is.
	coded = regexp.MustCompile("`([A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+/?)`")
)

// Whatever a document names exists.
func TestDocumentsNameWhatExists(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	if len(pages) < 10 {
		t.Fatalf("only %d pages found", len(pages))
	}
	checked := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			checked++
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, m[1])
			}
		}
		for _, m := range coded.FindAllStringSubmatch(string(text), -1) {
			top := strings.Split(m[1], "/")[0]
			if info, err := os.Stat(top); err != nil || !info.IsDir() {
				continue
			}
			checked++
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("%s names %s, which does not exist", page, m[1])
			}
		}
	}
	if checked < 30 {
		t.Errorf("only %d paths were looked at", checked)
	}
}

// Both commands of a fresh machine stand in both languages.
func TestReadmeShowsBothCommands(t *testing.T) {
	for _, page := range []string{"README.md", "README.ko.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"make run", "make test"} {
			if !strings.Contains(string(text), command) {
				t.Errorf("%s does not show `%s`", page, command)
			}
		}
	}
}

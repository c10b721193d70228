package conformance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// lay gives the files of a folder and what they hold, in one line.
func lay(t testing.TB, dir string) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out = append(out, fmt.Sprintf("%s=%q", filepath.ToSlash(rel), raw))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(out)
	return strings.Join(out, " ")
}

// What an agent did to the files goes back with the conversation and comes
// forth again; what a person wrote stays.
func TestRewindWithFiles(t *testing.T) {
	workspace := t.TempDir()
	if err := os.WriteFile(filepath.Join(workspace, "mine.txt"), []byte("hands off\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	args := []string{"--model", "script:testdata/files.yaml", "--no-rate-limits", "--workspace", workspace}
	s := start(t, data, args...)
	defer func() { s.stop() }()
	s.post(t, "/api/v1/sessions", map[string]any{"session_id": "f", "pipeline": "direct", "auto_approve": []string{"read", "write", "execute"}}, nil)
	o, err := dial(context.Background(), s, "f", "", "a")
	if err != nil {
		t.Fatal(err)
	}
	o.until(t, "session_state")
	before := lay(t, workspace)
	asks(t, o, "f", "work")
	o.close()
	after := lay(t, workspace)
	want := `mine.txt="hands off\n" notes.txt="first\nsecond\n" sub/new.txt="x\n"`
	if after != want {
		t.Fatalf("the agent left %s, want %s", after, want)
	}
	var list struct {
		Items []struct {
			ID      string `json:"id"`
			Hash    string `json:"hash"`
			Changed int    `json:"files_changed"`
			Reason  string `json:"reason"`
		} `json:"items"`
	}
	s.get(t, "/api/v1/sessions/f/checkpoints", &list)
	if len(list.Items) != 2 || list.Items[0].Reason != "run_command" || list.Items[0].Changed != 2 || list.Items[1].Reason != "write_file" {
		t.Fatalf("checkpoints %+v", list)
	}
	var diff struct {
		Items []struct {
			Path, Change, Patch string
		} `json:"items"`
	}
	s.get(t, "/api/v1/sessions/f/checkpoints/diff?of="+list.Items[0].ID, &diff)
	if len(diff.Items) != 2 || diff.Items[0].Path != "notes.txt" || !strings.Contains(diff.Items[0].Patch, "+second") || diff.Items[1].Change != "added" {
		t.Errorf("diff %+v", diff)
	}

	// Against now: nothing has changed since the last one, not even what no tool touched.
	s.get(t, "/api/v1/sessions/f/checkpoints/diff?from="+list.Items[0].ID, &diff)
	if len(diff.Items) != 0 {
		t.Errorf("since the last checkpoint %+v", diff)
	}
	s.get(t, "/api/v1/sessions/f/checkpoints/diff?from="+list.Items[1].ID, &diff) // of a tool that named its file
	if len(diff.Items) != 2 {
		t.Errorf("since the first checkpoint %+v", diff)
	}

	// The person edits meanwhile: in a file of their own, and in one of the agent's.
	if err := os.WriteFile(filepath.Join(workspace, "mine.txt"), []byte("hands off, I said\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	edited := lay(t, workspace)
	var told struct {
		Rewind string `json:"rewind_id"`
		Files  []struct{ Path, Change string }
	}
	s.post(t, "/api/v1/sessions/f/rewind", map[string]any{"index": 0, "files": true, "preview": true}, &told)
	if len(told.Files) != 2 || lay(t, workspace) != edited {
		t.Errorf("the preview says %+v and left %s", told, lay(t, workspace))
	}
	s.post(t, "/api/v1/sessions/f/rewind", map[string]any{"index": 0, "files": true}, &told)
	if got := lay(t, workspace); got != strings.Replace(before, "hands off", "hands off, I said", 1) || len(told.Files) != 2 || told.Rewind == "" {
		t.Errorf("rewound to %s, having changed %+v", got, told.Files)
	}
	s.kill()
	s = start(t, data, args...)
	s.post(t, "/api/v1/sessions/f/rewind/undo", map[string]any{}, &told)
	if got := lay(t, workspace); got != edited {
		t.Errorf("undone to %s, want %s", got, edited)
	}

	// Files alone, to the first checkpoint; the conversation stays.
	texts := s.texts(t, "f")
	s.post(t, "/api/v1/sessions/f/checkpoints/"+list.Items[1].ID+"/restore", map[string]any{}, &told)
	if got := lay(t, workspace); got != `mine.txt="hands off, I said\n" notes.txt="first\n"` || s.texts(t, "f") != texts {
		t.Errorf("restored to %s; the conversation is %q, was %q", got, s.texts(t, "f"), texts)
	}
	s.post(t, "/api/v1/sessions/f/rewind/undo", map[string]any{}, &told)
	if got := lay(t, workspace); got != edited {
		t.Errorf("undone to %s, want %s", got, edited)
	}
}

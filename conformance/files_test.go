package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"
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
	if len(list.Items) != 3 || list.Items[0].Reason != "run_command" || list.Items[0].Changed != 2 || list.Items[1].Reason != "write_file" || list.Items[2].Reason != "start" {
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

	// As a stream, from where the session started: what git makes of it is the same.
	again := t.TempDir()
	if err := os.WriteFile(filepath.Join(again, "mine.txt"), []byte("hands off\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	from := "/api/v1/sessions/f/checkpoints/diff?from=" + list.Items[2].ID
	apply := exec.Command("git", "apply")
	apply.Dir, apply.Stdin = again, strings.NewReader(s.fetch(t, from+"&format=patch"))
	if out, err := apply.CombinedOutput(); err != nil || lay(t, again) != after {
		t.Errorf("git made %s of the patch: %s (%v)", lay(t, again), out, err)
	}
	if lines := strings.Split(strings.TrimSpace(s.fetch(t, from+"&format=jsonl")), "\n"); len(lines) != 2 || !json.Valid([]byte(lines[0])) {
		t.Errorf("as lines %q", lines)
	}

	// The person edits meanwhile: in a file of their own, and in one of the agent's.
	if err := os.WriteFile(filepath.Join(workspace, "mine.txt"), []byte("hands off, I said\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	edited := lay(t, workspace)
	var told struct {
		Rewind string `json:"rewind_id"`
		Files  []struct{ Path, Change string }
		Kept   []struct{ Path, Reason string }
	}
	s.post(t, "/api/v1/sessions/f/rewind", map[string]any{"index": 0, "files": true, "preview": true}, &told)
	if len(told.Files) != 2 || len(told.Kept) != 1 || told.Kept[0].Path != "mine.txt" || told.Kept[0].Reason != "edited" || lay(t, workspace) != edited {
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

// hurl sends a JSON body to a server that may die of it.
func (s *server) hurl(path string, body any) {
	raw, _ := json.Marshal(body)
	req, err := http.NewRequest("POST", s.URL+path, bytes.NewReader(raw))
	if err != nil {
		return
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.Token)
	if resp, err := http.DefaultClient.Do(req); err == nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
}

// Wherever the plug is pulled while files go back with the conversation, after the
// start both are back or neither is; what a person writes meanwhile stays.
func TestRewindWithFilesIsNotHalf(t *testing.T) {
	workspace, data := t.TempDir(), t.TempDir()
	args := []string{"--model", "script:testdata/many.yaml", "--no-rate-limits", "--workspace", workspace}
	s := start(t, data, args...)
	defer func() { s.stop() }()
	s.post(t, "/api/v1/sessions", map[string]any{"session_id": "f", "pipeline": "direct", "auto_approve": []string{"read", "write", "execute"}}, nil)
	o, err := dial(context.Background(), s, "f", "", "a")
	if err != nil {
		t.Fatal(err)
	}
	o.until(t, "session_state")
	without, nothing := s.texts(t, "f"), lay(t, workspace)
	asks(t, o, "f", "work")
	o.close()
	with, all := s.texts(t, "f"), lay(t, workspace)
	rounds := 6
	if n, err := strconv.Atoi(os.Getenv("PARLEY_SOAK")); err == nil && n > 0 {
		rounds = n
	}
	seen := map[bool]int{}
	back, whole := false, time.Duration(0)
	for n := range rounds {
		call, body := "rewind", map[string]any{"index": 0, "files": true}
		if back {
			call, body = "rewind/undo", map[string]any{}
		}
		// The first round says how long it takes; the others are cut off within that.
		began := time.Now()
		if n > 0 {
			running := s.cmd.Process
			time.AfterFunc(rand.N(whole), func() { _ = running.Kill() })
		}
		s.hurl("/api/v1/sessions/f/"+call, body)
		if n == 0 {
			whole = time.Since(began)
		}
		s.kill()
		mine := fmt.Sprintf("round %d", n)
		if err := os.WriteFile(filepath.Join(workspace, "mine.txt"), []byte(mine), 0o644); err != nil {
			t.Fatal(err)
		}
		s = start(t, data, args...)
		if o, err = dial(context.Background(), s, "f", "", "a"); err != nil {
			t.Fatal(err)
		}
		o.until(t, "session_state")
		o.close()
		moved := s.texts(t, "f") == map[bool]string{true: with, false: without}[back]
		if moved {
			back = !back
		}
		seen[moved]++
		want, words := all, with
		if back {
			want, words = nothing, without
		}
		want = strings.TrimSpace(want + fmt.Sprintf(" mine.txt=%q", mine))
		if got := lay(t, workspace); got != want || s.texts(t, "f") != words {
			t.Fatalf("round %d: the session is at %q with the files\n%s", n, s.texts(t, "f"), got)
		}
	}
	t.Logf("moved or not: %v", seen)
}

// What a command did until the plug was pulled belongs to the agent, and goes back
// like the rest of its work.
func TestFilesOfACallThatWasCutOff(t *testing.T) {
	workspace, data := t.TempDir(), t.TempDir()
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(workspace, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("shared.txt", "person\n")
	t.Cleanup(func() { write("enough", "") }) // the command outlives the server
	args := []string{"--model", "script:testdata/cutoff.yaml", "--no-rate-limits", "--workspace", workspace}
	s := start(t, data, args...)
	defer func() { s.stop() }()
	s.post(t, "/api/v1/sessions", map[string]any{"session_id": "f", "pipeline": "direct", "auto_approve": []string{"read", "write", "execute"}}, nil)
	o, err := dial(context.Background(), s, "f", "", "a")
	if err != nil {
		t.Fatal(err)
	}
	o.until(t, "session_state")
	if err := o.say(context.Background(), "f", "", "work"); err != nil {
		t.Fatal(err)
	}
	for lay(t, workspace) != `made.txt="x\n" shared.txt="person\nagent\n"` {
		time.Sleep(10 * time.Millisecond) // nobody tells when a command has written
	}
	s.kill()
	o.close()
	s = start(t, data, args...)
	if o, err = dial(context.Background(), s, "f", "", "a"); err != nil {
		t.Fatal(err)
	}
	o.until(t, "session_state")
	o.close()
	var list struct {
		Items []struct {
			Reason  string `json:"reason"`
			Changed int    `json:"files_changed"`
		} `json:"items"`
	}
	s.get(t, "/api/v1/sessions/f/checkpoints", &list)
	if len(list.Items) != 2 || list.Items[0].Changed != 2 || list.Items[0].Reason != "run_command, cut off" {
		t.Errorf("checkpoints %+v", list.Items)
	}
	s.post(t, "/api/v1/sessions/f/rewind", map[string]any{"index": 0, "files": true}, nil)
	if got := lay(t, workspace); got != `shared.txt="person\n"` {
		t.Errorf("rewound to %s", got)
	}
}

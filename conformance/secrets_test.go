package conformance

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A secret that is stored, and one of the environment, are planted in every way
// in: said by a person, repeated by the model, printed by a command, lying in a
// file of the workspace. Neither is found in what is stored, sent, exported or
// logged afterwards.
func TestSecretsAreNowhere(t *testing.T) {
	const stored, vendor = "plant-7f3c9a1e55d2", "sk-ant-planted-0123456789"
	t.Setenv("ANTHROPIC_API_KEY", vendor)
	data, workspace := t.TempDir(), t.TempDir()
	set := exec.Command(binary, "secrets", "set", "MY_TOKEN", "--data", data)
	set.Stdin = strings.NewReader(stored + "\n")
	if out, err := set.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(workspace, "config.txt"), []byte("token="+stored+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s := startLogging(t, &log, data, "--model", "script:testdata/leaky.yaml", "--no-rate-limits", "--workspace", workspace, "--log-level", "debug")
	s.post(t, "/api/v1/sessions", map[string]any{"session_id": "leak", "pipeline": "direct", "auto_approve": []string{"read", "execute"}}, nil)
	o, err := dial(context.Background(), s, "leak", "", "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := o.say(context.Background(), "leak", "", "my tokens are "+stored+" and "+vendor+", keep them"); err != nil {
		t.Fatal(err)
	}
	var sent strings.Builder
	for _, f := range o.until(t, "complete") {
		sent.WriteString(f.raw)
	}
	o.close()
	for _, format := range []string{"archive", "jsonl", "markdown", "store", "roo"} {
		sent.WriteString(s.fetch(t, "/api/v1/sessions/leak/export?format="+format))
	}
	sent.WriteString(s.fetch(t, "/api/v1/settings"))
	sent.WriteString(s.fetch(t, "/api/v1/secrets"))
	s.stop()
	places := map[string]string{"what was sent": sent.String(), "the log": log.String()}
	err = filepath.WalkDir(data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "checkpoints") { // those are the person's own files
			return err
		}
		raw, err := os.ReadFile(path)
		places[path] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range places {
		for _, secret := range []string{stored, vendor} {
			if i := strings.Index(text, secret); i >= 0 {
				t.Errorf("%s holds a secret: …%.120q", where, text[max(0, i-60):])
			}
		}
	}
	if !strings.Contains(sent.String(), "[secret:MY_TOKEN]") {
		t.Error("nothing was taken out: the test plants nothing")
	}
}

// fetch gives what a path answers, as it is.
func (s *server) fetch(t testing.TB, path string) string {
	t.Helper()
	req, err := http.NewRequest("GET", s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s %v %s", path, resp.Status, err, raw)
	}
	return string(raw)
}

package auth

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
)

// The example of the documents works as it stands there.
func TestDocumentedFileWorks(t *testing.T) {
	text, err := os.ReadFile("../../docs/auth.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "```yaml\n")
	example, _, ok := strings.Cut(after, "```")
	if !ok {
		t.Fatal("docs/auth.md has no example of an auth file")
	}
	t.Setenv("PARLEY_JWT_SECRET", testSecret)
	c := newClock()
	a := openFile(t, c, example)
	id, err := identify(a, hmacToken(t, jwt.MapClaims{
		"sub": "carol", "iss": "https://id.example.com", "aud": "parley", "exp": c.Now().Unix() + 3600,
	}))
	if err != nil {
		t.Fatal(err)
	}
	if role := id.RoleIn("alice", "sess_x"); role != RoleViewer {
		t.Errorf("carol is %s of alice's sessions, the example says viewer", role)
	}
	if role := id.RoleIn("demo", "sess_x"); role != RoleViewer {
		t.Errorf("carol is %s of demo's sessions, the example says viewer", role)
	}
	if keys := a.accounts.file.keys; keys["wallboard"].Role != RoleViewer || keys["ci"].User != "ci-bot" {
		t.Errorf("API keys are %+v", keys)
	}
}

func TestDocumentedKeysOfJWT(t *testing.T) {
	var documented []string
	for _, row := range docTable(t, "key of `jwt`") {
		for _, key := range strings.Split(row[0], ",") {
			documented = append(documented, strings.Trim(key, " `"))
		}
	}
	slices.Sort(documented)
	path := writeFile(t, filepath.Join(t.TempDir(), "auth.yaml"), "jwt: {nonsense: 1}\n")
	_, err := Open(Config{Mode: path, Log: quiet()})
	if err == nil {
		t.Fatal("accepted")
	}
	_, known, _ := strings.Cut(err.Error(), "it may hold ")
	known, _, _ = strings.Cut(known, "\n")
	if got := strings.Join(documented, ", "); got != known {
		t.Errorf("docs/auth.md lists %s\nthe code knows  %s", got, known)
	}
}

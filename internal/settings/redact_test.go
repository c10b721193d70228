package settings

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-dev/parley/internal/secret"
)

func TestRedact(t *testing.T) {
	s := secretsIn(t.TempDir(), nil)
	s.options.Env = env(map[string]string{"OPENAI_API_KEY": "sk-of-the-environment", "HOME": "/a/long/path"})
	r := s.Redactor()
	if got := r.Redact("x sk-of-the-environment /a/long/path"); got != "x [secret:OPENAI_API_KEY] /a/long/path" {
		t.Errorf("got %s", got)
	}
	quoted := "two\nlines \"quoted\" <tag>"
	for name, v := range map[string]string{"LONG": "abcdefgh-ijkl", "PREFIX": "abcdefgh", "SHORT": "1234567", "QUOTED": quoted} {
		must(t, s.Set(name, secret.New(v)))
	}
	inJSON, err := json.Marshal(quoted)
	must(t, err)
	for text, want := range map[string]string{
		"abcdefgh-ijkl abcdefgh-ij abcdefghabcdefgh": "[secret:LONG] [secret:PREFIX]-ij [secret:PREFIX][secret:PREFIX]",
		"1234567": "1234567", "": "", "nothing at all": "nothing at all",
		quoted: "[secret:QUOTED]", string(inJSON): `"[secret:QUOTED]"`,
	} {
		if got := r.Redact(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	var log bytes.Buffer
	if n, err := r.Writer(&log).Write([]byte("key=abcdefgh-ijkl\n")); n != 18 || err != nil || log.String() != "key=[secret:LONG]\n" {
		t.Errorf("%d %v %s", n, err, log.String())
	}
	must(t, s.Delete("LONG"))
	if got := r.Redact("abcdefgh-ijkl"); got != "[secret:PREFIX]-ijkl" {
		t.Errorf("after it was deleted: %s", got)
	}
}

// However a text is cut into pieces, it is redacted as a whole would be.
func TestStreamRedactsAcrossPieces(t *testing.T) {
	s := secretsIn(t.TempDir(), nil)
	for name, v := range map[string]string{"A": "abababab", "B": "ababababcc", "C": "bababaaa", "D": "cccccccc"} {
		must(t, s.Set(name, secret.New(v)))
	}
	r := s.Redactor()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("abcc가")), 0, 60, -1).Draw(t, "text")
		for _, v := range []string{"abababab", "ababababcc", "cccccccc"} {
			if rapid.Bool().Draw(t, "with") {
				text += v
			}
		}
		stream := r.Stream()
		var got strings.Builder
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			got.WriteString(stream.Write(rest[:n]))
			rest = rest[n:]
		}
		got.WriteString(stream.Close())
		if want := r.Redact(text); got.String() != want {
			t.Fatalf("%q: streamed %q, whole %q", text, got.String(), want)
		}
	})
	// What cannot be a secret is shown at once.
	if got := r.Stream().Write("hello "); got != "hello " {
		t.Errorf("held back: %q", got)
	}
}

func BenchmarkRedact(b *testing.B) {
	s := secretsIn(b.TempDir(), nil)
	for _, name := range []string{"A", "B", "C", "D"} {
		must(b, s.Set(name, secret.New("sk-"+name+"-0123456789abcdef0123456789abcdef")))
	}
	r := s.Redactor()
	text := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 100)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Redact(text)
	}
}

package secret

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestNeverPrinted(t *testing.T) {
	const plain = "hunter2-hunter2"
	v := New(plain)
	inside := struct {
		Shown  Value
		hidden Value
		Map    map[string]Value
	}{v, v, map[string]Value{"a": v}}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%p"} {
		for _, each := range []any{v, &v, inside, &inside} {
			fmt.Fprintf(&out, verb+"\n", each)
		}
	}
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("x", "secret", v, "inside", inside)
	}
	for name, encode := range map[string]func(any) error{
		"json": json.NewEncoder(&out).Encode,
		"yaml": func(v any) error { return yaml.NewEncoder(&out).Encode(v) },
		"gob":  gob.NewEncoder(&out).Encode,
	} {
		before := out.Len()
		if err := encode(inside.Map); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Contains(out.Bytes()[before:], []byte("[secret]")) {
			t.Errorf("%s writes %q", name, out.Bytes()[before:])
		}
	}
	for _, form := range []string{plain, fmt.Sprintf("%x", plain), fmt.Sprintf("%X", plain)} {
		if strings.Contains(out.String(), form) {
			t.Errorf("the secret is shown as %s", form)
		}
	}
}

func TestRevealed(t *testing.T) {
	if v := New("a"); v.Reveal() != "a" || v.IsZero() || fmt.Sprint(v) != "[secret]" {
		t.Errorf("%v reveals %q", v, v.Reveal())
	}
	if v := New(""); v.Reveal() != "" || !v.IsZero() || fmt.Sprint(v) != "" {
		t.Errorf("nothing prints as %v and reveals %q", v, v.Reveal())
	}
}

func TestEqual(t *testing.T) {
	if !New("a").Equal(New("a")) || New("a").Equal(New("b")) || New("a").Equal(Value{}) {
		t.Error("Equal compares the strings")
	}
}

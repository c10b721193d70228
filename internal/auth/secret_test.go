package auth

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestSecretIsNeverPrinted(t *testing.T) {
	const plain = "hunter2-hunter2"
	s := NewSecret(plain)
	inside := struct {
		Shown  Secret
		hidden Secret
		creds  Credentials
	}{s, s, Credentials{Token: s, APIKey: s}}
	out := ""
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%p"} {
		out += fmt.Sprintf(verb, s) + fmt.Sprintf(verb, &s) + fmt.Sprintf(verb, inside) + fmt.Sprintf(verb, &inside)
	}
	log := &logBuffer{}
	log.logger().Info("x", "secret", s, "inside", inside)
	slog.New(slog.NewJSONHandler(log, nil)).Info("x", "secret", s, "inside", inside)
	asJSON, err := json.Marshal(inside)
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := yaml.Marshal(map[string]Secret{"s": s})
	if err != nil {
		t.Fatal(err)
	}
	out += log.String() + string(asJSON) + string(asYAML)
	noLeak(t, out, plain, fmt.Sprintf("%x", plain), fmt.Sprintf("%X", plain))
	if s.Reveal() != plain || fmt.Sprint(s) != redacted || fmt.Sprint(Secret{}) != "" {
		t.Fatal("a secret must reveal itself when asked and print as redacted")
	}
}

func TestSecretEqual(t *testing.T) {
	if !NewSecret("a").Equal(NewSecret("a")) || NewSecret("a").Equal(NewSecret("b")) || NewSecret("a").Equal(Secret{}) {
		t.Fatal("Equal compares the strings")
	}
}

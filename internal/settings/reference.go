package settings

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/parley-dev/parley/internal/secret"
)

// Settings name secrets, they do not hold them: secret:NAME stands for the
// secret NAME.
var (
	secretName = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`)
	secretRef  = regexp.MustCompile(`\bsecret:([A-Z][A-Z0-9_]{0,63})\b`)
)

// CheckName says what is wrong with the name of a secret. It does not repeat it:
// it may be the secret itself, typed in the wrong place.
func CheckName(name string) error {
	if !secretName.MatchString(name) {
		return errors.New("this is no name for a secret: it must have 1 to 64 capital letters, digits and _, and begin with a letter, such as ANTHROPIC_API_KEY. " +
			"The secret itself is never given as an argument: it is typed when asked for, or piped in")
	}
	return nil
}

func referTo(name string) string { return "secret:" + name }

// references are the names of the secrets that a text refers to.
func references(text string) (names []string) {
	for _, m := range secretRef.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// Resolve puts secrets in the place of their references. The result is a
// secret even without any, so that it is not printed by accident.
func Resolve(text string, lookup func(name string) (secret.Value, bool)) (secret.Value, error) {
	var missing error
	out := secretRef.ReplaceAllStringFunc(text, func(ref string) string {
		name := secretRef.FindStringSubmatch(ref)[1]
		s, ok := lookup(name)
		if !ok && missing == nil {
			missing = fmt.Errorf("there is no secret %s; store it with `parley secrets set %s`", name, name)
		}
		return s.Reveal()
	})
	if missing != nil {
		return secret.Value{}, missing
	}
	return secret.New(out), nil
}

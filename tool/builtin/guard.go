package builtin

import (
	"path"
	"strings"

	"github.com/parley-dev/parley/tool"
)

// secrets are names of files that usually hold passwords or keys. They are
// matched in lower case, against the last part of a path.
var secrets = [...]string{
	".env", ".env.*", "*.env", ".envrc", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".htpasswd",
}

// samples are names like those of secrets that hold none.
var samples = [...]string{".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults"}

// guarded says why a path needs a person's word; "" if it does not.
func guarded(name string, u use) string {
	switch {
	case isSecret(name):
		return "files of this name usually hold secrets"
	case u == writing && name == ignoreName:
		return "it says what is kept from you"
	case u == writing && inGit(name):
		return "what git keeps there can run programs later"
	}
	return ""
}

func isSecret(name string) bool {
	base := strings.ToLower(path.Base(name))
	for _, sample := range samples {
		if base == sample {
			return false
		}
	}
	for _, pattern := range secrets {
		if ok, _ := path.Match(pattern, base); ok {
			return true
		}
	}
	return false
}

// inGit holds for .git itself, a folder or, in a work tree, a file.
func inGit(name string) bool {
	for part := range strings.SplitSeq(strings.ToLower(name), "/") {
		if part == ".git" {
			return true
		}
	}
	return false
}

// weigh is the weight of a call on one file.
func weigh(info tool.Info, call tool.Call, name string, u use) (tool.Weight, error) {
	w := tool.Weight{Class: info.Class, Effect: info.Effect}
	p, err := openPlace(call)
	if err != nil {
		return w, err
	}
	defer p.Close()
	p.approved = true
	real, err := p.find(name, u)
	if err != nil {
		return w, err
	}
	w.Guard = guarded(real, u)
	return w, nil
}

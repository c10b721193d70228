package auth

import (
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/parley-dev/parley/internal/secret"
)

// minSecret is what HS256 asks of its secret: a shorter one can be found out
// from a single token.
const minSecret = 32

// jwtSection reads the section jwt of the file.
type jwtSection struct {
	r   *reader
	f   *file
	now func() time.Time
	log *slog.Logger

	start int            // the section's line
	lines map[string]int // of its keys

	secret, secretEnv, secretFile string
	keyFiles                      []string
	jwksFile, jwksURL             string
}

func (s *jwtSection) read(n *yaml.Node) {
	r, before := s.r, len(s.r.problems)
	s.start, s.lines = n.Line, map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		s.lines[n.Content[i].Value] = n.Content[i].Line
	}
	t := &tokens{
		leeway: defaultLeeway, userClaim: "sub", roleClaim: "role", grantsClaim: "grants",
		roles: ownWords(), defaultRole: RoleOwner,
	}
	r.mapping(n, "jwt", fields{
		"algorithms":   r.texts("jwt.algorithms", &t.algorithms),
		"secret":       r.text("jwt.secret", &s.secret),
		"secret_env":   r.text("jwt.secret_env", &s.secretEnv),
		"secret_file":  r.text("jwt.secret_file", &s.secretFile),
		"key_files":    r.texts("jwt.key_files", &s.keyFiles),
		"jwks_file":    r.text("jwt.jwks_file", &s.jwksFile),
		"jwks_url":     r.text("jwt.jwks_url", &s.jwksURL),
		"issuer":       r.text("jwt.issuer", &t.issuer),
		"audience":     r.texts("jwt.audience", &t.audience),
		"leeway":       r.duration("jwt.leeway", &t.leeway, 5*time.Minute),
		"user_claim":   r.text("jwt.user_claim", &t.userClaim),
		"role_claim":   r.text("jwt.role_claim", &t.roleClaim),
		"grants_claim": r.text("jwt.grants_claim", &t.grantsClaim),
		"roles":        func(n *yaml.Node) { s.readRoles(n, t) },
		"default_role": r.role("jwt.default_role", &t.defaultRole, RoleNone, RoleOwner),
	})
	s.readSecret(t)
	s.readKeys(t)
	if len(r.problems) == before {
		s.checkAlgorithms(t)
	}
	t.prepare(s.now)
	s.f.tokens = t
}

// failf reports a problem at the line of one of the section's keys.
func (s *jwtSection) failf(key, format string, args ...any) {
	line, ok := s.lines[key]
	if !ok {
		line = s.start
	}
	s.r.failf(line, format, args...)
}

// readRoles takes the provider's words for roles instead of ours.
func (s *jwtSection) readRoles(n *yaml.Node, t *tokens) {
	if n.Kind != yaml.MappingNode {
		s.r.failf(n.Line, "jwt.roles must map the words of the token to roles, such as parley-admins: admin")
		return
	}
	t.roles = map[string]Role{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		role := RoleNone
		s.r.role("a role in jwt.roles", &role, RoleNone, RoleAdmin)(n.Content[i+1])
		t.roles[n.Content[i].Value] = role
	}
}

func (s *jwtSection) readSecret(t *tokens) {
	given, from := 0, ""
	for _, v := range [][2]string{{"secret", s.secret}, {"secret_env", s.secretEnv}, {"secret_file", s.secretFile}} {
		if v[1] != "" {
			given, from = given+1, v[0]
		}
	}
	text := s.secret
	switch {
	case given == 0:
		return
	case given > 1:
		s.failf(from, "jwt has more than one of secret, secret_env and secret_file; keep one")
		return
	case s.secret != "":
		s.f.warnIfOpen(s.f.path)
	case s.secretEnv != "":
		if text = os.Getenv(s.secretEnv); text == "" {
			s.failf("secret_env", "jwt.secret_env: the environment variable %s is not set", s.secretEnv)
			return
		}
	case s.secretFile != "":
		path := s.f.beside(s.secretFile)
		data, err := s.f.load(path)
		if err != nil {
			s.failf("secret_file", "jwt.secret_file: %v", err)
			return
		}
		s.f.warnIfOpen(path)
		text = strings.TrimRight(string(data), "\r\n")
	}
	switch {
	case strings.Contains(text, "-----BEGIN"):
		s.failf(from, "the jwt secret is a PEM key; name public keys under key_files, with RS256 or EdDSA")
	case len(text) < minSecret:
		s.failf(from, "the jwt secret has %d bytes and needs %d or more; make one with: openssl rand -base64 48", len(text), minSecret)
	default:
		t.keys = append(t.keys, verifyKey{alg: algHS256, key: secret.New(text)})
	}
}

func (s *jwtSection) readKeys(t *tokens) {
	if s.jwksURL != "" && (s.jwksFile != "" || len(s.keyFiles) > 0) {
		s.failf("jwks_url", "jwt has jwks_url beside key_files or jwks_file; keep one source of public keys")
		return
	}
	add := func(key, name string, parse func([]byte) (keySet, error)) {
		data, err := s.f.load(s.f.beside(name))
		var set keySet
		if err == nil {
			set, err = parse(data)
		}
		if err != nil {
			s.failf(key, "jwt.%s: %s: %v", key, name, err)
		}
		t.keys = append(t.keys, set...)
	}
	for _, name := range s.keyFiles {
		add("key_files", name, parsePEM)
	}
	if s.jwksFile != "" {
		add("jwks_file", s.jwksFile, parseJWKS)
	}
	if s.jwksURL == "" {
		return
	}
	address, err := url.Parse(s.jwksURL)
	if err != nil {
		s.failf("jwks_url", "jwt.jwks_url is not a URL")
		return
	}
	if err := checkKeyURL(address); err != nil {
		s.failf("jwks_url", "jwt.jwks_url: %v", err)
		return
	}
	if len(t.audience) == 0 {
		s.failf("jwks_url", "jwt.audience is needed with jwks_url: the provider signs tokens for others with the same keys")
	}
	t.remote = newRemoteKeys(address, s.now, s.log)
}

// checkAlgorithms demands that every algorithm has a key and every kind of key
// an algorithm: what is left over is a mistake.
func (s *jwtSection) checkAlgorithms(t *tokens) {
	if len(t.algorithms) == 0 {
		s.failf("algorithms", "jwt.algorithms is needed: some of HS256, RS256, EdDSA")
	}
	for _, alg := range t.algorithms {
		switch {
		case alg != algHS256 && alg != algRS256 && alg != algEdDSA:
			s.failf("algorithms", "jwt.algorithms: %q is not one of HS256, RS256, EdDSA", clip(alg))
		case alg == algHS256 && !t.keys.has(alg):
			s.failf("algorithms", "jwt.algorithms names HS256; add secret_env, secret_file or secret")
		case alg != algHS256 && !t.keys.has(alg) && t.remote == nil:
			s.failf("algorithms", "jwt.algorithms names %s and there is no such key; add key_files, jwks_file or jwks_url", alg)
		}
	}
	public := t.remote != nil || t.keys.has(algRS256) || t.keys.has(algEdDSA)
	switch hmac := slices.Contains(t.algorithms, algHS256); {
	case t.keys.has(algHS256) && !hmac:
		s.failf("algorithms", "there is a secret but jwt.algorithms does not name HS256; add it or remove the secret")
	case public && hmac && len(t.algorithms) == 1:
		s.failf("algorithms", "there are public keys but jwt.algorithms names HS256 only; add RS256 or EdDSA or remove the keys")
	}
}

package auth

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/parley-dev/parley/internal/secret"
	"github.com/parley-dev/parley/protocol"
)

// tokens checks JSON Web Tokens as the section jwt of the file says.
type tokens struct {
	algorithms  []string
	keys        keySet      // from the secret and from files
	remote      *remoteKeys // nil without jwks_url
	issuer      string
	audience    []string
	leeway      time.Duration
	userClaim   string
	roleClaim   string
	grantsClaim string
	roles       map[string]Role // the provider's word for a role
	defaultRole Role
	parser      *jwt.Parser
}

const (
	defaultLeeway = 30 * time.Second
	maxKid        = 256
)

func (t *tokens) prepare(now func() time.Time) {
	options := []jwt.ParserOption{
		jwt.WithValidMethods(t.algorithms), jwt.WithExpirationRequired(), jwt.WithStrictDecoding(),
		jwt.WithLeeway(t.leeway), jwt.WithTimeFunc(now),
	}
	if t.issuer != "" {
		options = append(options, jwt.WithIssuer(t.issuer))
	}
	if len(t.audience) > 0 {
		options = append(options, jwt.WithAudience(t.audience...))
	}
	t.parser = jwt.NewParser(options...)
}

// errNoKeys: the provider's keys could not be had, so nothing can be said.
var errNoKeys = errors.New("the keys that tokens are checked with are not available")

// identify checks the signature first: nothing in a token is believed, or
// told apart in an answer, before that.
func (t *tokens) identify(ctx context.Context, token secret.Value) (Identity, error) {
	claims := jwt.MapClaims{}
	_, err := t.parser.ParseWithClaims(token.Reveal(), claims, func(tok *jwt.Token) (any, error) {
		return t.signedWith(ctx, tok)
	})
	if err != nil {
		return Identity{}, refusedToken(err)
	}
	if err := t.checkAudience(claims); err != nil {
		return Identity{}, err
	}
	user, ok := claim(claims, t.userClaim).(string)
	if !ok || !validUser(user) || user == LocalUser {
		return Identity{}, refused("its claim %q is not the name of a user", t.userClaim)
	}
	grants, ok := tokenGrants(claim(claims, t.grantsClaim))
	if !ok {
		return Identity{}, refused("its claim %q is not a list of {role, session} or {role, owner}", t.grantsClaim)
	}
	expires, err := claims.GetExpirationTime()
	if err != nil || expires == nil {
		return Identity{}, refused("it has no expiry")
	}
	return Identity{
		User: user, Role: t.role(claim(claims, t.roleClaim)), Method: MethodJWT,
		Expires: expires.Add(t.leeway), Grants: Grants{}.add(grants...),
	}, nil
}

// signedWith picks the keys for the token's own header. Keys and addresses in
// the header are ignored; `crit` demands extensions, and we know none.
func (t *tokens) signedWith(ctx context.Context, tok *jwt.Token) (any, error) {
	if _, ok := tok.Header["crit"]; ok {
		return nil, jwt.ErrTokenUnverifiable
	}
	kid := ""
	if value, ok := tok.Header["kid"]; ok {
		if kid, ok = value.(string); !ok || len(kid) > maxKid {
			return nil, jwt.ErrTokenUnverifiable
		}
	}
	alg := tok.Method.Alg()
	found := t.keys.find(alg, kid)
	if len(found) == 0 && t.remote != nil && alg != algHS256 {
		var err error
		if found, err = t.remote.find(ctx, alg, kid); err != nil {
			return nil, errNoKeys
		}
	}
	set := jwt.VerificationKeySet{}
	for _, k := range found {
		set.Keys = append(set.Keys, k.material())
	}
	return set, nil
}

// checkAudience refuses a token made for someone, when the file does not say
// that we are that someone.
func (t *tokens) checkAudience(claims jwt.MapClaims) error {
	aud, err := claims.GetAudience()
	if err != nil || len(t.audience) == 0 && len(aud) > 0 {
		return refused("it is made for an audience and the auth file names none (jwt.audience)")
	}
	return nil
}

// refusedToken says what is wrong in words of ours: the library's may quote
// the token.
func refusedToken(err error) error {
	reasons := []struct {
		is  error
		say string
	}{
		{errNoKeys, ""},
		{jwt.ErrTokenMalformed, "it is not a JSON Web Token"},
		{jwt.ErrTokenSignatureInvalid, "its signature or algorithm is not accepted here"},
		{jwt.ErrTokenUnverifiable, "its algorithm or key is not known here"},
		{jwt.ErrTokenRequiredClaimMissing, "it lacks exp, or an aud or iss that is asked for here"},
		{jwt.ErrTokenInvalidAudience, "it is made for another audience"},
		{jwt.ErrTokenInvalidIssuer, "it comes from another issuer"},
		{jwt.ErrTokenNotValidYet, "it is not valid yet (nbf)"},
		{jwt.ErrInvalidType, "one of its claims has the wrong type"},
	}
	for _, r := range reasons {
		if !errors.Is(err, r.is) {
			continue
		}
		if r.say == "" {
			return protocol.Errorf(protocol.CodeConnectionFailed, "the server cannot check tokens at the moment; try again")
		}
		return refused("%s", r.say)
	}
	// Last, so that an expired token with another flaw is not told "renew it".
	if errors.Is(err, jwt.ErrTokenExpired) {
		return protocol.Errorf(protocol.CodeTokenExpired, "the token has expired; get a new one and connect again")
	}
	return refused("it cannot be read")
}

// role reads one word or a list of words; of several the highest counts, and
// words that mean nothing here are passed over.
func (t *tokens) role(value any) Role {
	best, found := RoleNone, false
	words, _ := value.([]any)
	if one, ok := value.(string); ok {
		for w := range strings.FieldsSeq(one) {
			words = append(words, w)
		}
	}
	for _, w := range words {
		word, _ := w.(string)
		if role, ok := t.roles[word]; ok {
			best, found = max(best, role), true
		}
	}
	if !found {
		return t.defaultRole
	}
	return best
}

// ownWords is the reading of roles when the file gives no other.
func ownWords() map[string]Role {
	words := map[string]Role{}
	for _, r := range Roles() {
		words[r.String()] = r
	}
	return words
}

// claim finds a claim by its name, or inside others by a dotted path.
func claim(claims map[string]any, name string) any {
	if value, ok := claims[name]; ok {
		return value
	}
	outer, rest, ok := strings.Cut(name, ".")
	if !ok {
		return nil
	}
	inner, _ := claims[outer].(map[string]any)
	return claim(inner, rest)
}

// tokenGrants reads the claim: the same shape as in the file.
func tokenGrants(value any) ([]Grant, bool) {
	if value == nil {
		return nil, true
	}
	list, ok := value.([]any)
	if !ok {
		return nil, false
	}
	var grants []Grant
	for _, item := range list {
		fields, _ := item.(map[string]any)
		word, _ := fields["role"].(string)
		g := Grant{}
		g.Session, _ = fields["session"].(string)
		g.Owner, _ = fields["owner"].(string)
		g.Role, ok = grantRole(word)
		if !ok || (g.Session == "") == (g.Owner == "") {
			return nil, false
		}
		grants = append(grants, g)
	}
	return grants, true
}

// grantRole: nobody is made admin by a grant.
func grantRole(word string) (Role, bool) {
	role, ok := ParseRole(word)
	return role, ok && role > RoleNone && role < RoleAdmin
}

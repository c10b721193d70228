package auth

import (
	"net/http"
	"strings"

	"github.com/parley-dev/parley/internal/secret"
	"github.com/parley-dev/parley/protocol"
)

// Credentials are what a caller shows. Token and APIKey may both be set, as in
// the message `auth`: then both must be valid and name the same user.
type Credentials struct {
	Token  secret.Value // a JWT, an API key, or the token of local mode
	APIKey secret.Value
	// Remote is the address the caller came from; failed attempts are counted
	// by it. Empty for callers that have none, as over a Unix socket.
	Remote string

	forwarded []string // X-Forwarded-For, believed only from a trusted proxy
	problem   error    // what is wrong with the request already
}

// maxCredential bounds a token: far more than an identity provider writes, far
// less than would cost anything to look at.
const maxCredential = 8 << 10

// Empty says whether nothing was shown: the door may then wait for `auth`.
func (c Credentials) Empty() bool {
	return c.Token.IsZero() && c.APIKey.IsZero() && c.problem == nil
}

// FromRequest reads `Authorization: Bearer`, `X-API-Key` and `?token=`. The same
// credential in two places is one; two different ones are refused when they
// are used, because choosing between them would be a guess.
func FromRequest(r *http.Request) Credentials {
	c := Credentials{Remote: r.RemoteAddr, forwarded: r.Header.Values("X-Forwarded-For")}
	var tokens []string
	for _, header := range r.Header.Values("Authorization") {
		scheme, rest, _ := strings.Cut(strings.TrimSpace(header), " ")
		if strings.EqualFold(scheme, "Bearer") {
			tokens = append(tokens, rest)
		}
	}
	if r.URL != nil && r.URL.RawQuery != "" {
		tokens = append(tokens, r.URL.Query()["token"]...)
	}
	token, one := single(tokens)
	key, oneKey := single(r.Header.Values("X-API-Key"))
	if !one || !oneKey || (token != "" && key != "" && token != key) {
		c.problem = protocol.Errorf(protocol.CodeAuthFailed,
			"the request carries different credentials; send one, in Authorization, X-API-Key or ?token=")
		return c
	}
	c.Token, c.APIKey = secret.New(token), secret.New(key)
	return c
}

// single gives the one value among those that are not empty.
func single(values []string) (value string, ok bool) {
	for _, v := range values {
		v = strings.TrimSpace(v)
		if v == "" || v == value {
			continue
		}
		if value != "" {
			return "", false
		}
		value = v
	}
	return value, true
}

// check refuses what need not be looked at any further.
func (c Credentials) check() error {
	switch {
	case c.problem != nil:
		return c.problem
	case c.Empty():
		return protocol.Errorf(protocol.CodeAuthRequired,
			"a token or an API key is needed: send Authorization: Bearer, X-API-Key, ?token= or the message auth")
	case len(c.Token.Reveal()) > maxCredential || len(c.APIKey.Reveal()) > maxCredential:
		return refused("it is longer than %d bytes", maxCredential)
	}
	return nil
}

// refused is the answer to a credential that is not valid. The reason never
// holds any part of the credential.
func refused(format string, args ...any) error {
	return protocol.Errorf(protocol.CodeAuthFailed, "the token or API key is not valid: "+format, args...)
}

package settings

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Settings name secrets and do not hold them. Where the name of a value says that
// it is a secret, the value is refused when it is set. One that was stored before,
// or stands in parley.yaml, is used, and shown to nobody.

// hidden is shown in the place of a secret.
const hidden = "[secret]"

// spot is a place that holds a secret in plain words, and what to do instead.
type spot struct{ place, instead string }

func (s spot) String() string {
	return fmt.Sprintf("%s holds a secret in plain words; %s", s.place, s.instead)
}

// masked is the entry as it is shown, and where something was taken out.
func (m MCPServer) masked() (MCPServer, []spot) {
	var spots []spot
	m.Headers = maps.Clone(m.Headers)
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		if secretive(name) && isPlain(m.Headers[name]) {
			spots = append(spots, inHeader(name))
			m.Headers[name] = hidden
		}
	}
	shown, names := maskAddress(m.URL)
	for _, name := range names {
		spots = append(spots, inURL(name))
	}
	m.URL = shown
	m.Args = slices.Clone(m.Args)
	for i, arg := range m.Args {
		before := ""
		if i > 0 {
			before = m.Args[i-1]
		}
		var names []string
		m.Args[i], names = maskArg(before, arg)
		for _, name := range names {
			spots = append(spots, inArgs(name))
		}
	}
	return m, spots
}

func inHeader(name string) spot {
	n := example(name)
	return spot{"headers: " + name, fmt.Sprintf("store it with `parley secrets set %s` and write secret:%s in its place", n, n)}
}

func inURL(name string) spot {
	n := example(name)
	return spot{"url: " + name, fmt.Sprintf("store it with `parley secrets set %s` and send it as a header, such as headers {\"Authorization\":\"Bearer secret:%s\"}", n, n)}
}

// inArgs points to the environment: every process of the machine can read the
// arguments of the others.
func inArgs(name string) spot {
	n := example(name)
	return spot{"args: " + name, fmt.Sprintf("store it with `parley secrets set %s` and give it to the program as a variable, such as env {\"%s\":\"secret:%s\"}", n, n, n)}
}

var (
	// named is an argument that says what its value is: --token=…, TOKEN=…, or a
	// header, Authorization: ….
	named = regexp.MustCompile(`(?s)^(-{0,2}[A-Za-z][A-Za-z0-9_.-]*)(=|:\s*)(.+)$`)
	// address is one with a scheme; its second group is who calls, its fourth
	// their password.
	address = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*://)(?:([^/?#@:]*)(:)([^/?#]*)@)?`)
	// parameter is one of a query or of what stands where a query would.
	parameter = regexp.MustCompile(`([?&#;])([^=&#;]+)=([^&#;]+)`)
	// elsewhere is a value that is filled in by the program that reads it.
	elsewhere = regexp.MustCompile(`^([A-Za-z]+\s+)?\$(\{\w+\}|\w+)$`)
)

const password = "the password of an address"

// maskArg takes secrets out of an argument; before is the one before it.
func maskArg(before, arg string) (shown string, names []string) {
	if strings.HasPrefix(before, "-") && !strings.HasPrefix(arg, "-") && !strings.ContainsAny(before, "=:") && secretive(before) && isPlain(arg) {
		return hidden, []string{before}
	}
	if p := named.FindStringSubmatch(arg); p != nil && secretive(p[1]) && isPlain(p[3]) {
		return p[1] + p[2] + hidden, []string{p[1]}
	}
	return maskAddress(arg)
}

// maskAddress takes a password and secret parameters out of an address.
func maskAddress(text string) (shown string, names []string) {
	p := address.FindStringSubmatchIndex(text)
	if p == nil {
		return text, nil
	}
	rest := text[p[1]:]
	shown = text[:p[1]]
	if p[8] >= 0 && isPlain(text[p[8]:p[9]]) {
		shown, names = text[:p[8]]+hidden+text[p[9]:p[1]], []string{password}
	}
	return shown + parameter.ReplaceAllStringFunc(rest, func(found string) string {
		p := parameter.FindStringSubmatch(found)
		name, err := url.QueryUnescape(p[2])
		if err != nil {
			name = p[2]
		}
		if !secretive(name) || !isPlain(p[3]) {
			return found
		}
		names = append(names, name)
		return p[1] + p[2] + "=" + hidden
	}), names
}

// isPlain says whether something stands there itself, and not a word for what is
// to be put in its place.
func isPlain(value string) bool {
	value = strings.TrimSpace(value)
	switch value {
	case "", "true", "false":
		return false
	}
	return len(references(value)) == 0 && !elsewhere.MatchString(value)
}

// secretive says whether a name is that of a secret. The last word of it counts:
// a token is one, a token_limit is not. Of options a key may be the path of one.
func secretive(name string) bool {
	w := words(name)
	if len(w) == 0 || w[0] == "no" || slices.Contains(w, "public") || slices.Contains(w, "idempotency") {
		return false
	}
	last := w[len(w)-1]
	if last == "key" && strings.HasPrefix(name, "-") {
		return len(w) > 1 && slices.Contains([]string{"api", "access", "secret", "auth", "encryption"}, w[len(w)-2])
	}
	if slices.Contains([]string{"key", "apikey", "accesskey", "secretkey", "authkey", "pass", "pwd", "sig"}, last) {
		return true
	}
	for _, end := range []string{"token", "secret", "password", "passwd", "passphrase", "authorization", "cookie", "cookies", "credential", "credentials"} {
		if strings.HasSuffix(last, end) {
			return true
		}
	}
	return false
}

// words are the parts of a name such as X-Auth-Token, api_key or exaApiKey.
func words(name string) (all []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			all = append(all, strings.ToLower(string(word)))
		}
		word = nil
	}
	var last rune
	for _, r := range name {
		if !unicode.IsLetter(r) || unicode.IsUpper(r) && unicode.IsLower(last) {
			end()
		}
		if unicode.IsLetter(r) {
			word = append(word, r)
		}
		last = r
	}
	end()
	return all
}

// example is a name for a secret that would hold this value.
func example(of string) string {
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '.' {
			return '_'
		}
		return r
	}, strings.ToUpper(strings.TrimLeft(of, "-")))
	if name = strings.TrimPrefix(name, "X_"); CheckName(name) == nil {
		return name
	}
	return "MY_TOKEN"
}

// plainSecrets finds all of them.
func plainSecrets(servers map[string]MCPServer) (spots []spot) {
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		_, found := servers[name].masked()
		for _, s := range found {
			spots = append(spots, spot{name + ": " + s.place, s.instead})
		}
	}
	return spots
}

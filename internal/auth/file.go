package auth

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/parley-dev/parley/protocol"
)

const maxFile = 1 << 20

// file is a valid auth file, read.
type file struct {
	tokens  *tokens // nil: no section jwt
	keys    apiKeys
	grants  map[string]Grants // by user; everyone's under anyone
	limits  Limits
	origins []string
	proxies []netip.Prefix

	path     string
	sources  []source
	warnings []string
}

// source is a file that was read, and its stamp at that moment.
type source struct{ path, stamp string }

// anyone is the user of a grant that all accounts have.
const anyone = "*"

// readFile reads and checks an auth file whole. Nothing of it is in force
// unless all of it is valid.
func readFile(path string, now func() time.Time, log *slog.Logger) (*file, error) {
	f := &file{path: path, keys: apiKeys{}, grants: map[string]Grants{}, limits: AccountLimits()}
	data, err := f.load(path)
	if err != nil {
		return nil, fmt.Errorf("read the auth file: %w", err)
	}
	if err := f.parse(data, now, log); err != nil {
		return nil, fmt.Errorf("the auth file has mistakes, mend them:\n%w", err)
	}
	return f, nil
}

func (f *file) parse(data []byte, now func() time.Time, log *slog.Logger) error {
	r := &reader{path: f.path}
	doc := r.document(data)
	if doc == nil {
		return r.err()
	}
	jwt := jwtSection{r: r, f: f, now: now, log: log}
	r.mapping(doc, "the auth file", fields{
		"jwt":             jwt.read,
		"api_keys":        func(n *yaml.Node) { r.list(n, "api_keys", func(n *yaml.Node) { f.readKey(r, n) }) },
		"grants":          func(n *yaml.Node) { r.list(n, "grants", func(n *yaml.Node) { f.readGrant(r, n) }) },
		"limits":          func(n *yaml.Node) { f.readLimits(r, n) },
		"origins":         func(n *yaml.Node) { f.readOrigins(r, n) },
		"trusted_proxies": func(n *yaml.Node) { f.readProxies(r, n) },
	})
	if len(r.problems) == 0 && f.tokens == nil && len(f.keys) == 0 {
		r.failf(1, "nobody could sign in: the file needs jwt or api_keys")
	}
	return r.err()
}

func (f *file) readKey(r *reader, n *yaml.Node) {
	before := len(r.problems)
	e := KeyEntry{Role: RoleOwner}
	r.mapping(n, "an API key", fields{
		"id":      r.text("id", &e.ID),
		"hash":    r.text("hash", &e.Hash),
		"name":    r.text("name", &e.Name),
		"user":    r.text("user", &e.User),
		"role":    r.role("role", &e.Role, RoleViewer, RoleAdmin),
		"expires": r.moment("expires", &e.Expires),
		"revoked": r.boolean("revoked", &e.Revoked),
	})
	switch _, taken := f.keys[e.ID]; {
	case len(r.problems) > before:
		return
	case !validKeyID(e.ID):
		r.failf(n.Line, "an API key needs an id: the part between pk_ and the next _, of 1 to 32 letters, digits and -")
	case taken:
		r.failf(n.Line, "the API key id %q is used twice; give each key its own", e.ID)
	case !validHash(e.Hash):
		r.failf(n.Line, "an API key needs hash: sha256: and the 64 lower-case hex digits of the SHA-256 of the whole key, never the key itself")
	case !validUser(e.User):
		r.failf(n.Line, "an API key needs a user: whom the key stands for")
	default:
		f.keys[e.ID] = e
	}
}

func (f *file) readGrant(r *reader, n *yaml.Node) {
	before := len(r.problems)
	var user string
	var g Grant
	r.mapping(n, "a grant", fields{
		"user":    r.text("user", &user),
		"session": r.text("session", &g.Session),
		"owner":   r.text("owner", &g.Owner),
		"role":    r.role("role", &g.Role, RoleViewer, RoleOwner),
	})
	switch {
	case len(r.problems) > before:
		return
	case !validUser(user):
		r.failf(n.Line, "a grant needs a user: to whom it is given (\"*\" for every account)")
	case g.Role == RoleNone:
		r.failf(n.Line, "a grant needs a role: viewer, editor or owner")
	case (g.Session == "") == (g.Owner == ""):
		r.failf(n.Line, "a grant needs either session (one session's id) or owner (all sessions of that user)")
	case g.Session != "" && protocol.CheckSessionID(g.Session) != nil:
		r.failf(n.Line, "the session of a grant is not a session id: %v", protocol.CheckSessionID(g.Session))
	default:
		f.grants[user] = f.grants[user].add(g)
	}
}

func (f *file) readLimits(r *reader, n *yaml.Node) {
	r.mapping(n, "limits", fields{
		"connects_per_minute": r.count("connects_per_minute", &f.limits.Connects),
		"messages_per_minute": r.count("messages_per_minute", &f.limits.Messages),
		"answers_per_minute":  r.count("answers_per_minute", &f.limits.Answers),
		"failures_per_minute": r.count("failures_per_minute", &f.limits.Failures),
	})
}

func (f *file) readOrigins(r *reader, n *yaml.Node) {
	r.texts("origins", &f.origins)(n)
	for _, o := range f.origins {
		if err := CheckAllowed(o); err != nil {
			r.failf(n.Line, "%v", err)
		}
	}
}

func (f *file) readProxies(r *reader, n *yaml.Node) {
	var texts []string
	r.texts("trusted_proxies", &texts)(n)
	for _, s := range texts {
		network, err := netip.ParsePrefix(s)
		if err != nil {
			addr, bad := netip.ParseAddr(s)
			if bad != nil {
				r.failf(n.Line, "trusted_proxies: %q is neither an address such as 10.0.0.7 nor a network such as 10.0.0.0/8", clip(s))
				continue
			}
			network = netip.PrefixFrom(addr, addr.BitLen())
		}
		f.proxies = append(f.proxies, network.Masked())
	}
}

// grantsOf joins what the file gives a user with what everyone has.
func (f *file) grantsOf(user string, own Grants) Grants {
	for _, g := range []Grants{f.grants[anyone], f.grants[user]} {
		for session, role := range g.Sessions {
			own = own.add(Grant{Session: session, Role: role})
		}
		for owner, role := range g.Owners {
			own = own.add(Grant{Owner: owner, Role: role})
		}
	}
	return own
}

// warnIfOpen notes a file with a secret in it that others can read.
func (f *file) warnIfOpen(path string) {
	info, err := os.Stat(path)
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		f.warnings = append(f.warnings, fmt.Sprintf("%s holds a secret and others can read it; run: chmod 600 %s", path, path))
	}
}

// beside gives a path named in the file, which is relative to the file.
func (f *file) beside(name string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(f.path), name)
	}
	return name
}

// load reads one of the files. Its stamp is taken first: a change while
// reading must be noticed afterwards.
func (f *file) load(path string) ([]byte, error) {
	f.sources = append(f.sources, source{path, stamp(path)})
	return readBounded(path)
}

// seen joins the stamps as they were, or as they are now.
func (f *file) seen(now bool) string {
	var all []string
	for _, s := range f.sources {
		if now {
			s.stamp = stamp(s.path)
		}
		all = append(all, s.stamp)
	}
	return strings.Join(all, "\n")
}

// stamp changes when the file does.
func stamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "absent"
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
}

func readBounded(path string) ([]byte, error) {
	in, err := os.Open(path)
	if err != nil {
		var pathErr *os.PathError
		if errors.As(err, &pathErr) {
			return nil, fmt.Errorf("%s: %w", path, pathErr.Err)
		}
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxFile)
	}
	return data, err
}

package auth

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/parley-dev/parley/protocol"
)

// CheckOrigin refuses a browser request that another site's page made. A
// request without Origin is no browser's, or one that a browser lets any page
// make; of the latter only following a link passes. Origins in allowed pass
// as they are written, such as "https://app.example.com".
func CheckOrigin(r *http.Request, allowed []string) error {
	site := r.Header.Get("Sec-Fetch-Site")
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		if site == "" || site == "none" || site == "same-origin" || followsLink(r) {
			return nil
		}
		return forbidden("a page of another site made this request; open Parley's own page")
	}
	if len(origins) > 1 {
		return forbidden("the request has more than one Origin")
	}
	if slices.Contains(allowed, origins[0]) {
		return nil
	}
	origin, ok := parseOrigin(origins[0])
	if !ok {
		return forbiddenOrigin()
	}
	host, ok := parseHost(r.Host, origin.port)
	if !ok || origin.port != host.port {
		return forbiddenOrigin()
	}
	// The browser's own word outweighs equal names: it also knows the scheme.
	if origin.name == host.name && site != "cross-site" {
		return nil
	}
	// To a browser localhost and 127.0.0.1 are two sites; to us they are one.
	if origin.name != host.name && isLoopback(origin.name) && isLoopback(host.name) {
		return nil
	}
	return forbiddenOrigin()
}

// CheckAllowed refuses an entry for allowed origins that could never match.
func CheckAllowed(origin string) error {
	scheme, host, ok := strings.Cut(origin, "://")
	if !ok || scheme == "" || host == "" || strings.ContainsAny(host, "/*?# ") || strings.ToLower(origin) != origin {
		return fmt.Errorf("the origin %q is not of the form https://app.example.com: lower case, no path, no *", clip(origin))
	}
	return nil
}

// CheckHost refuses a request that reached this machine under a foreign name:
// a page can point its own name here (DNS rebinding), and then its Origin and
// Host agree. Loopback names, the address that was connected to and the hosts
// of allowed origins pass.
func CheckHost(r *http.Request, allowed []string) error {
	host, ok := parseHost(r.Host, "")
	if !ok {
		return forbidden("the Host header is not a host name")
	}
	if isLoopback(host.name) {
		return nil
	}
	if addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		if local, ok := parseHost(addr.String(), ""); ok && local == host {
			return nil
		}
	}
	for _, a := range allowed {
		if o, ok := parseOrigin(a); ok && o.name == host.name && (host.port == "" || host.port == o.port) {
			return nil
		}
	}
	return forbidden("this server answers to localhost and 127.0.0.1 only, not to the name in the Host header; " +
		"open it by one of those, or add its address to the allowed origins")
}

func forbidden(why string) error { return protocol.Errorf(protocol.CodeForbidden, "%s", why) }

func forbiddenOrigin() error {
	return forbidden("the page that made this request is not one of this server's; add its origin to the allowed origins, " +
		"and behind a proxy keep the Host header")
}

// followsLink is a person opening a page, which any site may offer.
func followsLink(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

type hostPort struct{ name, port string }

// parseOrigin reads an origin as browsers write it: scheme, host, nothing else.
func parseOrigin(s string) (hostPort, bool) {
	u, err := url.Parse(s)
	if err != nil || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "" {
		return hostPort{}, false
	}
	switch u.Scheme {
	case "http":
		return parseHost(u.Host, "80")
	case "https":
		return parseHost(u.Host, "443")
	}
	return hostPort{}, false
}

func parseHost(s, defaultPort string) (hostPort, bool) {
	u, err := url.Parse("//" + s)
	if err != nil || u.Host != s || u.Hostname() == "" {
		return hostPort{}, false
	}
	h := hostPort{name: strings.ToLower(u.Hostname()), port: u.Port()}
	if ip, err := netip.ParseAddr(h.name); err == nil {
		h.name = ip.Unmap().String()
	}
	if h.port == "" {
		h.port = defaultPort
	}
	return h, true
}

func isLoopback(name string) bool {
	if name == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Unmap().IsLoopback()
}

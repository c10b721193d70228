package builtin

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// notAllowed says why an address is not visited.
type notAllowed struct{ why string }

func (n *notAllowed) Error() string { return n.why }

// mayVisit looks at an address before it is visited, also after a redirect.
func (f FetchURL) mayVisit(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return &notAllowed{fmt.Sprintf("it leads to %s, and only http and https are fetched", u.Scheme)}
	}
	if u.User != nil {
		return &notAllowed{"it holds a user name or a password"}
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if len(f.Domains) == 0 {
		return nil
	}
	for _, d := range f.Domains {
		d = strings.ToLower(d)
		if below, ok := strings.CutPrefix(d, "*."); ok && strings.HasSuffix(host, "."+below) || host == d {
			return nil
		}
	}
	return &notAllowed{fmt.Sprintf("this server fetches only from %s, not from %s", strings.Join(f.Domains, ", "), brief(host))}
}

// client makes connections of its own, so that none that was opened under another
// rule is used again.
func (f FetchURL) client() *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, ControlContext: f.control}
	return &http.Client{
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    10 * time.Second,
			MaxResponseHeaderBytes: 256 << 10,
			ForceAttemptHTTP2:      true,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > fetchRedirects {
				return &notAllowed{fmt.Sprintf("it redirects more than %d times", fetchRedirects)}
			}
			return f.mayVisit(req.URL)
		},
	}
}

// control is asked for every connection, with the number that is about to be
// dialled.
func (f FetchURL) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return &notAllowed{fmt.Sprintf("%s is not an address of the internet", address)}
	}
	ip := to.Addr().Unmap().WithZone("")
	if isPublic(ip) {
		return nil
	}
	for _, p := range f.Private {
		if p.Contains(ip) {
			return nil
		}
	}
	return &notAllowed{fmt.Sprintf("it leads to %s, which is in a private network or on this machine", ip)}
}

// special are networks that are not public although nothing in package netip says
// so. Some carry an address of IPv4 in them, which may be a private one.
var special = [...]netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // behind a provider's NAT
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"),
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("fec0::/10"),
}

func isPublic(ip netip.Addr) bool {
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, p := range special {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

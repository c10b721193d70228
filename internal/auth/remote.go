package auth

import (
	"net/netip"
	"slices"
	"strings"
)

// remoteKey is what failed attempts are counted by: the caller's address, for
// IPv6 the /64 network, which one machine can fill with addresses at will.
// Behind a trusted proxy it is the last address that no trusted proxy wrote.
func (c Credentials) remoteKey(trusted []netip.Prefix) string {
	addr, ok := parseAddr(c.Remote)
	if !ok {
		return ""
	}
	hops := strings.Split(strings.Join(c.forwarded, ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !contains(trusted, addr) {
			break
		}
		next, ok := parseAddr(strings.TrimSpace(hop))
		if !ok {
			break
		}
		addr = next
	}
	if addr.Is4() {
		return addr.String()
	}
	network, err := addr.WithZone("").Prefix(64)
	if err != nil {
		return addr.String()
	}
	return network.String()
}

func contains(networks []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// parseAddr reads an address with or without a port.
func parseAddr(s string) (netip.Addr, bool) {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap(), true
	}
	addr, err := netip.ParseAddr(strings.Trim(s, "[]"))
	return addr.Unmap(), err == nil
}

package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	maxName = 64 // of what models may call a tool by
	hashed  = 8  // digits that tell apart names that had to be changed
)

// name gives a server's tool the name that models call it by:
// mcp__SERVER__TOOL. What does not fit in there is replaced or cut, and the name
// then ends in digits made of both names as they were. So a tool is always
// called the same, whatever other tools there are, and two tools are called
// differently: a server's name that would make it unclear where the tool's
// begins counts as one that does not fit.
func name(server, own string) string {
	plain := "mcp__" + clean(server) + "__" + clean(own)
	clear := clean(server) == server && clean(own) == own &&
		!strings.Contains(server, "__") && !strings.HasPrefix(server, "_") && !strings.HasSuffix(server, "_")
	if clear && len(plain) <= maxName {
		return plain
	}
	sum := sha256.Sum256([]byte(server + "\x00" + own))
	tail := "_" + hex.EncodeToString(sum[:])[:hashed]
	return plain[:min(len(plain), maxName-len(tail))] + tail
}

// clean replaces what no name may hold.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
}

// named says whether anything of a tool's own name is left in the one that
// models get.
func named(own string) bool { return strings.Trim(clean(own), "_-") != "" }

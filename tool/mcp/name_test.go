package mcp

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNames(t *testing.T) {
	for _, c := range []struct{ server, own, want string }{
		{"git", "log", "mcp__git__log"},
		{"git", "_log", "mcp__git___log"},
		{"git-hub", "a__b", "mcp__git-hub__a__b"},
		{"git", "read file", "mcp__git__read_file_c0c9fa9c"},
		{"a__b", "c", "mcp__a__b__c_2b9dbbb2"},
	} {
		got := name(c.server, c.own)
		if !strings.HasPrefix(got, c.want[:len(c.want)-8]) || len(got) != len(c.want) {
			t.Errorf("%s %s: %s, want %s", c.server, c.own, got, c.want)
		}
	}
	// Different tools have different names, also where they look alike.
	seen := map[string]string{}
	for _, pair := range [][2]string{
		{"a", "b__c"}, {"a__b", "c"}, {"a_", "b"}, {"a", "_b"}, {"a_", "_b"}, {"a", "__b"}, {"a", "b c"}, {"a", "b_c"}, {"a", "b.c"},
		{"a", strings.Repeat("x", 90) + "1"}, {"a", strings.Repeat("x", 90) + "2"}, {strings.Repeat("s", 90), "t"}, {strings.Repeat("s", 90), "u"},
	} {
		n := name(pair[0], pair[1])
		if other, ok := seen[n]; ok {
			t.Errorf("%q and %q are both %s", pair, other, n)
		}
		seen[n] = pair[0] + " " + pair[1]
	}
}

func FuzzName(f *testing.F) {
	f.Add("server", "tool")
	f.Add("서버", "\xff")
	fits := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	f.Fuzz(func(t *testing.T, server, own string) {
		n := name(server, own)
		if !fits.MatchString(n) || n != name(server, own) {
			t.Errorf("%q", n)
		}
	})
}

func TestClip(t *testing.T) {
	for n := 3; n < 12; n++ {
		if got := clip("üüüüüüü", n); len(got) > n || !utf8.ValidString(got) {
			t.Errorf("%d: %q", n, got)
		}
	}
}

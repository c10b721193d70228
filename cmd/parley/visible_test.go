package main

import "testing"

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain 바다 é.txt":                    "plain 바다 é.txt",
		"a\x1b[31mred\x07":                  `a\x1b[31mred\a`,
		"two\nlines\t\r":                    `two\nlines\t\r`,
		"c1\u009b2J":                        `c1\u009b2J`,
		"turned \u202etxt.exe\u2066":        `turned \u202etxt.exe\u2066`,
		"broken \xff\u2028":                 "broken \uFFFD" + `\u2028`,
		"a back\\slash":                     `a back\slash`,
		"family 👨\u200d👩\u200d👧 nbsp\u00a0": "family 👨\u200d👩\u200d👧 nbsp\u00a0",
	} {
		if got := visible(text); got != want {
			t.Errorf("%q is shown as %s, want %s", text, got, want)
		}
	}
	if got := visibleLines("a\n\tb\x1b\r\n"); got != "a\n\tb\\x1b\\r\n" {
		t.Errorf("lines are shown as %q", got)
	}
}

package main

import "testing"

func TestSize(t *testing.T) {
	for text, want := range map[string]size{
		"0": 0, "4096": 4096, "10GB": 10_000_000_000, "1.5 MiB": 1_572_864, "2kb": 2000, "7 B": 7, "1TiB": 1 << 40,
	} {
		var s size
		if err := s.Set(text); err != nil || s != want {
			t.Errorf("%q is %d (%v), want %d", text, int64(s), err, int64(want))
		}
	}
	for _, text := range []string{"", "GB", "-1", "-1GB", "ten", "NaN", "inf", "1e300", "5 XB", "9223372036854775808"} {
		var s size
		if err := s.Set(text); err == nil {
			t.Errorf("%q is taken for %d", text, int64(s))
		}
	}
	for n, want := range map[size]string{0: "0 B", 12: "12 B", 1500: "1.5 kB", 10_000_000_000: "10 GB"} {
		if n.String() != want {
			t.Errorf("%d is written %q, want %q", int64(n), n, want)
		}
	}
}

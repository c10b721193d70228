package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// size is a number of bytes, written like 10GB, 512 MiB or 4096.
type size int64

// units of a size, the longest words first: B ends them all.
func units() []struct {
	word  string
	bytes float64
} {
	return []struct {
		word  string
		bytes float64
	}{
		{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
		{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1},
	}
}

// Set reads a size.
func (s *size) Set(text string) error {
	number, factor := strings.TrimSpace(text), 1.0
	for _, u := range units() {
		if n := len(number) - len(u.word); n >= 0 && strings.EqualFold(number[n:], u.word) {
			number, factor = strings.TrimSpace(number[:n]), u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n >= 0) || n*factor >= math.MaxInt64 {
		return fmt.Errorf("%q is not a size; write it like 10GB, 512MiB or 4096", text)
	}
	*s = size(n * factor)
	return nil
}

// String writes it in the largest unit that fits.
func (s size) String() string {
	for _, u := range units()[4:] {
		if float64(s) >= u.bytes {
			return strings.TrimSuffix(strconv.FormatFloat(float64(s)/u.bytes, 'f', 1, 64), ".0") + " " + u.word
		}
	}
	return "0 B"
}

// Type names the kind of value in the help.
func (*size) Type() string { return "size" }

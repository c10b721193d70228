package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// sample is what the rounds of one measurement gave.
type sample []float64

// at is the value below which the share p of the sample lies.
func (s sample) at(p float64) float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(s))
	i := int(math.Ceil(p*float64(len(sorted)))) - 1
	return sorted[min(max(i, 0), len(sorted)-1)]
}

// median is the middle, or the mean of the two in the middle.
func (s sample) median() float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(s))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// spread gives the middle, the least and the most.
func (s sample) spread(format string) string {
	if len(s) == 0 {
		return "?"
	}
	if len(s) == 1 {
		return fmt.Sprintf(format, s[0])
	}
	return fmt.Sprintf(format+" ("+format+" to "+format+")", s.median(), slices.Min(s), slices.Max(s))
}

// over divides round by round.
func (s sample) over(t sample) sample {
	var out sample
	for i := range min(len(s), len(t)) {
		out = append(out, s[i]/t[i])
	}
	return out
}

func (s sample) times() string { return duration(s.median()) }

// duration writes seconds as a person would.
func duration(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d.Abs() < time.Millisecond:
		return fmt.Sprintf("%.0f µs", seconds*1e6)
	case d.Abs() < 100*time.Millisecond:
		return fmt.Sprintf("%.1f ms", seconds*1e3)
	case d.Abs() < time.Second:
		return fmt.Sprintf("%.0f ms", seconds*1e3)
	}
	return fmt.Sprintf("%.2f s", seconds)
}

// rate writes a number of things a second.
func rate(perSecond float64) string {
	switch {
	case perSecond >= 1e6:
		return fmt.Sprintf("%.2f M/s", perSecond/1e6)
	case perSecond >= 1e3:
		return fmt.Sprintf("%.1f k/s", perSecond/1e3)
	}
	return fmt.Sprintf("%.0f /s", perSecond)
}

func bytesOf(n float64) string {
	switch {
	case math.Abs(n) >= 1<<20:
		return fmt.Sprintf("%.1f MiB", n/(1<<20))
	case math.Abs(n) >= 1<<10:
		return fmt.Sprintf("%.1f KiB", n/(1<<10))
	}
	return fmt.Sprintf("%.0f B", n)
}

package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// report collects what was measured.
type report struct {
	begun time.Time
	quick bool
	dir   string
	parts []part
}

type part struct {
	benchmark
	rows []row
	took time.Duration
}

func (r *report) add(b benchmark, rows []row, took time.Duration) {
	r.parts = append(r.parts, part{b, rows, took})
}

// markdown is the page.
func (r *report) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Benchmarks\n\nWritten by `make bench`, which measures everything anew; do not edit.\n\n")
	fmt.Fprintf(&b, "%s, %d processor cores, kernel %s, %s, file system %s. The run took %s.\n\n",
		r.begun.UTC().Format("2 January 2006"), runtime.NumCPU(), kernel(), runtime.Version(), fileSystem(r.dir),
		time.Since(r.begun).Round(time.Second))
	b.WriteString("Machines and disks vary, so each thing is measured in turns with its baseline, several times, in the same run: judge the\n" +
		"ratios, not the rates. A value is the median over the rounds, with the least and the most in parentheses.\n\n")
	if r.quick {
		b.WriteString("**This was a quick run with small loads: an impression, not a measurement.**\n\n")
	}
	b.WriteString("| what | budget | measured | baseline | ratio | |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, p := range r.parts {
		for _, row := range p.rows {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", row.What, row.Budget, row.Measured, row.Baseline, row.Ratio, row.Verdict)
		}
	}
	b.WriteString("\n## What is measured\n\n")
	for _, p := range r.parts {
		fmt.Fprintf(&b, "**%s** (`-only %s`, %s). %s\n", p.about, p.name, p.took.Round(time.Second), p.how)
		for _, row := range p.rows {
			if row.Note != "" {
				fmt.Fprintf(&b, "- %s: %s\n", row.What, row.Note)
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("## To repeat\n\n```sh\nmake bench                              # all, about ten minutes\n" +
		"go run ./bench -quick                   # an impression, about a minute\n" +
		"go run ./bench -only append,fanout      # some of them\n" +
		"go run ./bench -dir /path/on/that/disk  # another disk\n```\n\n" +
		"It needs Linux (it reads `/proc`) and room for about 2 GB. The peer of the fan-out is a module of its own in `bench/peer`; if it cannot\n" +
		"be fetched, its rows say so.\n")
	return b.Bytes()
}

func kernel() string {
	b, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return runtime.GOOS
	}
	return strings.TrimSpace(string(b))
}

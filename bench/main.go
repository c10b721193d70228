// Command bench measures what Parley promises about speed and size, and writes
// docs/benchmarks.md.
//
//	go run ./bench [-quick] [-only append,fanout] [-out docs/benchmarks.md]
//
// A disk or a machine can be several times slower tomorrow than today. So
// nothing is judged alone: beside each thing its baseline is measured, on the
// same disk and the same loopback, in turns with it and more than once, and the
// middle of the ratios is what counts. Where a budget is a time or a size, the
// baseline says what this machine would give for nothing.
//
// Servers run as processes of their own, so that their processor time and
// memory are theirs alone. The clients are as cheap as they can be made.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/pprof"
	"slices"
	"strings"
	"time"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == childWord {
		exit(runChild(os.Args[2], os.Args[3:]))
	}
	quick := flag.Bool("quick", false, "smaller loads and fewer rounds: an impression within about a minute")
	only := flag.String("only", "", "which to run, separated by commas: "+strings.Join(names(), ", "))
	out := flag.String("out", "", "file to write (default docs/benchmarks.md; with -quick or -only none)")
	keep := flag.String("dir", "", "folder for the data; its disk is what is measured (default: the system's temporary folder)")
	profile := flag.String("cpuprofile", "", "write a profile of this process to a file, and of servers beside it")
	flag.Parse()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			exit(err)
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			exit(err)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, *quick, *only, *out, *keep, *profile)
	pprof.StopCPUProfile()
	exit(err)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(ctx context.Context, quick bool, only, out, dir, profile string) error {
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	h, err := newHouse(quick, dir, profile)
	if err != nil {
		return err
	}
	defer h.close()
	if out == "" && !quick && only == "" {
		out = h.root + "/docs/benchmarks.md"
	}
	r := report{begun: time.Now(), quick: quick, dir: h.tmp}
	for _, b := range chosen {
		h.logf("— %s: %s", b.name, b.about)
		start := time.Now()
		rows, err := b.run(ctx, h)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			h.logf("  failed: %v", err)
			rows = append(rows, row{What: b.about, Verdict: failed, Note: err.Error()})
		}
		for _, row := range rows {
			h.logf("  %s", row)
		}
		r.add(b, rows, time.Since(start))
	}
	if out == "" {
		return nil
	}
	h.logf("writing %s", out)
	return os.WriteFile(out, r.markdown(), 0o644)
}

func names() []string {
	var list []string
	for _, b := range benchmarks {
		list = append(list, b.name)
	}
	return list
}

func choose(only string) ([]benchmark, error) {
	if only == "" {
		return benchmarks, nil
	}
	var chosen []benchmark
	for _, name := range strings.Split(only, ",") {
		i := slices.IndexFunc(benchmarks, func(b benchmark) bool { return b.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no benchmark %q; there are: %s", name, strings.Join(names(), ", "))
		}
		chosen = append(chosen, benchmarks[i])
	}
	return chosen, nil
}

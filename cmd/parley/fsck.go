package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley/internal/blob"
	"github.com/parley-dev/parley/internal/index"
	"github.com/parley-dev/parley/internal/journal/sqlite"
)

func newFsck(p *program) *cobra.Command {
	var checkOnly bool
	cmd := &cobra.Command{
		Use:   "fsck",
		Short: "Look for damage, and build everything derived anew",
		Long: `Read every record and compare it with its checksum, and look for gaps, missing
blobs and leftovers. Records are never changed. What is derived from them (the
index, snapshots that do not fit) is thrown away and built anew, unless --check
is given. The exit code is 1 if damage is left. No server may use the folder.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			report, err := p.fsck(cmd.Context(), checkOnly)
			if err != nil {
				return err
			}
			if p.json {
				err = p.printJSON(report)
			} else {
				fmt.Fprintln(p.out, report)
			}
			if err == nil && !report.OK() {
				return exitCode(1)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&checkOnly, "check", false, "only look, change nothing")
	return cmd
}

func (p *program) fsck(ctx context.Context, checkOnly bool) (*sqlite.Report, error) {
	if _, err := os.Stat(filepath.Join(p.config.data, "journal.db")); err != nil {
		return nil, fmt.Errorf("there is no journal in %s: %w", p.config.data, err)
	}
	blobs, err := blob.New(filepath.Join(p.config.data, "blobs"))
	if err != nil {
		return nil, err
	}
	o := sqlite.CheckOptions{Blobs: blobs, Progress: p.progress()}
	if checkOnly {
		return sqlite.Check(ctx, p.config.data, o)
	}
	report, err := sqlite.Repair(ctx, p.config.data, o)
	if err != nil {
		return nil, err
	}
	if err := p.rebuildIndex(ctx); err != nil {
		return nil, fmt.Errorf("rebuild the index: %w", err)
	}
	report.Repaired = append(report.Repaired, "index built anew")
	return report, nil
}

func (p *program) rebuildIndex(ctx context.Context) (err error) {
	path := filepath.Join(p.config.data, "index.db")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	j, err := sqlite.Open(sqlite.Options{Dir: p.config.data, Holder: fmt.Sprintf(`{"pid":%d}`, os.Getpid())})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	ix, err := index.Open(index.Options{Path: path, Feed: j})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	return ix.CatchUp(ctx)
}

// progress tells a waiting person how far a step has come, once a second.
func (p *program) progress() func(step string, done, total int64) {
	last := time.Now()
	return func(step string, done, total int64) {
		if p.json || time.Since(last) < time.Second {
			return
		}
		last = time.Now()
		if total > 0 {
			fmt.Fprintf(p.err, "%s: %d of %d\n", step, done, total)
		} else {
			fmt.Fprintf(p.err, "%s: %d\n", step, done)
		}
	}
}

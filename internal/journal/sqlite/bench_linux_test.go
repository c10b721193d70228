package sqlite

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/parley-dev/parley/internal/journal"
)

// BenchmarkAppend appends frames of 450 bytes, each writer to a session of its
// own, and compares with a file that is synced after each frame, on the same
// disk, turn by turn. Only the ratio means something, and the processor time
// of an append, with the callers' part in it.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 64, 1000} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) { benchmarkAppend(b, writers) })
	}
}

func benchmarkAppend(b *testing.B, writers int) {
	const rounds = 15
	dir := b.TempDir()
	j := mustOpen(b, dir)
	frame := bytes.Repeat([]byte("x"), 450)
	last := make([]uint64, writers)
	var ratios, rates, raws []float64
	var cpu time.Duration
	raw := rawRate(b, dir, frame)
	b.ResetTimer()
	b.StopTimer()
	for round := range rounds {
		n := b.N*(round+1)/rounds - b.N*round/rounds
		if n == 0 {
			continue
		}
		cpu -= cpuTime(b)
		start := time.Now()
		b.StartTimer()
		appendAll(b, j, last, n, frame)
		b.StopTimer()
		rate := float64(n) / time.Since(start).Seconds()
		cpu += cpuTime(b)
		next := rawRate(b, dir, frame)
		rates = append(rates, rate)
		raws = append(raws, next)
		ratios = append(ratios, rate*2/(raw+next))
		raw = next
	}
	must(b, j.Close())
	info, err := os.Stat(filepath.Join(dir, fileName))
	must(b, err)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(rates), "appends/s")
	b.ReportMetric(median(raws), "raw/s")
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(float64(cpu.Microseconds())/float64(b.N), "cpu-µs/append")
	b.ReportMetric(float64(info.Size())/float64(b.N*len(frame)), "stored/frame")
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// appendAll appends n frames in all, with a writer for each session.
func appendAll(b *testing.B, j *Journal, last []uint64, n int, frame []byte) {
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	for i := range last {
		wg.Go(func() {
			id := fmt.Sprintf("sess_%026d", i)
			for left.Add(-1) >= 0 {
				a := journal.Append{Session: id, Expect: last[i], Records: []journal.Record{{Seq: last[i] + 1, Frame: frame}}}
				if err := j.Append(b.Context(), a); err != nil {
					b.Error(err)
					return
				}
				last[i]++
			}
		})
	}
	wg.Wait()
}

// rawRate is how many frames a second reach the disk one by one, in a file
// whose blocks are there already.
func rawRate(b *testing.B, dir string, frame []byte) float64 {
	path := filepath.Join(dir, "raw")
	f, err := os.Create(path)
	must(b, err)
	defer os.Remove(path)
	defer f.Close()
	const size = 4 << 20
	_, err = f.Write(make([]byte, size))
	must(b, err)
	must(b, f.Sync())
	start, n := time.Now(), 0
	for ; time.Since(start) < 100*time.Millisecond; n++ {
		_, err := f.WriteAt(frame, int64(n*len(frame)%(size-len(frame))))
		must(b, err)
		must(b, unix.Fdatasync(int(f.Fd())))
	}
	return float64(n) / time.Since(start).Seconds()
}

func cpuTime(b *testing.B) time.Duration {
	var u unix.Rusage
	must(b, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRead reads the last 1,000 records of a session that shares its eras
// with 63 others.
func BenchmarkRead(b *testing.B) {
	j := mustOpen(b, b.TempDir())
	defer j.Close()
	last := make([]uint64, 64)
	appendAll(b, j, last, 200_000, bytes.Repeat([]byte("x"), 450))
	id := fmt.Sprintf("sess_%026d", 7)
	for b.Loop() {
		got, err := j.Read(b.Context(), id, last[7]-1000, 1000)
		must(b, err)
		if len(got) != 1000 {
			b.Fatal(len(got))
		}
	}
}

package ws_test

import (
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// audience joins that many clients that only count the bytes they get.
type audience struct {
	conns []*raw
	bytes atomic.Int64
	wg    sync.WaitGroup
}

func (h *house) seat(t testing.TB, n int) *audience {
	a := &audience{}
	for range n {
		r := h.dialRaw(t, "s1", "")
		_ = r.SetDeadline(time.Time{})
		r.message() // the state: it is in
		a.conns = append(a.conns, r)
	}
	for _, r := range a.conns {
		a.wg.Go(func() { _, _ = io.Copy((*counter)(&a.bytes), struct{ io.Reader }{r.in}) })
	}
	t.Cleanup(func() {
		for _, r := range a.conns {
			r.Close()
		}
		a.wg.Wait()
	})
	return a
}

type counter atomic.Int64

func (c *counter) Write(p []byte) (int, error) {
	(*atomic.Int64)(c).Add(int64(len(p)))
	return len(p), nil
}

// BenchmarkFanout counts one delivery of a durable record of some 500 bytes to
// one client as one operation.
func BenchmarkFanout(b *testing.B) {
	for _, viewers := range []int{1, 100, 1000} {
		b.Run(fmt.Sprint(viewers), func(b *testing.B) {
			h := build(b, plan{})
			a := h.seat(b, viewers)
			title := strings.Repeat("x", 350)
			b.ReportAllocs()
			b.ResetTimer()
			rounds := max(b.N/viewers, 1)
			for range rounds {
				_, err := h.engine.Do(b.Context(), "s1", session.Command{
					Type: protocol.TypeUpdateSession, Data: &protocol.UpdateSession{Title: &title}, By: session.Actor{User: "local"},
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			sent := func() int64 { return h.door.Stats.FramesOut.Load() }
			for sent() < int64(viewers*(rounds+1)) || a.bytes.Load() < int64(rounds*viewers*400) {
				runtime.Gosched()
			}
			b.ReportMetric(float64(rounds*viewers)/b.Elapsed().Seconds(), "deliveries/s")
		})
	}
}

// BenchmarkIdleConnection reports what a connection costs on which nothing
// happens: heap, stacks and all.
func BenchmarkIdleConnection(b *testing.B) {
	const n = 2000
	h := build(b, plan{})
	for b.Loop() {
		before := inUse()
		var all []net.Conn
		for range n {
			r := h.dialRaw(b, "s1", "")
			r.message()
			r.in = nil
			all = append(all, r.Conn)
		}
		b.ReportMetric(float64(inUse()-before)/n, "bytes/conn")
		for _, c := range all {
			c.Close()
		}
	}
}

func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

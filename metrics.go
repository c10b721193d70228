package parley

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-dev/parley/internal/gateway/ws"
)

// newRegistry holds the server's metrics; the REST door adds its own and shows
// them. What the WebSocket door counts is read when somebody looks.
func newRegistry(stats *ws.Stats) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Name: "parley_ws_connections", Help: "WebSocket connections that are open."},
		func() float64 { return float64(stats.Connections.Load()) },
	))
	for _, c := range []struct {
		name, help string
		value      *atomic.Int64
	}{
		{"parley_ws_accepted_total", "WebSocket connections that were let in to a session.", &stats.Accepted},
		{"parley_ws_refused_total", "WebSocket connections that were not let in.", &stats.Refused},
		{"parley_ws_messages_in_total", "Messages of clients.", &stats.FramesIn},
		{"parley_ws_messages_out_total", "Messages to clients.", &stats.FramesOut},
		{"parley_ws_bytes_in_total", "Bytes from clients.", &stats.BytesIn},
		{"parley_ws_bytes_out_total", "Bytes to clients.", &stats.BytesOut},
		{"parley_ws_errors_total", "Messages of clients that were answered with an error.", &stats.Errors},
	} {
		r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: c.name, Help: c.help},
			func() float64 { return float64(c.value.Load()) }))
	}
	return r
}

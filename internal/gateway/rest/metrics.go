package rest

import (
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/parley-dev/parley/internal/engine"
)

// metrics counts the door's own work.
type metrics struct {
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
}

// newMetrics registers everything that /metrics shows.
func newMetrics(r *prometheus.Registry, version string, s *engine.Stats) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "parley_http_requests_total", Help: "HTTP requests by route, method and status.",
		}, []string{"route", "method", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "parley_http_request_duration_seconds", Help: "How long HTTP requests took; a stream counts as long as it lasts.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route", "method"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "parley_build_info", Help: "The version of the server; always 1.", ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	r.MustRegister(m.requests, m.took, build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	registerStats(r, s)
	return m
}

func registerStats(r *prometheus.Registry, s *engine.Stats) {
	value := func(n *atomic.Int64) func() float64 { return func() float64 { return float64(n.Load()) } }
	counter := func(name, help string, n *atomic.Int64) {
		r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "parley_engine_" + name, Help: help}, value(n)))
	}
	gauge := func(name, help string, n *atomic.Int64) {
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "parley_engine_" + name, Help: help}, value(n)))
	}
	counter("records_total", "Records appended to the journal.", &s.Records)
	counter("appends_total", "Appends to the journal.", &s.Appends)
	counter("append_failures_total", "Appends that failed; nothing was changed by them.", &s.AppendFails)
	counter("deltas_total", "Pieces of text sent while they were written.", &s.Deltas)
	counter("sessions_opened_total", "Sessions brought into memory.", &s.Opened)
	counter("sessions_evicted_total", "Sessions that left memory because nobody needed them.", &s.Evicted)
	counter("subscribers_lagged_total", "Times a client was too slow and had to catch up from the journal.", &s.Lagged)
	gauge("sessions_live", "Sessions in memory.", &s.Live)
	gauge("subscribers", "Clients that follow a session.", &s.Subscribers)
	gauge("steps_running", "Steps that run.", &s.Running)
}

// request counts one request. Its route is a pattern, never a path: paths are
// without number.
func (m *metrics) request(pattern, method string, status int, took time.Duration) {
	if _, path, ok := strings.Cut(pattern, " "); ok {
		pattern = path
	}
	method = knownMethod(method)
	m.requests.WithLabelValues(pattern, method, strconv.Itoa(status)).Inc()
	m.took.WithLabelValues(pattern, method).Observe(took.Seconds())
}

// knownMethod keeps a caller from inventing time series.
func knownMethod(method string) string {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return method
	}
	return "other"
}

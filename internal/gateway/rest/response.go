package rest

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// response remembers what was answered.
type response struct {
	http.ResponseWriter
	status  int // 0: nothing was sent yet
	instead int // the status to send in place of the one that comes next
	bytes   int64
}

func (w *response) WriteHeader(status int) {
	if w.instead != 0 {
		status, w.instead = w.instead, 0
	}
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController flush and set deadlines.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *response) code() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}

var _ interface{ Unwrap() http.ResponseWriter } = (*response)(nil)
var _ huma.StatusError = (*Problem)(nil)

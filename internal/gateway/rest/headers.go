package rest

import (
	"net/http"
	"net/url"
	"strings"
)

// secure sets what holds for every answer; a handler may be more precise.
func secure(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// allowOrigin lets a page of another origin read the answer. The request was
// checked before, so such an origin is one that the operator has allowed; a
// page of this server needs no leave.
func allowOrigin(h http.Header, r *http.Request) {
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if origin == "" {
		return
	}
	if u, err := url.Parse(origin); err == nil && strings.EqualFold(u.Host, r.Host) {
		return
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "Location, Retry-After, WWW-Authenticate")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
}

func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Origin") != "" &&
		r.Header.Get("Access-Control-Request-Method") != ""
}

// preflight answers a browser that asks whether a page may call. It shows no
// credentials yet.
func (d *door) preflight(w *response, r *http.Request) {
	if err := d.Gateway.Auth.CheckRequest(r); err != nil {
		writeProblem(w, err)
		return
	}
	h := w.Header()
	allowOrigin(h, r)
	if h.Get("Access-Control-Allow-Origin") != "" {
		h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE")
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-API-Key")
		h.Set("Access-Control-Max-Age", "600")
	}
	w.WriteHeader(http.StatusNoContent)
}

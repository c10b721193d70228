package parley

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/journal/sqlite"
)

// Running is what a server says of itself in its data folder, and on the line
// that it prints when it is ready.
type Running struct {
	PID    int    `json:"pid"`
	Listen string `json:"listen,omitempty"`
	URL    string `json:"url,omitempty"`
}

func (r Running) encode() string {
	b, err := json.Marshal(r)
	if err != nil {
		panic("parley: " + err.Error()) // strings and a number
	}
	return string(b)
}

// Find tells which server uses a data folder now, if one does.
func Find(data string) (Running, bool) {
	text, ok := sqlite.ReadHolder(data)
	if !ok {
		return Running{}, false
	}
	var r Running
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return Running{}, false
	}
	return r, true
}

// named says in words which server holds the data folder.
func named(err error) error {
	var used *journal.InUseError
	var r Running
	if !errors.As(err, &used) || json.Unmarshal([]byte(used.Holder), &r) != nil {
		return err
	}
	who := fmt.Sprintf("process %d", r.PID)
	if r.URL != "" {
		who += " at " + r.URL
	}
	return &journal.InUseError{Path: used.Path, Holder: who}
}

// Run serves until ctx is done, then stops in good order. ready, if not nil, is
// told the address once it listens.
func (s *Server) Run(ctx context.Context, ready func(Running)) error {
	if err := s.checkListen(); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", s.options.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w; choose another address with --listen", s.options.Listen, err)
	}
	r := Running{Listen: listener.Addr().String(), URL: "http://" + listener.Addr().String()}
	if err := s.journal.SetHolder(s.holder(r.Listen, r.URL)); err != nil {
		return errors.Join(err, listener.Close())
	}
	server := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if ready != nil {
		ready(r)
	}
	select {
	case err = <-served:
	case <-ctx.Done():
	}
	// Close first: it ends the streams that Shutdown would wait for.
	err = errors.Join(err, s.Close())
	stop, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if serr := server.Shutdown(stop); serr != nil {
		_ = server.Close()
	}
	return err
}

// checkListen keeps a server without accounts on its own machine.
func (s *Server) checkListen() error {
	if s.options.Auth != auth.ModeLocal && s.options.Auth != auth.ModeNone {
		return nil
	}
	host, _, err := net.SplitHostPort(s.options.Listen)
	if err != nil {
		return fmt.Errorf("the address to listen on must be HOST:PORT, such as 127.0.0.1:7717: %w", err)
	}
	if host == "localhost" {
		return nil
	}
	if addr, err := netip.ParseAddr(host); err == nil && addr.IsLoopback() {
		return nil
	}
	return fmt.Errorf("without accounts Parley listens on this machine only, not on %s; use 127.0.0.1, or give an auth file with --auth (docs/auth.md)", s.options.Listen)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/parley-dev/parley"
	"github.com/parley-dev/parley/client"
	"github.com/parley-dev/parley/protocol"
)

// connect finds the server to talk to: the one that --server names, the one that
// uses the data folder, or else one of its own, for as long as the command runs.
func (p *program) connect(ctx context.Context) (*client.Client, func(), error) {
	if p.config.server != "" {
		if !strings.Contains(p.config.server, "://") {
			p.config.server = "http://" + p.config.server
		}
		c, err := client.New(client.Options{URL: p.config.server, Token: p.config.token})
		if err == nil {
			err = p.knock(ctx, c)
		}
		return c, func() {}, err
	}
	if r, ok := parley.Find(p.config.data); ok {
		if r.URL == "" {
			return nil, nil, fmt.Errorf("process %d uses the data folder %s and does not serve; wait until it ends", r.PID, p.config.data)
		}
		c, err := client.New(client.Options{URL: r.URL, Token: p.savedToken()})
		if err == nil {
			err = p.knock(ctx, c)
		}
		return c, func() {}, err
	}
	return p.serveHere(ctx)
}

// withServer does something with the server of the data folder.
func (p *program) withServer(ctx context.Context, do func(c *client.Client) error) error {
	c, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	return do(c)
}

// knock finds out at once whether the server lets us in.
func (p *program) knock(ctx context.Context, c *client.Client) error {
	for _, err := range c.ListSessions(ctx, client.SessionQuery{PageSize: 1}) {
		var e *protocol.Error
		if errors.As(err, &e) && e.Code == protocol.CodeAuthRequired {
			return errors.New("this server asks who you are: give a token or an API key with --token, or in PARLEY_TOKEN")
		}
		return err
	}
	return nil
}

// savedToken is the one given, else that of local mode in the data folder.
func (p *program) savedToken() string {
	if p.config.token != "" {
		return p.config.token
	}
	b, err := os.ReadFile(filepath.Join(p.config.data, "token"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// serveHere opens the data in this process, behind a door that only this
// command knows.
func (p *program) serveHere(ctx context.Context) (*client.Client, func(), error) {
	own := *p
	own.config.listen = "127.0.0.1:0"
	if own.config.logLevel == "info" {
		own.config.logLevel = "warn" // the command's own output is what counts
	}
	s, err := own.newServer()
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	ready := make(chan parley.Running, 1)
	failed := make(chan error, 1)
	wg.Go(func() { failed <- s.Run(ctx, func(r parley.Running) { ready <- r }) })
	stop := func() { cancel(); wg.Wait() }
	select {
	case r := <-ready:
		token := s.Token()
		if p.config.token != "" {
			token = p.config.token
		}
		c, err := client.New(client.Options{URL: r.URL, Token: token})
		if err != nil {
			stop()
		}
		return c, stop, err
	case err := <-failed:
		stop()
		if err == nil {
			err = errors.New("the server ended at once")
		}
		return nil, nil, err
	}
}

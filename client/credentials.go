package client

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// freshFor is how long a token counts as new: one that is refused sooner would
// be refused again, so it is not replaced.
const freshFor = 5 * time.Second

// credential is what a caller shows: one of the two, or nothing.
type credential struct {
	token  string
	apiKey string
}

func (c credential) empty() bool { return c == credential{} }

func (c credential) header(h http.Header) {
	switch {
	case c.token != "":
		h.Set("Authorization", "Bearer "+c.token)
	case c.apiKey != "":
		h.Set("X-API-Key", c.apiKey)
	}
}

func (c credential) message() protocol.Auth {
	return protocol.Auth{Token: c.token, APIKey: c.apiKey}
}

// credentials holds the credential that is good now, for all connections and
// calls of a client.
type credentials struct {
	fetch func(context.Context) (string, error)

	lock    chan struct{} // a mutex that can be waited for with a context
	now     credential
	fetched time.Time
}

func newCredentials(o Options) *credentials {
	c := &credentials{fetch: o.TokenFunc, lock: make(chan struct{}, 1)}
	if o.Token != "" {
		c.now.token = o.Token
	} else if o.TokenFunc == nil {
		c.now.apiKey = o.APIKey
	}
	return c
}

// get gives the credential to show.
func (c *credentials) get(ctx context.Context) (credential, error) {
	if err := c.acquire(ctx); err != nil {
		return credential{}, err
	}
	defer c.release()
	if c.fetch != nil && c.now.token == "" {
		if err := c.refresh(ctx); err != nil {
			return credential{}, err
		}
	}
	return c.now, nil
}

// renew replaces a credential that the server refused. It says whether there is
// another one to try.
func (c *credentials) renew(ctx context.Context, refused credential) (bool, error) {
	if c.fetch == nil {
		return false, nil
	}
	if err := c.acquire(ctx); err != nil {
		return false, err
	}
	defer c.release()
	if c.now != refused {
		return true, nil // somebody else has been here
	}
	if !c.fetched.IsZero() && time.Since(c.fetched) < freshFor {
		return false, nil
	}
	if err := c.refresh(ctx); err != nil {
		return false, err
	}
	return true, nil
}

func (c *credentials) refresh(ctx context.Context) error {
	token, err := c.fetch(ctx)
	if err != nil {
		return fmt.Errorf("get a token: %w", err)
	}
	c.now, c.fetched = credential{token: token}, time.Now()
	return nil
}

func (c *credentials) acquire(ctx context.Context) error {
	select {
	case c.lock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *credentials) release() { <-c.lock }

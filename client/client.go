package client

import (
	"errors"
	"fmt"
	"net/url"
)

// Client reaches one server. It holds no connection of its own and needs no
// closing; it is safe for concurrent use.
type Client struct {
	options Options
	base    *url.URL
	creds   *credentials
	// buffer is how many bytes may wait for Follow before a Conn stops reading.
	buffer int
}

const defaultBuffer = 4 << 20

// New makes a client. It does not connect.
func New(options Options) (*Client, error) {
	options = options.withDefaults()
	base, err := url.Parse(options.URL)
	if err != nil {
		return nil, fmt.Errorf("the server's URL cannot be read: %w", withoutURL(err))
	}
	switch base.Scheme {
	case "http", "https":
	case "ws":
		base.Scheme = "http"
	case "wss":
		base.Scheme = "https"
	default:
		return nil, fmt.Errorf("the server's URL must begin with http:// or https://, as %s does", DefaultURL)
	}
	if base.Host == "" {
		return nil, fmt.Errorf("the server's URL names no host; one that does is %s", DefaultURL)
	}
	if options.Token == "" {
		options.Token = base.Query().Get("token")
	}
	base.RawQuery, base.Fragment = "", ""
	return &Client{
		options: options,
		base:    base,
		creds:   newCredentials(options),
		buffer:  defaultBuffer,
	}, nil
}

// withoutURL drops the address from an error of package url: it may hold a token.
func withoutURL(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

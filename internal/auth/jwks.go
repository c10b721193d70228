package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"
)

const (
	jwksMaxAge  = 10 * time.Minute // a key withdrawn by the provider lives this long here
	jwksMinAge  = 10 * time.Second // between two fetches, whoever asks
	jwksTimeout = 5 * time.Second
	jwksMaxSize = 1 << 20
)

// remoteKeys are the keys behind a URL, fetched when first needed, when they
// are old, and when a token names a key not among them: that is how rotation is
// noticed. Tokens with invented names cannot make it fetch more than once in
// jwksMinAge. While the provider is away the keys it last gave stay in force.
type remoteKeys struct {
	url    *url.URL
	client *http.Client
	now    func() time.Time
	log    *slog.Logger

	turn chan struct{} // held by the one who fetches

	mu      sync.Mutex
	keys    keySet
	fetched time.Time // last success
	tried   time.Time
	failure error // of the last try
}

func newRemoteKeys(address *url.URL, now func() time.Time, log *slog.Logger) *remoteKeys {
	return &remoteKeys{
		url: address, now: now, log: log, turn: make(chan struct{}, 1),
		client: &http.Client{Timeout: jwksTimeout, CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > 3 {
				return errors.New("too many redirects")
			}
			return checkKeyURL(r.URL)
		}},
	}
}

// checkKeyURL refuses to take keys over a line that others can write on.
func checkKeyURL(u *url.URL) error {
	switch {
	case u.Hostname() == "":
		return errors.New("it has no host")
	case u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	}
	return errors.New("it must begin with https:// (http:// is accepted for localhost only)")
}

// find gives the keys for a token's header. An error means that it cannot be
// said, not that there are none.
func (r *remoteKeys) find(ctx context.Context, alg, kid string) (keySet, error) {
	found, due := r.look(alg, kid)
	switch {
	case !due:
	case len(found) > 0:
		// Someone must refresh, but nobody who has a key need wait for it.
		select {
		case r.turn <- struct{}{}:
			r.refresh(ctx)
			<-r.turn
			found, _ = r.look(alg, kid)
		default:
		}
	default:
		select {
		case r.turn <- struct{}{}:
			if _, due = r.look(alg, kid); due {
				r.refresh(ctx)
			}
			<-r.turn
			found, _ = r.look(alg, kid)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return nil, r.failure
}

// look gives what is known, and whether a fetch is due and allowed.
func (r *remoteKeys) look(alg, kid string) (found keySet, due bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	found = r.keys.find(alg, kid)
	wanted := len(found) == 0 || now.Sub(r.fetched) >= jwksMaxAge
	return found, wanted && (r.tried.IsZero() || now.Sub(r.tried) >= jwksMinAge)
}

// refresh fetches once. Only the holder of turn calls it. That the caller goes
// away does not stop it: others wait for the keys, and anyone could keep
// rotation from being noticed by hanging up.
func (r *remoteKeys) refresh(ctx context.Context) {
	keys, err := r.fetch(context.WithoutCancel(ctx))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tried, r.failure = r.now(), err
	if err != nil {
		r.log.Warn("the keys that tokens are checked with could not be fetched; those fetched before stay in force",
			"url", r.url.Redacted(), "error", err, "known_keys", len(r.keys))
		return
	}
	r.keys, r.fetched = keys, r.tried
}

func (r *remoteKeys) fetch(ctx context.Context) (keySet, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/jwk-set+json, application/json")
	res, err := r.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answered %s", res.Status)
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, jwksMaxSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > jwksMaxSize {
		return nil, fmt.Errorf("it answered with more than %d bytes", jwksMaxSize)
	}
	return parseJWKS(data)
}

package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/parley-dev/parley/model"
)

// List asks a server which models it has, in its own order. Models that only
// embed are left out: they do not answer.
func List(ctx context.Context, client *http.Client, baseURL, key string) ([]string, error) {
	if client == nil {
		client = http.DefaultClient
	}
	unreachable := func(why string) error {
		return &model.Error{Kind: model.Unavailable, Message: fmt.Sprintf(
			"the server at %s does not say which models it has (%s)", hostOf(baseURL), why)}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(baseURL, "/")+"/models", nil)
	if err != nil {
		return nil, unreachable("its address is not a URL")
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, unreachable("nobody answers")
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, unreachable(resp.Status)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	const most = 4 << 20
	if err := json.NewDecoder(io.LimitReader(resp.Body, most)).Decode(&list); err != nil {
		return nil, unreachable("its answer is not a list")
	}
	var names []string
	for _, m := range list.Data {
		if m.ID != "" && !strings.Contains(strings.ToLower(m.ID), "embed") {
			names = append(names, m.ID)
		}
	}
	return names, nil
}

// OllamaURL is the base URL of the server that OLLAMA_HOST names, in any of the
// ways in which that variable may be written; empty means this machine.
func OllamaURL(host string) string {
	const port = "11434"
	scheme, rest := "http", strings.TrimSpace(host)
	if before, after, ok := strings.Cut(rest, "://"); ok {
		scheme, rest = before, after
	}
	place, path, _ := strings.Cut(rest, "/")
	name, given, err := net.SplitHostPort(place)
	if err != nil {
		name, given = strings.Trim(place, "[]"), port
		if scheme == "https" {
			given = "443"
		}
	}
	if name == "" || name == "0.0.0.0" || name == "::" { // where it listens, not where it is
		name = "127.0.0.1"
	}
	u := url.URL{Scheme: scheme, Host: net.JoinHostPort(name, given), Path: "/" + strings.Trim(path, "/")}
	return strings.TrimSuffix(strings.TrimSuffix(u.String(), "/"), "/v1") + "/v1"
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// server is the real program, running.
type server struct {
	*process
	Listen string `json:"listen"`
	URL    string `json:"url"`
}

// serve runs the real program on a data folder. When profiles are wanted, a
// child of this one stands in for it.
func (h *house) serve(ctx context.Context, data, model string) (*server, error) {
	if h.profile != "" {
		return h.serveHere(serving{Data: data, Model: model})
	}
	path, err := h.build(ctx, ".", "./cmd/parley")
	if err != nil {
		return nil, err
	}
	return startServer(path, "serve", "--json", "--listen", "127.0.0.1:0", "--auth", "none", "--no-rate-limits",
		"--log-level", "error", "--model", model, "--workspace", h.tmp, "--data", data)
}

func startServer(path string, args ...string) (*server, error) {
	p, err := start(path, args...)
	if err != nil {
		return nil, err
	}
	s := &server{process: p}
	if err := json.Unmarshal(p.first, s); err != nil {
		p.kill()
		return nil, fmt.Errorf("the server said %q: %w", p.first, err)
	}
	return s, nil
}

// join connects a client to a session, which is made if need be, and waits for
// its state.
func (s *server) join(session string, size int) (*socket, error) {
	c, err := dial(s.Listen, "/ws/"+session, size)
	if err != nil {
		return nil, err
	}
	if _, err := c.next(); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// get asks the REST door, and gives the body's size and how long it took until
// all of it was there.
func get(client *http.Client, url string) (body []byte, seconds float64, err error) {
	begun := time.Now()
	resp, err := client.Get(url)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	seconds = time.Since(begun).Seconds()
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s %s", url, resp.Status, clip(string(body), 200))
	}
	return body, seconds, err
}

// script writes a file for the script model, and gives the model's name.
func (h *house) script(content string) (string, error) {
	dir, err := h.dir("script")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "script.yaml")
	return "script:" + path, os.WriteFile(path, []byte(content), 0o600)
}

// message is a user_message as a client sends it.
func message(content string) []byte {
	b, err := json.Marshal(map[string]any{"type": "user_message", "data": map[string]any{"content": content}})
	if err != nil {
		panic(err) // a string
	}
	return b
}

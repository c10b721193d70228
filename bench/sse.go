package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/parley-dev/parley/model"
)

// modelChild is a model's server as vendors have them: it answers a request
// with server-sent events, one chunk of text in each, sent as soon as it is
// there. GET /?n=20000.
func modelChild(context.Context, []string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", listener.Addr())
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.FormValue("n"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for range n {
			fmt.Fprintf(w, "data: {\"id\":\"chunk\",\"model\":\"bench\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", chunkText)
			w.(http.Flusher).Flush()
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
}

const chunkText = "steady words "

// readModel reads such an answer and yields its text, chunk by chunk.
func readModel(ctx context.Context, url string, yield func(text string) error) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok || string(data) == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta struct {
					Content string `json:"content"`
				} `json:"delta"`
			} `json:"choices"`
		}
		if err := json.Unmarshal(data, &chunk); err != nil {
			return fmt.Errorf("the model said %q: %w", data, err)
		}
		for _, c := range chunk.Choices {
			if err := yield(c.Delta.Content); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}

// sseProvider opens the model behind a URL: "sse:http://…".
func sseProvider() model.Provider {
	return model.Provider{Prefix: "sse:", Open: func(_ context.Context, url string) (model.Model, error) {
		if !strings.HasPrefix(url, "http://") {
			return nil, fmt.Errorf("%q is not the address of a model", url)
		}
		return play(func(ctx context.Context, yield func(string) error) error { return readModel(ctx, url, yield) }), nil
	}}
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"

	"github.com/coder/websocket"
)

// bareChild is what there is without a session server: a WebSocket that passes
// on what a model says, as it comes, to the one who asked, and keeps nothing.
// /stamps?pace=500/5ms makes the chunks itself, /proxy?url=… reads a model.
func bareChild(context.Context, []string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /stamps", func(w http.ResponseWriter, r *http.Request) {
		n, every, err := stampPace(r.FormValue("pace"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		passOn(w, r, func(ctx context.Context, yield func(string) error) error { return stamps(ctx, n, every, yield) })
	})
	mux.HandleFunc("GET /proxy", func(w http.ResponseWriter, r *http.Request) {
		url := r.FormValue("url")
		passOn(w, r, func(ctx context.Context, yield func(string) error) error { return readModel(ctx, url, yield) })
	})
	fmt.Println(listener.Addr())
	return http.Serve(listener, mux)
}

// passOn waits for a message of the client, then sends each chunk in a frame of
// the shape and size that Parley's have, and at last one that says complete.
func passOn(w http.ResponseWriter, r *http.Request, chunks play) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow()
	ctx := r.Context()
	if _, _, err := conn.Read(ctx); err != nil {
		return
	}
	index := 0
	err = chunks(ctx, func(text string) error {
		frame, err := bareFrame("agent_response", index, text)
		if err != nil {
			return err
		}
		index++
		return conn.Write(ctx, websocket.MessageText, frame)
	})
	if err != nil {
		return
	}
	if frame, err := bareFrame("complete", index, ""); err == nil {
		_ = conn.Write(ctx, websocket.MessageText, frame)
	}
}

func bareFrame(kind string, index int, text string) ([]byte, error) {
	type data struct {
		OpenID string `json:"open_id"`
		Index  int    `json:"index"`
		Delta  string `json:"delta"`
	}
	return json.Marshal(struct {
		Type      string `json:"type"`
		SessionID string `json:"session_id"`
		Timestamp string `json:"timestamp"`
		Data      data   `json:"data"`
		AgentID   string `json:"agent_id"`
		MonitorID string `json:"monitor_id"`
	}{kind, "latency", "2026-01-01T00:00:00.000Z", data{"open_0000000006_1", index, text}, "main-monitor-0", "monitor-0"})
}

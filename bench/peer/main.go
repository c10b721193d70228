// Command peer is a small server on top of the centrifuge library, for the
// benchmark to compare fan-out with: its in-memory broker, one channel, and
// WebSocket clients that are subscribed to it when they connect.
//
// It is a module of its own, so that Parley does not depend on what it is
// compared with. It prints its address on one line when it is ready, and
// publishes when asked: POST /publish?n=100&size=500, with &every=20ms slowly.
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/centrifugal/centrifuge"
)

const channel = "bench"

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	node, err := centrifuge.New(centrifuge.Config{})
	if err != nil {
		return err
	}
	node.OnConnecting(func(context.Context, centrifuge.ConnectEvent) (centrifuge.ConnectReply, error) {
		return centrifuge.ConnectReply{
			Credentials:   &centrifuge.Credentials{UserID: "viewer"},
			Subscriptions: map[string]centrifuge.SubscribeOptions{channel: {}},
		}, nil
	})
	if err := node.Run(); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /ws", centrifuge.NewWebsocketHandler(node, centrifuge.WebsocketConfig{
		WriteTimeout:   30 * time.Second, // a viewer that is slow for a moment is not thrown out
		PingPongConfig: centrifuge.PingPongConfig{PingInterval: time.Hour, PongTimeout: time.Minute},
	}))
	mux.HandleFunc("POST /publish", func(w http.ResponseWriter, r *http.Request) {
		if err := publish(node, r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	return http.Serve(listener, mux)
}

// frame is how many bytes the library puts around a publication's data on the
// wire.
const frame = len(`{"push":{"channel":"` + channel + `","pub":{"data":}}}`)

// publish sends n messages that have size bytes on the wire each.
func publish(node *centrifuge.Node, r *http.Request) error {
	n, err := strconv.Atoi(r.FormValue("n"))
	if err != nil {
		return fmt.Errorf("n: %w", err)
	}
	size, err := strconv.Atoi(r.FormValue("size"))
	if err != nil {
		return fmt.Errorf("size: %w", err)
	}
	every := time.Duration(0)
	if text := r.FormValue("every"); text != "" {
		if every, err = time.ParseDuration(text); err != nil {
			return fmt.Errorf("every: %w", err)
		}
	}
	if size < frame+2 {
		return fmt.Errorf("size: at least %d", frame+2)
	}
	data := bytes.Repeat([]byte("x"), size-frame)
	data[0], data[len(data)-1] = '"', '"'
	for range n {
		time.Sleep(every)
		if _, err := node.Publish(channel, data); err != nil {
			return err
		}
	}
	return nil
}

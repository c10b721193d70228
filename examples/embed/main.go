// Command embed mounts Parley inside another program: its own pages under its
// own mux, two servers with data of their own, a model of its own.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/parley-dev/parley"
	"github.com/parley-dev/parley/model"
)

func main() {
	data, err := os.MkdirTemp("", "parley-embed-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(data)
	handler, stop, err := newHandler(data)
	if err != nil {
		log.Fatal(err)
	}
	defer stop()
	fmt.Println("listening on http://127.0.0.1:8080; sessions at /team-a/ws/SESSION and /team-b/ws/SESSION")
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", handler))
}

// newHandler is the program: one page of its own, and a server for each team.
func newHandler(data string) (http.Handler, func(), error) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "This is somebody else's program.")
	})
	var servers []*parley.Server
	stop := func() {
		for _, s := range servers {
			_ = s.Close()
		}
	}
	for _, team := range []string{"team-a", "team-b"} {
		s, err := parley.New(parley.Options{
			Data: filepath.Join(data, team),
			Auth: "none", // this program decides who gets here
			Models: []model.Provider{{
				Prefix: "shout",
				Open:   func(context.Context, string) (model.Model, error) { return shout{}, nil },
			}},
			Model: "shout",
		})
		if err != nil {
			stop()
			return nil, nil, err
		}
		servers = append(servers, s)
		mux.Handle("/"+team+"/", http.StripPrefix("/"+team, s.Handler()))
	}
	return mux, stop, nil
}

// shout is the smallest model: it repeats what was said, louder.
type shout struct{}

func (shout) Info() model.Info { return model.Info{Name: "shout"} }

func (shout) Stream(ctx context.Context, req model.Request, yield func(model.Event) error) error {
	said := req.Messages[len(req.Messages)-1].Text()
	for word := range strings.SplitAfterSeq(strings.ToUpper(said), " ") {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := yield(model.Event{Kind: model.EventTextDelta, Text: word}); err != nil {
			return err
		}
	}
	return yield(model.Event{Kind: model.EventDone, StopReason: model.StopEndTurn})
}

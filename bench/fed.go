package main

import (
	"context"
	"strings"

	"github.com/parley-dev/parley/model"
)

// fedChunk is a piece of text that has about wireSize bytes on the wire when it
// goes out alone.
var fedChunk = strings.Repeat("steady words ", 22)

// fedProvider opens a model that writes as many chunks as it is fed, at once,
// and never ends by itself.
func fedProvider(food <-chan int) model.Provider {
	return model.Provider{Prefix: "fed", Open: func(context.Context, string) (model.Model, error) {
		return play(func(ctx context.Context, yield func(string) error) error {
			for {
				select {
				case n := <-food:
					for range n {
						if err := yield(fedChunk); err != nil {
							return err
						}
					}
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}), nil
	}}
}

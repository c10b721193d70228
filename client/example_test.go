package client_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/parley-dev/parley/client"
	"github.com/parley-dev/parley/protocol"
)

// Say something to an agent and print its answer as it is written, whatever
// happens to the connection meanwhile.
func Example() {
	ctx := context.Background()
	c, err := client.New(client.Options{URL: client.DefaultURL, Token: os.Getenv("PARLEY_TOKEN")})
	if err != nil {
		log.Fatal(err)
	}
	conn, err := c.Dial(ctx, "demo", client.DialOptions{Create: true})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.SendMessage(ctx, "Summarise this folder."); err != nil {
		log.Fatal(err)
	}
	var texts client.Texts
	for event, err := range conn.Follow(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		for _, text := range texts.Apply(event) {
			fmt.Print(text.Added)
		}
		if event.Type == protocol.TypeComplete || event.Type == protocol.TypeFailed {
			break
		}
	}
}

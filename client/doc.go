// Package client talks to a Parley server: dial a session, follow what happens
// in it, send to it.
//
//	c, err := client.New(client.Options{URL: "http://127.0.0.1:7717", Token: token})
//	conn, err := c.Dial(ctx, "sess_abc123", client.DialOptions{})
//	defer conn.Close()
//	conn.SendMessage(ctx, "Summarise this folder.")
//	for event, err := range conn.Follow(ctx) {
//		…
//	}
//
// It promises that a lost connection is the client's business and not the
// caller's. Conn reconnects by itself and resumes where it was: every record
// comes once and in order, however often the line was cut, and a command is
// sent again until the server has acknowledged it, which acts on it once. What
// the caller sees of a reconnect is a fresh session_state, marked Reconnected.
//
// It refuses to come back when the server asks it not to (close codes 4500 to
// 4999): Follow and Send then give a *CloseError. Errors of the server are
// *protocol.Error, in every method.
//
// Beside the connection there are methods for the parts of the REST API that a
// program needs most; Call reaches the rest.
package client

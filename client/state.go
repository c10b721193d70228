package client

// State is how far a connection is.
type State string

const (
	// Disconnected: before Dial and after Close.
	Disconnected State = "disconnected"
	// Connecting: the first handshake is under way.
	Connecting State = "connecting"
	// Connected: the line is open, the session's state has not come yet.
	Connected State = "connected"
	// Active: events come and commands go.
	Active State = "active"
	// Reconnecting: the line was lost; Conn waits, or tries to come back.
	Reconnecting State = "reconnecting"
	// Failed: it will not come back. Follow and Send say why.
	Failed State = "failed"
)

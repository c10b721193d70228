package protocol

// Family tells what a type is: asked for, happened, or passing.
type Family uint8

const (
	// Command is what a client or an agent asks for. It is never stored.
	Command Family = iota + 1
	// Fact is a record: it has a sequence number, is stored and sent to every client.
	Fact
	// Signal is passing: it is replaced by the next one and never stored.
	Signal
)

func (f Family) String() string {
	switch f {
	case Command:
		return "command"
	case Fact:
		return "record"
	case Signal:
		return "signal"
	}
	return "unknown"
}

// Type names a record, command or signal on the wire.
type Type string

package session

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-dev/parley/protocol"
)

// How many accepted client messages are remembered in a scope, and in how many
// scopes: enough for any client that resends after a reconnect, and a bound on
// the state's size.
const (
	memoryPerScope = 1024
	memoryScopes   = 64
)

// Memory is the accepted messages of one scope, oldest first.
type Memory struct {
	Entries []Accepted
}

// Accepted is a client message that was acted on.
type Accepted struct {
	ID     string
	Digest string
	Seq    uint64 // the first record it gave
}

// MarshalText writes a line for each message: sequence, digest, id. A snapshot
// holds thousands of them, and as JSON objects they would be most of the cost of
// opening a session. An id has no line breaks: a frame with one is refused.
func (m Memory) MarshalText() ([]byte, error) {
	b := make([]byte, 0, 64*len(m.Entries))
	for _, e := range m.Entries {
		b = strconv.AppendUint(b, e.Seq, 10)
		b = append(append(append(append(append(b, ' '), e.Digest...), ' '), e.ID...), '\n')
	}
	return b, nil
}

// UnmarshalText reads what MarshalText wrote.
func (m *Memory) UnmarshalText(b []byte) error {
	m.Entries = nil
	for line := range strings.Lines(string(b)) {
		seq, rest, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		digest, id, ok2 := strings.Cut(rest, " ")
		n, err := strconv.ParseUint(seq, 10, 64)
		if !ok || !ok2 || err != nil {
			return fmt.Errorf("accepted message %q is not of the form SEQ DIGEST ID", line)
		}
		m.Entries = append(m.Entries, Accepted{ID: id, Digest: digest, Seq: n})
	}
	return nil
}

// Seen says whether a client message was acted on before, and with which
// record. The same id with other content is an error.
func (l *Ledger) Seen(c *protocol.Cause) (seq uint64, seen bool, err error) {
	if c == nil {
		return 0, false, nil
	}
	entries := l.Keys[c.Scope].Entries
	for i := len(entries) - 1; i >= 0; i-- {
		e := entries[i]
		if e.ID != c.MessageID {
			continue
		}
		if e.Digest != c.Digest {
			return 0, false, protocol.Errorf(protocol.CodeInvalidMessage,
				"message_id %q was used before for another message; give each message an id of its own", c.MessageID)
		}
		return e.Seq, true, nil
	}
	return 0, false, nil
}

func (l *Ledger) remember(r protocol.Record) {
	if l.Keys == nil {
		l.Keys = map[string]Memory{}
	}
	m := l.Keys[r.Cause.Scope]
	if n := len(m.Entries); n >= memoryPerScope {
		m.Entries = m.Entries[n-memoryPerScope+1:] // append moves the rest now and then
	}
	m.Entries = append(m.Entries, Accepted{ID: r.Cause.MessageID, Digest: r.Cause.Digest, Seq: r.Seq})
	l.Keys[r.Cause.Scope] = m
	if len(l.Keys) > memoryScopes {
		delete(l.Keys, l.oldestScope())
	}
}

func (l *Ledger) oldestScope() string {
	oldest, at := "", uint64(0)
	for scope, m := range l.Keys {
		last := m.Entries[len(m.Entries)-1].Seq
		if oldest == "" || last < at {
			oldest, at = scope, last
		}
	}
	return oldest
}

package protocol

import (
	"fmt"
	"strconv"
	"strings"
)

// Prefixes of the ids that Parley makes. Ids born inside a session derive from
// the sequence number of the record that made them, so they sort and need no
// randomness.
const (
	SessionPrefix    = "sess_"
	MessagePrefix    = "msg_"
	TurnPrefix       = "turn_"
	PlanPrefix       = "plan_"
	TodoPrefix       = "todo_"
	RequestPrefix    = "hitl_"
	OpenPrefix       = "open_"
	WindowPrefix     = "win_"
	CheckpointPrefix = "ckpt_"
	RewindPrefix     = "rew_"
	CondensePrefix   = "cond_"
	TruncatePrefix   = "trunc_"
)

// DefaultMonitor exists in every session from its first record.
const DefaultMonitor = "monitor-0"

// MainAgent is the canonical id of the agent that owns a monitor's conversation.
func MainAgent(monitor string) string { return "main-" + monitor }

const idDigits = 10

// ID gives the id with the given prefix that belongs to a sequence number.
func ID(prefix string, seq uint64) string {
	b := make([]byte, 0, 32)
	b = append(b, prefix...)
	for power := uint64(1_000_000_000); power > max(seq, 1); power /= 10 {
		b = append(b, '0')
	}
	return string(strconv.AppendUint(b, seq, 10))
}

// MessageID is the id of the record with this sequence number: a cursor.
func MessageID(seq uint64) string { return ID(MessagePrefix, seq) }

// ParseMessageID gives the sequence number a cursor stands for.
func ParseMessageID(id string) (uint64, error) {
	seq, err := ParseID(MessagePrefix, id)
	if err != nil {
		return 0, fmt.Errorf("message %w", err)
	}
	return seq, nil
}

// ParseID gives the sequence number that an id with a prefix stands for.
func ParseID(prefix, id string) (uint64, error) {
	digits, ok := strings.CutPrefix(id, prefix)
	if !ok || len(digits) < idDigits || len(digits) > 19 {
		return 0, fmt.Errorf("id %q is not of the form %s", clip(id, 40), ID(prefix, 42))
	}
	if len(digits) > idDigits && digits[0] == '0' {
		return 0, fmt.Errorf("id %q has too many digits", clip(id, 40))
	}
	seq, err := strconv.ParseUint(digits, 10, 63)
	if err != nil {
		return 0, fmt.Errorf("id %q is not of the form %s", clip(id, 40), ID(prefix, 42))
	}
	return seq, nil
}

// CheckSessionID refuses a session id that a client may not choose.
func CheckSessionID(id string) error {
	if id == "" || len(id) > 64 {
		return fmt.Errorf("session id must have 1 to 64 characters, not %d", len(id))
	}
	for i := range len(id) {
		c := id[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-') {
			return fmt.Errorf("session id may hold letters, digits, '.', '_' and '-' only, not %q", c)
		}
	}
	if id == "." || id == ".." {
		return fmt.Errorf("session id may not be %q", id)
	}
	return nil
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

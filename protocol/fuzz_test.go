package protocol_test

import (
	"bytes"
	"testing"
	"unicode"

	"github.com/parley-dev/parley/protocol"
)

func addGolden(f *testing.F) {
	for _, s := range protocol.Table() {
		f.Add(golden(f, s))
		f.Add(compact(f, golden(f, s)))
	}
}

// FuzzDecodeCommand: nothing panics, and what is accepted means the same when
// it is written and read again.
func FuzzDecodeCommand(f *testing.F) {
	addGolden(f)
	f.Add([]byte(`{"type":"pong","data":{"a":[1,2,{"b":null}]},"data":{}}`))
	f.Fuzz(func(t *testing.T, frame []byte) {
		e, payload, refused := protocol.DecodeCommand(frame, protocol.Limits{})
		if refused != nil {
			if refused.Name == "" || refused.Message == "" || bytes.ContainsFunc([]byte(refused.Message), unicode.IsControl) {
				t.Errorf("an error nobody can read: %q", refused.Message)
			}
			return
		}
		once, err := e.Encode(payload)
		if err != nil {
			t.Fatal(err)
		}
		e2, payload2, refused := protocol.DecodeCommand(once, protocol.Limits{Bytes: len(once), Values: 1 << 20})
		if refused != nil {
			t.Fatalf("%v: %s", refused, once)
		}
		twice, err := e2.Encode(payload2)
		if err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%v\n once %s\ntwice %s", err, once, twice)
		}
		if protocol.Digest(e) == "" {
			t.Error("no digest")
		}
	})
}

// FuzzDecodeRecord: nothing panics, and what is accepted is stable.
func FuzzDecodeRecord(f *testing.F) {
	addGolden(f)
	f.Fuzz(func(t *testing.T, frame []byte) {
		_, _, _ = protocol.DecodeFrame(frame)
		r, err := protocol.DecodeRecord(frame)
		if err != nil {
			return
		}
		once, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		r2, err := protocol.DecodeRecord(once)
		if err != nil {
			t.Fatalf("%v: %s", err, once)
		}
		twice, err := r2.Encode()
		if err != nil || !bytes.Equal(once, twice) || r2.Seq != r.Seq || r2.Type != r.Type {
			t.Errorf("%v\n once %s\ntwice %s", err, once, twice)
		}
		if _, payload, err := protocol.DecodeFrame(protocol.WithSession(once, "sess_a")); err != nil || payload == nil {
			t.Errorf("a client cannot read it: %v: %s", err, once)
		}
	})
}

func FuzzParseMessageID(f *testing.F) {
	for _, id := range []string{"msg_0000000000", "msg_0000000042", "msg_12345678901", "msg_9223372036854775807", "msg_9223372036854775808", "msg_00000000001", "msg_", "msg_+000000001", "", "MSG_0000000001"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		seq, err := protocol.ParseMessageID(id)
		if err != nil {
			return
		}
		if got := protocol.MessageID(seq); got != id {
			t.Errorf("%q is read as %d, which is written %q", id, seq, got)
		}
	})
}

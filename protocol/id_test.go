package protocol

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

func TestIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seq := rapid.OneOf(rapid.Uint64Range(0, 20), rapid.Uint64Range(0, 1<<62), rapid.Uint64Range(999_999_990, 10_000_000_010)).Draw(t, "seq")
		id := MessageID(seq)
		if want := fmt.Sprintf("msg_%010d", seq); id != want {
			t.Fatalf("id %s, want %s", id, want)
		}
		if back, err := ParseMessageID(id); err != nil || back != seq {
			t.Fatalf("%s gives %d (%v)", id, back, err)
		}
	})
}

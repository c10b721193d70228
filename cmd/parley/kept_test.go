package main

import (
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/workspace"
	"github.com/parley-dev/parley/protocol"
)

// Every reason has words.
func TestKeptIsWorded(t *testing.T) {
	for _, reason := range []workspace.KeptReason{
		workspace.KeptPerson, workspace.KeptConflict, workspace.KeptMeanwhile, workspace.KeptNotCaptured,
		workspace.KeptIgnored, workspace.KeptInTheWay, workspace.KeptOtherMount, workspace.KeptFailed,
	} {
		if words := whyKept(string(reason)); words == string(reason) || !strings.Contains(words, " ") {
			t.Errorf("%s has no words: %q", reason, words)
		}
	}
	for reason, want := range map[string]string{
		"failed: open x: denied": "the system refused: open x: denied", "new_reason": "new_reason", "new: b": "new: b",
	} {
		if got := whyKept(reason); got != want {
			t.Errorf("%s: %q", reason, got)
		}
	}
	var out strings.Builder
	(&program{out: &out}).printKept([]protocol.KeptFile{{Path: "a\x1b", Reason: "meanwhile", Offer: "/trash/\x07"}}, false)
	if want := "  a\\x1b stays as it is: it was changed while the files went back\n    what was written to it last lies in /trash/\\a\n"; out.String() != want {
		t.Errorf("printed %q", out.String())
	}
}

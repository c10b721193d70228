package main

import (
	"fmt"
	"strings"

	"github.com/parley-dev/parley/protocol"
)

// printKept names the files that do not go back, why, and where to find what
// would have taken their place.
func (p *program) printKept(kept []protocol.KeptFile, preview bool) {
	stays := "stays"
	if preview {
		stays = "would stay"
	}
	for _, k := range kept {
		fmt.Fprintf(p.out, "  %s %s as it is: %s\n", visible(k.Path), stays, visible(whyKept(k.Reason)))
		if k.Offer != "" {
			fmt.Fprintf(p.out, "    %s lies in %s\n", offered(k.Reason), visible(k.Offer))
		}
	}
}

// whyKept words the reason for which a file stays. One that is not known here, of
// a newer server, is shown as it is.
func whyKept(reason string) string {
	word, detail, _ := strings.Cut(reason, ": ")
	words, ok := map[string]string{
		"edited":       "it was changed since, and not by a tool of this session",
		"conflict":     "it was changed since in the same lines, or is not text",
		"meanwhile":    "it was changed while the files went back",
		"not_captured": "what it was before is in no checkpoint",
		"ignored":      "it was ignored before the agent changed it",
		"in_the_way":   "something that is in no checkpoint lies in its place",
		"other_mount":  "it lies on another file system",
		"failed":       "the system refused",
	}[word]
	switch {
	case !ok:
		return reason
	case detail != "":
		return words + ": " + detail
	}
	return words
}

// offered says what lies in the trash for a file that stays.
func offered(reason string) string {
	if reason == "meanwhile" {
		return "what was written to it last"
	}
	return "the version that would have taken its place"
}

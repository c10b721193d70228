package engine_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/protocol"
)

// hider takes one value out of texts, as the server's own does.
type hider struct{ value string }

func (h hider) Redact(text string) string {
	inJSON, _ := json.Marshal(h.value)
	return strings.NewReplacer(h.value, "[secret:KEY]", string(inJSON[1:len(inJSON)-1]), "[secret:KEY]").Replace(text)
}
func (h hider) Stream() engine.TextFilter { return through{} }

type through struct{}

func (through) Write(piece string) string { return piece }
func (through) Close() string             { return "" }

func hiding(value string) func(*engine.Options) {
	return func(o *engine.Options) { o.Redact = hider{value} }
}

// A text that is too long for a record is no way around: the blob is clean too.
func TestLongTextHoldsNoSecret(t *testing.T) {
	h := open(t, t.TempDir(), runner{say("fine")}, hiding("sk-hush-hush"))
	defer h.close(t)
	talked(t, h, "s", "it is sk-hush-hush "+strings.Repeat("x", 4071)+"sk-hush-hush"+strings.Repeat("y", 70<<10)+"sk-hush-hush")
	for _, raw := range h.blobs.data {
		if strings.Contains(string(raw), "sk-hush") {
			t.Error("a blob holds the secret")
		}
	}
	if branches, err := h.Branches(context.Background(), "s"); err != nil || strings.Contains(branches[0].Words, "sk-hu") || strings.Contains(h.stateOf(t, "s"), "sk-hu") {
		t.Errorf("the state holds the secret: %+v (%v)", branches, err)
	}
	page, err := h.Records(context.Background(), "s", 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range page {
		if strings.Contains(string(f.JSON), "sk-hu") {
			t.Errorf("a record holds the beginning of the secret: %.60s", f.JSON)
		}
	}
}

// A value that is a word of the protocol, a number, or begins like an escape,
// changes what people wrote and nothing else.
func TestSecretsThatLookLikeStructure(t *testing.T) {
	for _, value := range []string{"timestamp", "message_accepted", "session_created", "nationwide", `a"b"c"d"e`, `back\slash`, "turn_id\":", "20260206"} {
		t.Run(value, func(t *testing.T) {
			dir := t.TempDir()
			h := open(t, dir, runner{say("fine")}, hiding(value))
			talked(t, h, "s", "before "+value+" after\nationwide")
			want := h.stateOf(t, "s")
			page, err := h.Read(context.Background(), "s", 0, 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range page {
				if m, ok := r.Data.(*protocol.MessageRecord); ok && (strings.Contains(m.Message.Text, value) || r.Time.IsZero()) {
					t.Errorf("stored %+v", r)
				}
			}
			h.close(t)
			h = open(t, dir, runner{say("fine")}, hiding(value))
			defer h.close(t)
			if got := h.stateOf(t, "s"); got != want {
				t.Errorf("after a restart\n%s\nbefore\n%s", got, want)
			}
		})
	}
}

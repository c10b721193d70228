package exchange_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-dev/parley/internal/exchange"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/protocol"
)

func readBack(rt *rapid.T, f exchange.Format, b []byte) *exchange.Incoming {
	in, err := exchange.Read(context.Background(), f, source(b), exchange.Options{Now: noon})
	if err != nil {
		rt.Fatal(err)
	}
	return in
}

// What goes out as an archive and comes in again goes out as the same bytes.
func TestArchiveIsExact(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tp := anyTape(rt)
		first := tp.export(rt, exchange.Archive)
		in := readBack(rt, exchange.Archive, first)
		var stored []journal.Record
		blobs := map[string][]byte{}
		for i, frame := range in.Frames {
			stored = append(stored, journal.Record{Seq: uint64(i) + 1, Frame: frame})
		}
		for _, hash := range in.Blobs {
			content, err := in.Blob(hash)
			if err != nil {
				rt.Fatal(err)
			}
			blobs[hash] = content
		}
		var second bytes.Buffer
		if err := exchange.Export(context.Background(), &second, exchange.Archive, session(stored, blobs)); err != nil {
			rt.Fatal(err)
		}
		if !bytes.Equal(first, second.Bytes()) {
			rt.Fatal("the second archive is not the first")
		}
		if len(in.Report.Problems) > 0 {
			rt.Fatalf("problems: %v", in.Report.Problems)
		}
	})
}

// A session that goes out as a task folder and comes in again shows the same
// and tells the model the same.
func TestRooThereAndBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tp := anyTape(rt)
		in, err := exchange.Read(context.Background(), exchange.Roo, source(tp.export(rt, exchange.Roo)), exchange.Options{Now: noon})
		visible := tp.visible()
		if len(visible) == 0 || len(shown(visible)) == 0 && len(heard(visible)) == 0 {
			if err == nil {
				rt.Fatal("an empty folder was taken")
			}
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		all := records(t, in)
		if diff := cmp.Diff(lines(t, shown(visible)), lines(t, shown(all))); diff != "" {
			rt.Fatalf("shown:\n%s", diff)
		}
		if diff := cmp.Diff(said(heard(visible)), said(heard(all))); diff != "" {
			rt.Fatalf("told:\n%s", diff)
		}
		if len(in.Report.Problems) > 0 {
			rt.Fatalf("problems: %v", in.Report.Problems)
		}
	})
}

// Summaries and truncations go out as marks over what they hide, and come back
// as the messages that they were.
func TestRooMarksThereAndBack(t *testing.T) {
	tp := newTape()
	tp.say(protocol.RoleUser, protocol.SayText, "one")
	tp.say(protocol.RoleAssistant, protocol.SayText, "two")
	keep := tp.say(protocol.RoleUser, protocol.SayUserFeedback, "three")
	tp.message(protocol.RoleSystem, protocol.Message{Say: protocol.SayCondenseContext, ContextCondense: &protocol.Condensed{
		Summary: "one and two", CondenseID: "c1", PrevContextTokens: 9, NewContextTokens: 4, KeepsFrom: protocol.MessageID(keep),
	}})
	four := tp.say(protocol.RoleAssistant, protocol.SayText, "four")
	tp.message(protocol.RoleSystem, protocol.Message{Say: protocol.SaySlidingWindowTruncation, ContextTruncation: &protocol.Truncated{
		TruncationID: "t1", MessagesRemoved: 1, KeepsFrom: protocol.MessageID(four),
	}})
	tp.say(protocol.RoleUser, protocol.SayUserFeedback, "five")
	packed := tp.export(t, exchange.Roo)
	var turns []map[string]any
	if err := json.Unmarshal(unzip(t, packed)["api_conversation_history.json"], &turns); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, turn := range turns {
		line := ""
		for _, key := range []string{"isSummary", "condenseId", "isTruncationMarker", "truncationId", "condenseParent", "truncationParent"} {
			switch v := turn[key].(type) {
			case bool:
				line += " " + key
			case string:
				line += " " + key + "=" + v
			}
		}
		text, _ := json.Marshal(turn["content"])
		got = append(got, string(text)+line)
	}
	want := []string{
		`[{"text":"one","type":"text"}] condenseParent=c1`,
		`[{"text":"two","type":"text"}] condenseParent=c1 truncationParent=t1`,
		`"one and two" isSummary condenseId=c1`,
		`[{"text":"three","type":"text"}] truncationParent=t1`,
		`"[Messages before this one are hidden to save room.]" isTruncationMarker truncationId=t1`,
		`[{"text":"four","type":"text"}]`,
		`[{"text":"five","type":"text"}]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	all := records(t, mustRead(t, exchange.Roo, packed))
	if diff := cmp.Diff(lines(t, shown(tp.visible())), lines(t, shown(all))); diff != "" {
		t.Errorf("shown:\n%s", diff)
	}
	kept := map[string]string{}
	for _, r := range all {
		if d, ok := r.Data.(*protocol.MessageRecord); ok {
			if d.Message.ContextCondense != nil {
				kept["c1"] = d.Message.ContextCondense.KeepsFrom
			}
			if d.Message.ContextTruncation != nil {
				kept["t1"] = d.Message.ContextTruncation.KeepsFrom
			}
			switch d.Message.Text {
			case "three", "four":
				kept[d.Message.Text] = r.ID()
			}
		}
	}
	if kept["c1"] != kept["three"] || kept["t1"] != kept["four"] {
		t.Errorf("kept %v", kept)
	}
}

// jsonl holds every record, hidden ones too, and comes back in the same bytes
// as long as nothing in it refers to a blob.
func TestJSONLIsExact(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tp := anyTape(rt)
		in := readBack(rt, exchange.JSONL, tp.export(rt, exchange.JSONL))
		frames := tp.frames(rt)
		if len(in.Frames) != len(frames) || in.ID != "sess_1" {
			rt.Fatalf("%d of %d frames of %s: %v", len(in.Frames), len(frames), in.ID, in.Report.Problems)
		}
		for i, f := range in.Frames {
			if len(tp.records[i].Blobs()) == 0 && !bytes.Equal(f, frames[i].Frame) {
				rt.Fatalf("record %d: %s", i+1, f)
			}
			if strings.Contains(string(f), "text_blob") {
				rt.Fatalf("record %d refers to a blob: %s", i+1, f)
			}
		}
	})
}

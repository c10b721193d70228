package exchange_test

import (
	"context"
	"errors"
	"testing"

	"github.com/parley-dev/parley/internal/exchange"
	"github.com/parley-dev/parley/protocol"
)

// sound checks what holds of whatever was read: it can be stored, it folds, and
// the messages' times rise.
func sound(t *testing.T, f exchange.Format, b []byte) {
	small := exchange.Limits{File: 1 << 20, Frame: 1 << 16, Frames: 1 << 20, Records: 1000, Blob: 1 << 20}
	in, err := exchange.Read(context.Background(), f, source(b), exchange.Options{Limits: small, Now: noon})
	if err != nil {
		var r *exchange.Refusal
		if !errors.As(err, &r) {
			t.Fatalf("not a refusal: %v", err)
		}
		return
	}
	all := records(t, in)
	if len(all) > small.Records {
		t.Fatalf("%d records", len(all))
	}
	if in.ID != "" && protocol.CheckSessionID(in.ID) != nil {
		t.Fatalf("id %q", in.ID)
	}
	shown(all)
	heard(all)
	if len(in.Records) == 0 {
		return
	}
	var ts int64
	for _, r := range all {
		d, ok := r.Data.(*protocol.MessageRecord)
		if !ok || d.Action != protocol.MessageCreated {
			continue
		}
		if d.Message.Ts <= ts {
			t.Fatalf("record %d: ts %d after %d", r.Seq, d.Message.Ts, ts)
		}
		ts = d.Message.Ts
		if len(r.Blobs()) > 0 {
			t.Fatalf("record %d refers to a blob", r.Seq)
		}
	}
}

func FuzzArchive(f *testing.F) {
	tp := talk()
	tp.long(protocol.RoleUser, "long")
	f.Add(tp.export(f, exchange.Archive))
	f.Fuzz(func(t *testing.T, b []byte) { sound(t, exchange.Archive, b) })
}

func FuzzJSONL(f *testing.F) {
	f.Add(talk().export(f, exchange.JSONL))
	f.Add([]byte(`{"type":"session_created","message_id":"msg_0000000001","timestamp":null,"data":{}}`))
	f.Fuzz(func(t *testing.T, b []byte) { sound(t, exchange.JSONL, b) })
}

func FuzzRoo(f *testing.F) {
	ui, api := "", ""
	for _, file := range folder(f, "roo") {
		switch file.name {
		case "ui_messages.json":
			ui = file.content
		case "api_conversation_history.json":
			api = file.content
		}
	}
	f.Add(ui, api, `{"id":"a"}`)
	f.Fuzz(func(t *testing.T, ui, api, item string) {
		sound(t, exchange.Roo, tarOf(t, file{name: "ui_messages.json", content: ui},
			file{name: "api_conversation_history.json", content: api}, file{name: "history_item.json", content: item}))
	})
}

func FuzzFolder(f *testing.F) {
	f.Add(tarOf(f, folder(f, "yaar")...))
	f.Add(zipOf(f, folder(f, "roo")...))
	f.Fuzz(func(t *testing.T, b []byte) {
		sound(t, exchange.Yaar, b)
		sound(t, exchange.Roo, b)
	})
}

func FuzzYaar(f *testing.F) {
	for _, file := range folder(f, "yaar") {
		f.Add(file.content)
	}
	f.Fuzz(func(t *testing.T, log string) {
		sound(t, exchange.Yaar, tarOf(t, file{name: "messages.jsonl", content: log}))
	})
}

func FuzzStore(f *testing.F) {
	f.Add(talk().export(f, exchange.Store))
	f.Fuzz(func(t *testing.T, b []byte) { sound(t, exchange.Store, b) })
}

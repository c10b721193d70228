package protocol_test

import (
	"testing"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// sample is a record of about 450 bytes, the size of an ordinary message.
func sample() protocol.Record {
	return protocol.Record{
		Seq: 4242, Type: protocol.TypeMessage, Time: time.UnixMilli(1770372000123),
		AgentID: "main-monitor-0", MonitorID: protocol.DefaultMonitor,
		Data: &protocol.MessageRecord{
			Action: protocol.MessageCreated, OpenID: "open_0000004200", TurnID: "turn_0000004100", Role: protocol.RoleAssistant,
			Message: protocol.Message{
				Ts: 1770372000123, Type: protocol.KindSay, Say: protocol.SayText,
				Text: "라네즈 리뷰 987건을 읽었습니다. 78% are positive; a <b>negative</b> one mentions the scent & the price. See /reports/sentiment.png for the chart.",
			},
		},
	}
}

func BenchmarkEncode(b *testing.B) {
	r := sample()
	b.ReportAllocs()
	for b.Loop() {
		frame, err := r.Encode()
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(frame)))
	}
}

func BenchmarkDecodeRecord(b *testing.B) {
	frame, err := sample().Encode()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := protocol.DecodeRecord(frame); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWithSession(b *testing.B) {
	frame, err := sample().Encode()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	var dst []byte
	for b.Loop() {
		dst = protocol.AppendWithSession(dst[:0], frame, "sess_abc123")
	}
}

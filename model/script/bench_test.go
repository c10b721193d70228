package script

import (
	"testing"

	"github.com/parley-dev/parley/model"
)

// What reading a long unpaced answer costs when nothing else does.
func BenchmarkGenerate(b *testing.B) {
	s := parse(b, `turns: [{generate: {deltas: 20000, text: "word "}, repeat: forever}]`)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Stream(b.Context(), model.Request{}, func(model.Event) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

package protocol_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parley-dev/parley/protocol"
)

var update = flag.Bool("update", false, "write the golden files in the form that Encode gives")

func goldenPath(s protocol.Spec) string {
	return filepath.Join("testdata", "golden", s.Family.String(), string(s.Type)+".json")
}

func golden(t testing.TB, s protocol.Spec) []byte {
	t.Helper()
	frame, err := os.ReadFile(goldenPath(s))
	if err != nil {
		t.Fatal(err)
	}
	return frame
}

// strict decodes a frame and refuses fields that the structs do not have.
func strict(frame []byte, s protocol.Spec) (protocol.Envelope, any, error) {
	var e protocol.Envelope
	if err := strictInto(frame, &e); err != nil {
		return e, nil, err
	}
	payload := s.New()
	return e, payload, strictInto(e.Data, payload)
}

func strictInto(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}

// TestGolden holds the wire: what was written once reads and writes the same for ever.
func TestGolden(t *testing.T) {
	for _, s := range protocol.Table() {
		t.Run(string(s.Type), func(t *testing.T) {
			frame := golden(t, s)
			e, payload, err := strict(frame, s)
			if err != nil {
				t.Fatal(err)
			}
			if e.Type != s.Type {
				t.Fatalf("type is %q", e.Type)
			}
			again, err := e.Encode(payload)
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				write(t, goldenPath(s), again)
				return
			}
			if want := compact(t, frame); !bytes.Equal(again, want) {
				t.Errorf("written anew it differs\n got %s\nwant %s", again, want)
			}
		})
	}
}

func TestGoldenRecordsDecode(t *testing.T) {
	for _, s := range protocol.Table() {
		if s.Family != protocol.Fact {
			continue
		}
		frame := compact(t, golden(t, s))
		r, err := protocol.DecodeRecord(frame)
		if err != nil {
			t.Errorf("%s: %v", s.Type, err)
			continue
		}
		if again, err := r.Encode(); err != nil || !bytes.Equal(again, frame) {
			t.Errorf("%s: %v\n got %s\nwant %s", s.Type, err, again, frame)
		}
	}
}

func TestGoldenFilesMatchTable(t *testing.T) {
	have, err := filepath.Glob("testdata/golden/*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, s := range protocol.Table() {
		want = append(want, goldenPath(s))
	}
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("golden files and table differ\nfiles %v\ntable %v", have, want)
	}
}

// otherwise lists fields that exclude the one that the golden file has.
var otherwise = map[protocol.Type][]string{
	protocol.TypeMessage:       {"Message.ask"},
	protocol.TypeRewind:        {"Rewind.ts", "Rewind.index"},
	protocol.TypeEditMessage:   {"EditMessage.message_id"},
	protocol.TypeDeleteMessage: {"DeleteMessage.ts"},
}

// TestGoldenIsWhole wants every field of every payload in its golden file.
func TestGoldenIsWhole(t *testing.T) {
	for _, s := range protocol.Table() {
		e, _, err := strict(golden(t, s), s)
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]bool)
		var value any
		if err := json.Unmarshal(e.Data, &value); err != nil {
			t.Fatal(err)
		}
		walk(reflect.TypeOf(s.New()), value, seen)
		for _, field := range slices.Sorted(maps.Keys(seen)) {
			if !seen[field] && !slices.Contains(otherwise[s.Type], field) {
				t.Errorf("%s is missing in %s: add an example of it", field, goldenPath(s))
			}
		}
	}
}

// walk notes for each field of each struct inside t whether value has it.
func walk(t reflect.Type, value any, seen map[string]bool) {
	if t.Implements(reflect.TypeFor[json.Marshaler]()) {
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		walk(t.Elem(), value, seen)
	case reflect.Slice:
		list, _ := value.([]any)
		if len(list) == 0 {
			walk(t.Elem(), nil, seen)
		}
		for _, v := range list {
			walk(t.Elem(), v, seen)
		}
	case reflect.Struct:
		object, _ := value.(map[string]any)
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			v, ok := object[name]
			key := fmt.Sprintf("%s.%s", t.Name(), name)
			seen[key] = seen[key] || ok && v != nil
			walk(f.Type, v, seen)
		}
	}
}

func compact(t testing.TB, frame []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, frame); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func write(t *testing.T, path string, frame []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, frame, "", "  "); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

package exchange_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/exchange"
	"github.com/parley-dev/parley/protocol"
)

// refused reads a file and gives why it was not taken.
func refused(t *testing.T, f exchange.Format, b []byte) string {
	t.Helper()
	in, err := read(t, f, b)
	var r *exchange.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("got %+v and %v, want a refusal", in, err)
	}
	return err.Error()
}

func TestFoldersThatMeanHarm(t *testing.T) {
	task := file{name: "ui_messages.json", content: "[]"}
	for name, c := range map[string]struct {
		files []file
		want  string
	}{
		"a way out":           {[]file{task, {name: "../../etc/cron.d/x", content: "x"}}, "outside of its folder"},
		"a hidden way out":    {[]file{task, {name: "a/../../x", content: "x"}}, "outside of its folder"},
		"a way out, Windows":  {[]file{task, {name: `..\x`, content: "x"}}, "outside of its folder"},
		"a drive":             {[]file{task, {name: `C:\x`, content: "x"}}, "outside of its folder"},
		"a whole path":        {[]file{task, {name: "/etc/passwd", content: "x"}}, "outside of its folder"},
		"a link":              {[]file{{name: "ui_messages.json", link: "/etc/passwd"}}, "a link or a device"},
		"several tasks":       {[]file{{name: "a/ui_messages.json", content: "[]"}, {name: "b/ui_messages.json", content: "[]"}}, "several folders"},
		"the same file twice": {[]file{task, task}, "several folders"},
		"no task":             {[]file{{name: "readme.txt", content: "x"}}, "no task folder"},
		"an empty task":       {[]file{task}, "nothing of the file can be read"},
	} {
		for kind, packed := range map[string][]byte{"tar": tarOf(t, c.files...), "zip": zipOf(t, c.files...)} {
			if got := refused(t, exchange.Roo, packed); !strings.Contains(got, c.want) {
				t.Errorf("%s as %s: %q does not say %q", name, kind, got, c.want)
			}
		}
	}
	if got := refused(t, exchange.Roo, []byte("hello, I am no folder at all")); !strings.Contains(got, "neither a zip nor a tar") {
		t.Error(got)
	}
}

// A small file that unpacks to a large one is refused by what it says, and
// stopped by what it does.
func TestBomb(t *testing.T) {
	limits := exchange.Limits{File: 1 << 20}
	honest := zipOf(t, file{name: "ui_messages.json", content: strings.Repeat(" ", 8<<20) + "[]"})
	if len(honest) > 64<<10 {
		t.Fatalf("the bomb has %d bytes", len(honest))
	}
	var lying bytes.Buffer
	w := zip.NewWriter(&lying)
	content := []byte(`[{"ts":1,"type":"say","say":"text","text":"a"}` + strings.Repeat(" ", 8<<20) + "]")
	out, err := w.CreateRaw(&zip.FileHeader{
		Name: "ui_messages.json", Method: zip.Store, CRC32: crc32.ChecksumIEEE(content), CompressedSize64: uint64(len(content)), UncompressedSize64: 100,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = exchange.Read(t.Context(), exchange.Roo, source(honest), exchange.Options{Limits: limits, Now: noon})
	if err == nil || !strings.Contains(err.Error(), "at most 1048576 are taken") {
		t.Errorf("an honest bomb: %v", err)
	}
	in, err := exchange.Read(t.Context(), exchange.Roo, source(lying.Bytes()), exchange.Options{Limits: limits, Now: noon})
	if err == nil && len(in.Report.Problems) == 0 {
		t.Error("a lying bomb went unnoticed")
	}
}

func TestDeepValuesAreLeftOut(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)
	in := mustRead(t, exchange.Roo, tarOf(t, file{name: "ui_messages.json", content: fmt.Sprintf(
		`[{"ts":1,"type":"say","say":"text","text":"a \"{[ b"},{"ts":2,"type":"say","say":"text","text":"b","checkpoint":%s}]`, deep)}))
	if n := len(shown(records(t, in))); n != 1 || !strings.Contains(fmt.Sprint(in.Report.Problems), "nested deeper") {
		t.Errorf("%d messages, %v", n, in.Report.Problems)
	}
}

// Whatever byte of an archive changes, it is refused or gives the same session.
func TestDamagedArchive(t *testing.T) {
	tp := newTape()
	tp.say(protocol.RoleUser, protocol.SayText, "hello")
	tp.long(protocol.RoleAssistant, "a long text, kept beside the journal")
	whole := tp.export(t, exchange.Archive)
	want := mustRead(t, exchange.Archive, whole)
	refusals := 0
	for i := 0; i < len(whole); i += 3 {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0x11
		in, err := read(t, exchange.Archive, damaged)
		if err != nil {
			refusals++
			continue
		}
		if len(in.Frames) != len(want.Frames) {
			t.Fatalf("byte %d: %d frames", i, len(in.Frames))
		}
		for k, frame := range in.Frames {
			if !bytes.Equal(frame, want.Frames[k]) {
				t.Fatalf("byte %d changed record %d: %s", i, k+1, frame)
			}
		}
		if len(in.Blobs) != len(want.Blobs) {
			t.Fatalf("byte %d: %d blobs", i, len(in.Blobs))
		}
		for _, hash := range in.Blobs {
			if content, err := in.Blob(hash); err != nil || string(content) != string(tp.blobs[hash]) {
				t.Fatalf("byte %d changed a blob: %q, %v", i, content, err)
			}
		}
	}
	if refusals < 500 {
		t.Errorf("only %d of %d damaged archives were refused", refusals, len(whole))
	}
	for cut := 0; cut < len(whole)-2048; cut += 97 {
		if _, err := read(t, exchange.Archive, whole[:cut]); err == nil {
			t.Errorf("an archive cut at byte %d was taken", cut)
		}
	}
}

func frames(t *testing.T, tp *tape, change func(i int, frame string) string) []byte {
	t.Helper()
	var b bytes.Buffer
	for i, r := range tp.frames(t) {
		b.WriteString(change(i, string(r.Frame)) + "\n")
	}
	return b.Bytes()
}

// A journal with a hole is taken up to the hole.
func TestJSONLWithAHole(t *testing.T) {
	tp := newTape()
	for i := range 5 {
		tp.say(protocol.RoleUser, protocol.SayText, fmt.Sprint("words ", i))
	}
	for name, change := range map[string]func(i int, frame string) string{
		"not JSON": func(i int, f string) string { return map[bool]string{true: "?", false: f}[i == 3] },
		"a gap":    func(i int, f string) string { return strings.ReplaceAll(f, "msg_0000000004", "msg_0000000009") },
		"unknown type": func(i int, f string) string {
			return strings.Replace(f, `{"type":"message","message_id":"msg_0000000004"`, `{"type":"massage","message_id":"msg_0000000004"`, 1)
		},
		"another order": func(i int, f string) string {
			return strings.Replace(f, `{"type":"message","message_id":"msg_0000000004"`, `{"message_id":"msg_0000000004","type":"message"`, 1)
		},
		"a second start": func(i int, f string) string {
			return strings.Replace(f, `{"type":"message","message_id":"msg_0000000004"`, `{"type":"session_created","message_id":"msg_0000000004"`, 1)
		},
	} {
		in := mustRead(t, exchange.JSONL, frames(t, tp, change))
		report := fmt.Sprint(in.Report.Problems)
		if len(in.Frames) != 3 || !strings.Contains(report, "file:4: ") || !strings.Contains(report, "file:5: this line and the 1 after it are left out") {
			t.Errorf("%s: %d frames, %s", name, len(in.Frames), report)
		}
	}
	if got := refused(t, exchange.JSONL, []byte("{}\n{}\n")); !strings.Contains(got, "nothing of the file can be read: file:1") {
		t.Error(got)
	}
}

// What people allowed elsewhere is not allowed here.
func TestChoicesAreNotTakenOver(t *testing.T) {
	tp := newTape()
	tp.say(protocol.RoleUser, protocol.SayText, "go")
	tp.add(protocol.TypeHitlResolved, &protocol.HitlResolved{RequestID: "hitl_0000000009", Action: "approve", Remember: protocol.RememberAlways, Tool: "run_command", By: "ann"})
	for _, f := range []exchange.Format{exchange.Archive, exchange.JSONL} {
		in := mustRead(t, f, tp.export(t, f))
		d := records(t, in)[2].Data.(*protocol.HitlResolved)
		if d.Remember != "" || d.Action != "approve" || !strings.Contains(fmt.Sprint(in.Report.Problems), `the choice "always" for the tool "run_command"`) {
			t.Errorf("%s: %+v, %v", f, d, in.Report.Problems)
		}
	}
}

// An archive gives no permission to read what is not in it.
func TestArchiveRefersToItsOwnBlobsOnly(t *testing.T) {
	tp := newTape()
	tp.long(protocol.RoleUser, "a text that is somewhere else")
	tp.blobs = nil
	in := mustRead(t, exchange.Archive, tp.export(t, exchange.Archive))
	if len(in.Blobs) != 0 || !strings.Contains(fmt.Sprint(in.Report.Problems), "was not there any more") {
		t.Errorf("%v, %v", in.Blobs, in.Report.Problems)
	}
}

func TestUnknownFormat(t *testing.T) {
	for _, name := range []string{"ipynb", "", "ROO"} {
		if _, err := exchange.Lookup(name); err == nil || !strings.Contains(err.Error(), "archive, jsonl, markdown, roo, store, yaar") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if got := refused(t, exchange.Markdown, []byte("# x")); !strings.Contains(got, "cannot be imported") {
		t.Error(got)
	}
}

func TestTooManyRecords(t *testing.T) {
	tp := newTape()
	for range 10 {
		tp.say(protocol.RoleUser, protocol.SayText, "x")
	}
	for _, f := range []exchange.Format{exchange.Archive, exchange.Roo, exchange.Store} {
		_, err := exchange.Read(t.Context(), f, source(tp.export(t, f)), exchange.Options{Limits: exchange.Limits{Records: 5}, Now: noon})
		if err == nil || !strings.Contains(err.Error(), "too large") {
			t.Errorf("%s: %v", f, err)
		}
	}
}

package exchange

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/protocol"
)

// writeJSONL writes every record as clients see it, session id included.
func writeJSONL(ctx context.Context, w io.Writer, e *export) error {
	out := bufio.NewWriter(w)
	err := e.each(ctx, func(r journal.Record) error {
		_, err := out.Write(append(protocol.WithSession(r.Frame, e.ID), '\n'))
		return err
	})
	return errors.Join(err, out.Flush())
}

// readJSONL takes the records up to the first that cannot be read: the
// beginning of a journal is a journal, one with a hole is not. Blobs are not in
// such a file, so nothing may refer to one.
func readJSONL(_ context.Context, src Source, o Options) (*Incoming, error) {
	in := &Incoming{Report: &Report{}}
	lines := newLines(src.open(), o.Limits.Frame)
	for lines.next() {
		if len(bytes.TrimSpace(lines.bytes())) == 0 {
			continue
		}
		frame, session := withoutSession(lines.bytes())
		if in.ID == "" {
			in.ID = session
		}
		if err := in.addFrame(frame, lines.number, false, o.Limits); err != nil {
			in.Report.line(src.Name, lines.number, "%v", err)
			break
		}
	}
	if err := lines.err(); err != nil {
		in.Report.line(src.Name, lines.number+1, "%v", err)
	}
	if rest := lines.skip(); rest > 0 {
		in.Report.line(src.Name, lines.number-rest+1, "this line and the %d after it are left out: records without those before them mean nothing", rest-1)
	}
	return in, in.check()
}

// withoutSession gives a line as the frame that is stored, and the session id
// that the line had in front.
func withoutSession(line []byte) (frame []byte, session string) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"session_id":"`))
	if !ok {
		return bytes.Clone(line), ""
	}
	id, rest, ok := bytes.Cut(rest, []byte(`",`))
	if !ok {
		return bytes.Clone(line), ""
	}
	return append([]byte{'{'}, rest...), string(id)
}

// addFrame checks one record of a journal and keeps it. Without blobs, nothing
// that the file refers to came along.
func (in *Incoming) addFrame(frame []byte, line int, blobs bool, l Limits) error {
	want := uint64(len(in.Frames)) + 1
	r, err := checkFrame(frame, want, l)
	if err != nil {
		return err
	}
	if _, first := r.Data.(*protocol.SessionCreated); first != (want == 1) {
		return fmt.Errorf("a journal begins with session_created, and has one only; record %d is %s", want, r.Type)
	}
	changed := in.disarm(r, line)
	if !blobs && in.unlink(r, line) {
		changed = true
	}
	if changed {
		if frame, err = r.Encode(); err != nil {
			return err
		}
	}
	if in.bytes += int64(len(frame)); in.bytes > l.Frames || len(in.Frames) >= l.Records {
		return refuse("the session is too large: at most %d records and %d MiB of them can be taken in", l.Records, l.Frames>>20)
	}
	in.Frames = append(in.Frames, frame)
	return nil
}

// checkFrame reads a frame that was written elsewhere. It must be what our own
// Encode would have written, as far as others rely on it: the envelope comes
// first, in order, and names no session.
func checkFrame(frame []byte, want uint64, l Limits) (protocol.Record, error) {
	if int64(len(frame)) > l.Frame {
		return protocol.Record{}, fmt.Errorf("record %d has %d bytes; at most %d are taken", want, len(frame), l.Frame)
	}
	if err := checkValue(frame, l.Depth); err != nil {
		return protocol.Record{}, fmt.Errorf("record %d: %w", want, err)
	}
	r, err := protocol.DecodeRecord(frame)
	if err != nil {
		return protocol.Record{}, err
	}
	if r.Seq != want {
		return protocol.Record{}, fmt.Errorf("the record is numbered %d where %d must follow", r.Seq, want)
	}
	envelope, err := protocol.Envelope{
		Type: r.Type, MessageID: r.ID(), Timestamp: protocol.At(r.Time), AgentID: r.AgentID, MonitorID: r.MonitorID, Cause: r.Cause,
	}.Encode(nil)
	if err != nil {
		return protocol.Record{}, err
	}
	head := append(envelope[:len(envelope)-1], `,"data":`...)
	data, ok := bytes.CutPrefix(frame, head)
	if !ok || !json.Valid(bytes.TrimSuffix(data, []byte{'}'})) || bytes.ContainsAny(frame, "\r\n") {
		return protocol.Record{}, fmt.Errorf("record %d is not written as Parley writes records", want)
	}
	return r, nil
}

// disarm takes out what a record would allow: a choice that people made for
// later calls holds where they made it.
func (in *Incoming) disarm(r protocol.Record, line int) bool {
	d, ok := r.Data.(*protocol.HitlResolved)
	if !ok || d.Remember == "" {
		return false
	}
	in.Report.line("", line, "the choice %q for the tool %q is not taken over", d.Remember, d.Tool)
	d.Remember = ""
	return true
}

// unlink takes out references to blobs that did not come along: whoever refers
// to a blob may read it.
func (in *Incoming) unlink(r protocol.Record, line int) bool {
	if len(r.Blobs()) == 0 {
		return false
	}
	switch d := r.Data.(type) {
	case *protocol.MessageRecord:
		in.cut(&d.Message.Text, &d.Message.TextBlob, line)
		d.Message.Images = in.dropImages(d.Message.Images, line)
	case *protocol.MessageQueued:
		in.cut(&d.Content, &d.ContentBlob, line)
		d.Images = in.dropImages(d.Images, line)
	case *protocol.ToolCompleted:
		in.cut(&d.Output, &d.OutputBlob, line)
	}
	return true
}

func (in *Incoming) cut(text *string, blob **protocol.BlobRef, line int) {
	if *blob == nil {
		return
	}
	in.Report.line("", line, "of a text of %d bytes the file holds only the first %d", (*blob).Size, len(*text))
	*text += fmt.Sprintf("… (%d bytes in all)", (*blob).Size)
	*blob = nil
}

func (in *Incoming) dropImages(images []string, line int) []string {
	kept, dropped := keepImages(images)
	if dropped > 0 {
		in.Report.line("", line, "%d images are not in the file", dropped)
	}
	return kept
}

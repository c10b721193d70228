package rest

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/protocol"
)

const (
	// writeTime is how long a client may take to read what was written before
	// it counts as gone.
	writeTime = 30 * time.Second
	// renewEvery is after how many heartbeats it is asked whether the caller
	// is still welcome.
	renewEvery = 4
	// keepBuffer is how much memory a stream keeps while nothing happens.
	keepBuffer = 4 << 10
)

type streamInput struct {
	OfSession
	After       string `query:"after" maxLength:"40" doc:"The message_id of the last record the client has; msg_0000000000 gives all." example:"msg_0000000042"`
	View        string `query:"view" enum:"journal,task" default:"journal" doc:"With task, what happens is told in the events of an editor's task: see docs/rest.md."`
	LastEventID string `header:"Last-Event-ID" maxLength:"40" doc:"What EventSource sends when it connects again; it outweighs after."`
}

type streamOutput struct{ Body func(huma.Context) }

// stream is a WebSocket's subscription without its other direction. It has no
// client_id: EventSource connects again by itself, and two would take each
// other's place for ever.
func (d *door) stream(ctx context.Context, in *streamInput) (*streamOutput, error) {
	v := visitorOf(ctx)
	if err := d.Gateway.Limiter.Connect(v.User); err != nil {
		return nil, err
	}
	from := in.After
	if in.LastEventID != "" {
		from = in.LastEventID
	}
	s := &stream{door: d, visitor: v, session: in.ID, ready: make(chan struct{}, 1)}
	s.write = s.asIs
	if in.View == "task" {
		s.write = (&tasks{stream: s}).write
	}
	sub, err := d.Gateway.Attach(ctx, v.Caller, in.ID, false, engine.Attach{Resume: from, Notify: s.notify})
	if err != nil {
		return nil, err
	}
	s.sub = sub
	return &streamOutput{Body: func(hc huma.Context) {
		defer sub.Close()
		r, w := humago.Unwrap(hc)
		s.serve(r, w)
	}}, nil
}

// stream is one client that follows a session.
type stream struct {
	*door
	visitor
	session string
	sub     *engine.Subscription
	ready   chan struct{} // has an element when there is something to take
	w       http.ResponseWriter
	control *http.ResponseController
	buf     bytes.Buffer
	write   func(context.Context, *engine.Frame) error // tells a frame
}

func (s *stream) notify() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

func (s *stream) serve(r *http.Request, w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // a proxy that waits for the end would wait for ever
	if r.Method == http.MethodHead {
		return
	}
	s.w, s.control = w, http.NewResponseController(w)
	s.buf.WriteString("retry: 2000\n\n")
	beat := time.NewTicker(s.Heartbeat)
	defer beat.Stop()
	for beats := 0; ; {
		frames, err := s.sub.Next(r.Context())
		for i := 0; i < len(frames) && err == nil; i++ {
			err = s.write(r.Context(), frames[i])
		}
		if err != nil {
			s.end(err)
			_ = s.flush()
			return
		}
		if s.flush() != nil {
			return
		}
		if len(frames) > 0 {
			continue
		}
		select {
		case <-s.ready:
		case <-r.Context().Done():
			return
		case <-beat.C:
			if beats++; beats%renewEvery == 0 {
				err = s.welcome(r.Context())
			}
			if err != nil {
				s.signal(protocol.AsError(err))
			}
			s.buf.WriteString(": alive\n\n")
			if s.flush() != nil || err != nil {
				return
			}
		}
	}
}

// welcome asks again whether the caller may read the session.
func (s *stream) welcome(ctx context.Context) error {
	id, err := s.Gateway.Auth.Renew(ctx, s.credentials)
	if err != nil {
		return err
	}
	s.Identity = id
	return s.Gateway.Authorize(ctx, s.Caller, auth.Read, s.session)
}

// asIs tells a frame as it is.
func (s *stream) asIs(_ context.Context, f *engine.Frame) error {
	s.event(f.Seq, string(typeOf(f.JSON)), f.JSON)
	return nil
}

// event writes an event, with a cursor if seq is one. The data is JSON on one line.
func (s *stream) event(seq uint64, name string, data []byte) {
	if seq > 0 {
		s.buf.WriteString("id: " + protocol.MessageID(seq) + "\n")
	}
	s.buf.WriteString("event: " + name + "\ndata: ")
	s.buf.Write(data)
	s.buf.WriteString("\n\n")
}

// typeOf finds the type of a frame: nothing but the session id stands before it.
func typeOf(frame []byte) []byte {
	_, rest, _ := bytes.Cut(frame, []byte(`"type":"`))
	name, _, _ := bytes.Cut(rest, []byte{'"'})
	return name
}

// end tells why the stream ends, if it was not the client who left.
func (s *stream) end(err error) {
	var closed *engine.Closed
	switch {
	case !errors.As(err, &closed):
		if !errors.Is(err, context.Canceled) {
			s.Logger.Warn("a stream ended", "session_id", s.session, "err", err)
			s.signal(protocol.AsError(err))
		}
	case closed.Code == protocol.CloseDeleted:
		s.signal(protocol.Errorf(protocol.CodeSessionExpired, "%s", closed.Reason))
	default:
		s.signal(protocol.Errorf(protocol.CodeConnectionFailed, "%s", closed.Reason))
	}
}

func (s *stream) signal(e *protocol.Error) {
	f, err := engine.NewSignal(s.session, protocol.TypeError, "", "", e)
	if err != nil {
		s.Logger.Error("an error could not be told", "err", err)
		return
	}
	s.event(0, string(protocol.TypeError), f.JSON)
}

func (s *stream) flush() error {
	if s.buf.Len() == 0 {
		return nil
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTime)) // not every connection has one
	if _, err := s.w.Write(s.buf.Bytes()); err != nil {
		return err
	}
	s.buf.Reset()
	if s.buf.Cap() > keepBuffer {
		s.buf = bytes.Buffer{}
	}
	return s.control.Flush()
}

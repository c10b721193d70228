package vendor

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/parley-dev/parley/model"
)

type object map[string]any

var (
	errCut  = errors.New("cut the connection")
	errHang = errors.New("wait until the caller goes")
	errOver = errors.New("the answer is over") // a failure was told inside it
)

// stream writes server-sent events.
type stream struct {
	w     http.ResponseWriter
	ctx   context.Context
	chunk int
	count int // events so far
}

// event sends one; those of chat completions have no name.
func (s *stream) event(name string, data object) error {
	var b bytes.Buffer
	if name != "" {
		fmt.Fprintf(&b, "event: %s\n", name)
	}
	b.WriteString("data: ")
	b.Write(encode(data))
	b.WriteString("\n\n")
	s.count++
	return s.send(b.Bytes())
}

func (s *stream) send(raw []byte) error {
	for len(raw) > 0 {
		n := len(raw)
		if s.chunk > 0 {
			n = min(n, s.chunk)
		}
		if _, err := s.w.Write(raw[:n]); err != nil {
			return err
		}
		if err := http.NewResponseController(s.w).Flush(); err != nil {
			return err
		}
		raw = raw[n:]
	}
	return s.ctx.Err()
}

// text sends the pieces, and stops where the turn does. A failure that the
// format can tell is told with fail.
func (s *stream) text(t Turn, piece func(string) error, fail func(fault) error) error {
	for i, text := range t.Text {
		if t.Fail != nil && i == t.Fail.After {
			break
		}
		if err := piece(text); err != nil {
			return err
		}
	}
	switch {
	case t.Hang:
		return errHang
	case t.Fail == nil:
		return nil
	case t.Fail.Kind == model.Interrupted:
		return errCut
	}
	if err := fail(faultOf(*t.Fail)); err != nil {
		return err
	}
	return errOver
}

// pieces cuts what a model writes into parts of a few characters.
func pieces(text string) []string {
	const size = 5
	var out []string
	runes := []rune(text)
	for len(runes) > 0 {
		n := min(size, len(runes))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}

// encode writes characters as they are, like the vendors do.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // all that is written here can be
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encode(v))
}

// Sign is the signature of a thought: what comes back is held to it.
func Sign(thought string) string {
	sum := sha256.Sum256([]byte("thought:" + thought))
	return "sig_" + hex.EncodeToString(sum[:12])
}

// id names something in an answer: the same for the same place in the same
// conversation.
func id(prefix string, seen Seen, i int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s|%d|%d|%s", prefix, seen.Answers, i, seen.LastUser))
	return prefix + hex.EncodeToString(sum[:12])
}

func (t Turn) usage() model.Usage {
	if t.Usage != (model.Usage{}) {
		return t.Usage
	}
	return model.Usage{InputTokens: 100, OutputTokens: 20, CacheReadTokens: 40, CacheWriteTokens: 7}
}

func (t Turn) thought() string { return strings.Join(t.Thinking, "") }

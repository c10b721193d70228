package settings

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// shortest is the least length of a value that is looked for: shorter ones stand
// in innocent texts by chance.
const shortest = 8

// replacer finds values in one pass. It never changes: news make another one.
type replacer struct {
	values  []string // as they appear in texts, the longest first
	replace *strings.Replacer
}

// newReplacer takes names by their values.
func newReplacer(names map[string]string) *replacer {
	r := &replacer{}
	for v := range names {
		if len(v) >= shortest {
			r.values = append(r.values, v)
		}
	}
	// Of two values that begin alike the longer must win.
	slices.SortFunc(r.values, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	if r.values == nil {
		return r
	}
	var pairs []string
	for _, v := range r.values {
		pairs = append(pairs, v, "[secret:"+names[v]+"]")
	}
	r.replace = strings.NewReplacer(pairs...)
	return r
}

// hiddenValues are all values that no text may hold, with their names: what is
// stored and the vendors' keys of the environment, each also as JSON writes it.
func (s *Secrets) hiddenValues() map[string]string {
	names := map[string]string{}
	add := func(name, v string) {
		quoted, _ := json.Marshal(v)
		for _, form := range []string{v, strings.TrimSpace(v), string(quoted[1 : len(quoted)-1]), plainJSON(v)} {
			names[form] = name
		}
	}
	for _, name := range VendorKeys() {
		if v, ok := s.options.Env(name); ok {
			add(name, v)
		}
	}
	for name, v := range s.values {
		add(name, v)
	}
	return names
}

// plainJSON is a text inside JSON whose writer does not care about HTML.
func plainJSON(v string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // a text: always can
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(b.String(), "\n"), `"`), `"`)
}

// Redactor replaces secrets in texts by [secret:NAME]. It knows those that are
// stored and the vendors' keys of the environment, also ones that are stored
// later in this process; what another process stores it knows from the next
// Lookup, Names or Refresh on. Values under 8 bytes are not looked for.
type Redactor struct{ secrets *Secrets }

// Redactor gives the redactor of these secrets, after reading them.
func (s *Secrets) Redactor() Redactor {
	s.Refresh()
	return Redactor{s}
}

// Refresh reads the stored secrets if another process has changed them.
func (s *Secrets) Refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.load() // who asks for a secret is told
	if s.redact.Load() == nil {
		s.redact.Store(newReplacer(s.hiddenValues()))
	}
}

// Redact gives the text without secrets.
func (r Redactor) Redact(text string) string {
	now := r.secrets.redact.Load()
	if now.replace == nil || len(text) < shortest {
		return text
	}
	return now.replace.Replace(text)
}

// Writer redacts what is written to w. Each Write is taken for whole: it suits
// logs, which are written line by line.
func (r Redactor) Writer(w io.Writer) io.Writer { return redactWriter{r, w} }

type redactWriter struct {
	r Redactor
	w io.Writer
}

func (w redactWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.w, w.r.Redact(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Stream redacts a text that comes in pieces. It is for one goroutine.
type Stream struct {
	r    Redactor
	held string
}

// Stream begins a text.
func (r Redactor) Stream() *Stream { return &Stream{r: r} }

// Write takes a piece and gives what may be shown: an end that may be the
// beginning of a secret is held back until it is known.
func (s *Stream) Write(piece string) string {
	shown, held := s.r.secrets.redact.Load().split(s.held + piece)
	s.held = held
	return shown
}

// Close gives what was held back.
func (s *Stream) Close() string {
	text := s.r.Redact(s.held)
	s.held = ""
	return text
}

// split redacts a text up to where its end may begin a secret.
func (r *replacer) split(text string) (shown, held string) {
	if r.replace == nil {
		return text, ""
	}
	for i := 0; i < len(text); {
		n, open := r.at(text[i:])
		if open {
			return r.replace.Replace(text[:i]), text[i:]
		}
		i += max(n, 1)
	}
	return r.replace.Replace(text), ""
}

// at is the length of the value that a text begins with, or says that the text
// is the beginning of one. Longer values come first.
func (r *replacer) at(text string) (n int, open bool) {
	for _, v := range r.values {
		switch {
		case v[0] != text[0]:
		case strings.HasPrefix(text, v):
			return len(v), false
		case strings.HasPrefix(v, text):
			return 0, true
		}
	}
	return 0, false
}

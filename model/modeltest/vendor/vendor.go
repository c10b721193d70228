// Package vendor is a model vendor for tests: an HTTP handler that speaks the
// Messages API of Anthropic and both APIs of OpenAI, in their real wire formats,
// and plays one script of turns through any of them.
//
// It is as strict as the vendors are, and stricter where they differ from day to
// day: a request that one of them would refuse is refused, in that vendor's shape,
// and the turn is not played. CheckAnthropic and CheckOpenAI are that strictness
// without the server.
//
// The script has no position: the turn played is the one after the answers that
// the request's history holds. So a session that is repeated, rewound or moved to
// another format gets the same answers.
package vendor

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/parley-dev/parley/model"
)

// Turn is one answer of the script.
type Turn struct {
	// Thinking is told in these pieces before anything else, and signed.
	Thinking []string
	// Redacted adds a thought that only the vendor can read.
	Redacted bool
	// Text is told in these pieces.
	Text  []string
	Calls []Call
	// Stop is how the answer ends: model.StopMaxTokens, model.StopRefusal; by
	// itself it ends as its calls say.
	Stop string
	// Usage is what is counted; a fixed number if zero.
	Usage model.Usage

	// Gate holds back the first byte until it is closed.
	Gate <-chan struct{}
	// Hang stops after the text until the caller goes away.
	Hang bool
	Fail *Failure
}

// Call is a call that the model makes.
type Call struct {
	Name string
	// Input is what the model writes: mostly JSON.
	Input string
}

// Failure is how a turn fails.
type Failure struct {
	// Kind is one of the port's; Interrupted cuts the connection.
	Kind       model.ErrorKind
	Message    string
	RetryAfter time.Duration
	// After is how many pieces of text are told before; if zero, the call is
	// refused as a whole.
	After int
	// Times is how often this turn fails before it succeeds; zero: always.
	Times int
}

// Seen is what a request said.
type Seen struct {
	Format   Format
	Model    string
	System   string
	Answers  int      // of the assistant so far
	LastUser string   // the user's last words
	Results  []string // of tools, since the last answer
	Thoughts int      // given back
	Images   int
	Tools    []string
	// Choice is the port's word: "", none, any, or a tool's name.
	Choice string
	Header http.Header
	Body   []byte
}

// Format is a wire format.
type Format string

const (
	Anthropic Format = "anthropic"
	Chat      Format = "chat"
	Responses Format = "responses"
)

// Server is the handler. Set its fields before the first request.
type Server struct {
	Turns []Turn
	// Pick chooses a turn by what the request says; if it does not, or is nil,
	// Turns are played in order.
	Pick func(Seen) (Turn, bool)
	// Key is demanded, if it is set.
	Key string
	// Models are listed where a client asks which there are.
	Models []string
	// Chunk cuts what is sent into packets of so many bytes, which cuts characters
	// too; zero sends each event as one.
	Chunk int

	mu     sync.Mutex
	seen   []Seen
	failed map[int]int
	gone   chan struct{}
}

// Seen gives the requests that were accepted so far, in order.
func (s *Server) Seen() []Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// Gone gets a value whenever a caller left a turn that hangs.
func (s *Server) Gone() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left()
}

func (s *Server) left() chan struct{} {
	if s.gone == nil {
		s.gone = make(chan struct{}, 64)
	}
	return s.gone
}

// dialect is what differs between the formats.
type dialect struct {
	check     func([]byte) (Seen, error)
	authorise func(http.Header, string) bool
	refuse    func(http.ResponseWriter, fault)
	play      func(*stream, Seen, Turn) error
}

func dialects() map[string]dialect {
	return map[string]dialect{
		"/v1/messages":         {checkAnthropic, anthropicKey, refuseAnthropic, playAnthropic},
		"/v1/chat/completions": {checkChat, bearerKey, refuseOpenAI, playChat},
		"/v1/responses":        {checkResponses, bearerKey, refuseOpenAI, playResponses},
	}
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		s.list(w, r)
		return
	}
	d, ok := dialects()[r.URL.Path]
	if !ok || r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller has gone
	}
	if !d.authorise(r.Header, s.Key) {
		d.refuse(w, faultOf(Failure{Kind: model.Auth}))
		return
	}
	seen, err := d.check(body)
	if err != nil {
		d.refuse(w, faultOf(Failure{Kind: model.Invalid, Message: err.Error()}))
		return
	}
	seen.Header, seen.Body = r.Header.Clone(), body
	turn, err := s.take(seen)
	if err != nil {
		d.refuse(w, faultOf(Failure{Kind: model.Invalid, Message: err.Error()}))
		return
	}
	s.answer(w, r, d, seen, turn)
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, d dialect, seen Seen, turn Turn) {
	if turn.Gate != nil {
		select {
		case <-turn.Gate:
		case <-r.Context().Done():
			return
		}
	}
	if f := turn.Fail; f != nil && f.After == 0 {
		if f.Kind == model.Interrupted {
			panic(http.ErrAbortHandler)
		}
		d.refuse(w, faultOf(*f))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	out := &stream{w: w, ctx: r.Context(), chunk: s.Chunk}
	err := d.play(out, seen, turn)
	if err == errCut {
		panic(http.ErrAbortHandler)
	}
	if turn.Hang { // the caller may be gone before the last piece is sent
		<-r.Context().Done()
		s.leave()
	}
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.left() <- struct{}{}:
	default: // nobody counts that far
	}
}

// take finds the turn and notes the request.
func (s *Server) take(seen Seen) (Turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, seen)
	turn, picked := Turn{}, false
	if s.Pick != nil {
		turn, picked = s.Pick(seen)
	}
	if !picked {
		if seen.Answers >= len(s.Turns) {
			return Turn{}, fmt.Errorf("the script has %d turns, and none for answer %d", len(s.Turns), seen.Answers+1)
		}
		turn = s.Turns[seen.Answers]
	}
	if f := turn.Fail; f != nil && f.Times > 0 {
		if s.failed == nil {
			s.failed = map[int]int{}
		}
		if s.failed[seen.Answers]++; s.failed[seen.Answers] > f.Times {
			turn.Fail = nil
		}
	}
	return turn, nil
}

// list says which models there are, as OpenAI and as Ollama do.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/v1/models":
		data := []object{}
		for _, name := range s.Models {
			data = append(data, object{"id": name, "object": "model", "created": 0, "owned_by": "test"})
		}
		writeJSON(w, http.StatusOK, object{"object": "list", "data": data})
	case "/api/tags":
		models := []object{}
		for _, name := range s.Models {
			models = append(models, object{"name": name, "model": name})
		}
		writeJSON(w, http.StatusOK, object{"models": models})
	default:
		http.NotFound(w, r)
	}
}

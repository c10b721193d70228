//go:build unix

package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/parley-dev/parley/tool"
)

// maxJobs is how many a session may have, those included that have ended and were
// not looked at since.
const maxJobs = 16

// Jobs keeps commands that run in the background. Each belongs to the session that
// started it, and ends with its time, with a call that stops it, with the session,
// or with the server.
type Jobs struct {
	mu       sync.Mutex
	closed   bool
	last     int
	sessions map[string][]*job
	running  sync.WaitGroup
}

// NewJobs makes one without any.
func NewJobs() *Jobs { return &Jobs{sessions: map[string][]*job{}} }

// job is one of them.
type job struct {
	*command
	id     string
	cancel context.CancelFunc
	done   chan struct{} // closed when it has ended
	end    outcome       // how, then
}

func (j *job) ended() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// begin starts a command and looks at it for the first time. If the call is
// cancelled meanwhile, so is the command.
func (s *Jobs) begin(ctx context.Context, r RunCommand, call tool.Call, in runInput) (tool.Result, error) {
	if s == nil {
		return tool.Result{}, &tool.Error{Code: tool.CodeUnavailable, Message: "this server keeps no commands in the background; run it without"}
	}
	j, err := s.start(r, call, in)
	if err != nil {
		return tool.Result{}, err
	}
	if err := j.wait(ctx, call.Emit, in.WaitSec); err != nil {
		j.cancel()
		<-j.done
		s.forget(call.Session, j)
		return tool.Result{}, err
	}
	return s.report(call.Session, j)
}

func (s *Jobs) start(r RunCommand, call tool.Call, in runInput) (*job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, &tool.Error{Code: tool.CodeUnavailable, Message: "the server is stopping"}
	}
	if !s.makeRoom(call.Session) {
		return nil, &tool.Error{Code: tool.CodeUnavailable, Message: fmt.Sprintf("%d jobs run already; stop one first", maxJobs)}
	}
	c, err := r.start(call, in)
	if err != nil {
		return nil, err
	}
	s.last++
	ctx, cancel := context.WithCancel(context.Background())
	j := &job{command: c, id: fmt.Sprintf("job_%d", s.last), cancel: cancel, done: make(chan struct{})}
	s.sessions[call.Session] = append(s.sessions[call.Session], j)
	s.running.Go(func() {
		defer cancel()
		j.end = c.supervise(ctx, r, in.timeout())
		close(j.done)
	})
	return j, nil
}

// makeRoom forgets the oldest job that has ended, if there is no room for another.
func (s *Jobs) makeRoom(session string) bool {
	jobs := s.sessions[session]
	if len(jobs) < maxJobs {
		return true
	}
	for i, j := range jobs {
		if j.ended() {
			s.sessions[session] = append(jobs[:i:i], jobs[i+1:]...)
			return true
		}
	}
	return false
}

func (s *Jobs) forget(session string, gone *job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	jobs := s.sessions[session]
	for i, j := range jobs {
		if j == gone {
			s.sessions[session] = append(jobs[:i:i], jobs[i+1:]...)
		}
	}
	if len(s.sessions[session]) == 0 {
		delete(s.sessions, session)
	}
}

// find gives a job of the session.
func (s *Jobs) find(session, id string) (*job, error) {
	var known []string
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, j := range s.sessions[session] {
			if j.id == id {
				return j, nil
			}
			known = append(known, j.id)
		}
	}
	have := "there are none"
	if len(known) > 0 {
		have = "there are: " + strings.Join(known, ", ")
	}
	return nil, &tool.Error{Code: tool.CodeExecutionFailed, Message: fmt.Sprintf("no job is called %q, or it has ended and was told of; %s", brief(id), have)}
}

// look types, stops or waits as the call wants, and tells what is new.
func (s *Jobs) look(ctx context.Context, call tool.Call, in runInput) (tool.Result, error) {
	root, err := call.Root() // a job belongs to a workspace like any command
	if err != nil {
		return tool.Result{}, err
	}
	root.Close()
	j, err := s.find(call.Session, in.Job)
	if err != nil {
		return tool.Result{}, err
	}
	if in.Input != "" {
		if err := j.enter(in.Input); err != nil {
			return tool.Result{}, err
		}
	}
	if in.Stop {
		j.cancel()
		select {
		case <-j.done:
		case <-ctx.Done():
			return tool.Result{}, ctx.Err()
		}
	} else if err := j.wait(ctx, call.Emit, in.WaitSec); err != nil {
		return tool.Result{}, err
	}
	j.out.flush(call.Emit)
	return s.report(call.Session, j)
}

// enter types into the command, without waiting for it to read.
func (j *job) enter(text string) error {
	text, ends := strings.CutSuffix(text, endOfInput)
	if ends && j.out.terminal {
		text += endOfInput
	}
	_ = j.input.SetWriteDeadline(time.Now().Add(time.Second))
	n, err := j.input.WriteString(text)
	if ends && !j.out.terminal {
		j.input.Close()
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &tool.Error{Code: tool.CodeExecutionFailed, Recoverable: true, Message: fmt.Sprintf("the command took only %d of %d bytes and does not read on", n, len(text))}
	}
	return &tool.Error{Code: tool.CodeExecutionFailed, Message: "the command takes no more input; look at what it wrote"}
}

// wait waits for the end, as long as it is told to; or else until the command has
// written something and then been quiet for a moment.
func (j *job) wait(ctx context.Context, emit func(tool.Event), seconds *int) error {
	limit := quietWithin
	if seconds != nil {
		limit = time.Duration(*seconds) * time.Second
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	last, since := j.out.written(), time.Now()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-j.done:
			return nil
		case <-timer.C:
			return nil
		case <-tick.C:
			j.out.flush(emit)
		}
		if now := j.out.written(); now != last {
			last, since = now, time.Now()
		}
		if seconds == nil && j.out.unread() && time.Since(since) >= quietFor {
			return nil
		}
	}
}

// report tells what is new of a job. One that has ended is forgotten.
func (s *Jobs) report(session string, j *job) (tool.Result, error) {
	if j.ended() {
		s.forget(session, j)
		r := j.end.result(&j.out)
		if errors.Is(j.end.err, context.Canceled) { // as somebody wanted
			r.IsError = false
			return r, nil
		}
		return r, j.end.err
	}
	text, written := told(&j.out, fmt.Sprintf("%s runs; look again with job", j.id))
	return tool.Result{Text: text, Summary: facts(struct {
		Job         string `json:"job"`
		OutputBytes int64  `json:"output_bytes"`
	}{j.id, written})}, nil
}

// release stops the jobs of a session and forgets them.
func (s *Jobs) release(session string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	jobs := s.sessions[session]
	delete(s.sessions, session)
	s.mu.Unlock()
	for _, j := range jobs {
		j.cancel()
	}
	for _, j := range jobs {
		<-j.done
	}
}

// close stops all jobs and takes no more.
func (s *Jobs) close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.closed = true
	for _, jobs := range s.sessions {
		for _, j := range jobs {
			j.cancel()
		}
	}
	s.mu.Unlock()
	s.running.Wait()
}

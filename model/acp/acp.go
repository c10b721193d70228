package acp

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/parley-dev/parley/model"
)

// Prefix of the names under which agents are opened: "acp:COMMAND".
const Prefix = "acp:"

// window is what an agent is taken to hold. It looks after its own memory; this
// bounds the past that a fresh one is given.
const window = 200_000

// Config says which agent is hosted, and with how much patience.
type Config struct {
	// Command is the program and its arguments, separated by blanks; quotes keep
	// blanks. Words before it that begin with $ name the variables of our
	// environment that the agent is given: "$GEMINI_API_KEY gemini --experimental-acp".
	Command string
	// Getenv gives these variables; os.Getenv if nil.
	Getenv func(string) string

	// Start is how long an agent may take to be ready; a minute if zero.
	Start time.Duration
	// Silence is how long it may say nothing while it is not using a tool; ten
	// minutes if zero.
	Silence time.Duration
	// Grace is how long it has to stop when it is told to, before it is killed;
	// three seconds if zero.
	Grace time.Duration
	// Alone is how long it may work while nobody listens; ten seconds if zero.
	Alone time.Duration
	// Idle is how long it is kept when it has nothing to do; fifteen minutes if
	// zero.
	Idle time.Duration
}

func (c Config) orDefaults() Config {
	for d, or := range map[*time.Duration]time.Duration{
		&c.Start: time.Minute, &c.Silence: 10 * time.Minute, &c.Grace: 3 * time.Second, &c.Alone: 10 * time.Second, &c.Idle: 15 * time.Minute,
	} {
		if *d == 0 {
			*d = or
		}
	}
	return c
}

// Provider opens the agents that whoever runs the server trusts: a command is run
// with the server's rights, so a session cannot name any that it likes.
func Provider(trusted []string, getenv func(string) string) model.Provider {
	return model.Provider{Prefix: Prefix, Open: func(_ context.Context, command string) (model.Model, error) {
		if !slices.Contains(trusted, command) {
			return nil, &model.Error{Kind: model.Invalid, Message: fmt.Sprintf(
				"the agent %q may not be run here: whoever runs the server can allow it, as --model %s%s or as a line of PARLEY_AGENTS", command, Prefix, command)}
		}
		return New(Config{Command: command, Getenv: getenv})
	}}
}

// Model is an agent that is hosted.
type Model struct {
	config  Config
	command command

	mu     sync.Mutex
	talks  map[string]*talk // by their key
	left   map[string]place // of talks whose process has ended
	conns  map[*conn]bool   // whose process has not
	closed bool
}

// New makes the model. Nothing is started before it is asked something. Whoever
// makes it closes it.
func New(c Config) (*Model, error) {
	c = c.orDefaults()
	command, err := parse(c.Command, c.Getenv)
	if err != nil {
		return nil, err
	}
	return &Model{config: c, command: command, talks: map[string]*talk{}, left: map[string]place{}, conns: map[*conn]bool{}}, nil
}

// Info says which agent it is.
func (m *Model) Info() model.Info {
	return model.Info{Name: Prefix + m.config.Command, ContextWindow: window, Images: true, Reasoning: true}
}

// Stream tells the agent what is new and gives what it says, until it is done or
// wants something.
func (m *Model) Stream(ctx context.Context, req model.Request, yield func(model.Event) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if req.ToolChoice != model.ChooseFreely && req.ToolChoice != model.ChooseNone {
		return &model.Error{Kind: model.Invalid, Message: "an agent that is hosted cannot be made to call a tool of the session; give the session the pipeline \"direct\""}
	}
	if !filepath.IsAbs(req.Workspace) {
		return &model.Error{Kind: model.Invalid, Message: "an agent that is hosted needs a folder to work in; give the session a workspace"}
	}
	said := read(req.Messages)
	if said.empty() {
		return &model.Error{Kind: model.Invalid, Message: "there is nothing to tell the agent"}
	}
	aside := req.Purpose == condense
	if aside {
		said.mark = mark{} // the conversation does not hear of it
	}
	t, news, err := m.find(ctx, req.Workspace, said)
	if err != nil {
		return own(ctx, err)
	}
	a := answer{talk: t, ctx: ctx, out: yield, heard: said.heard, checklist: offers(req.Tools, updateTodos), words: aside}
	err = a.give(news)
	switch {
	case err == nil && !aside:
		t.release()
	case err == nil:
		m.end(t, true)
	case model.KindOf(err) != "" || !t.stop(m.config.Grace): // it failed, or does not stop
		m.end(t, false)
	case t.at.step == 0: // nothing in the history leads back to it
		m.end(t, true)
	default:
		t.release()
	}
	return own(ctx, err)
}

// condense is the purpose of calls outside of the conversation.
const condense = "condense"

// own is the error that a caller sees: the context's, if that is done.
func own(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func offers(tools []model.Tool, name string) bool {
	return slices.ContainsFunc(tools, func(o model.Tool) bool { return o.Name == name })
}

// end ends a held talk and its process: one that is sound may take its time, and
// can be loaded again by an agent that does that.
func (m *Model) end(t *talk, sound bool) {
	at := t.bury()
	m.mu.Lock()
	if m.talks[t.key] == t {
		delete(m.talks, t.key)
	}
	if sound && t.conn.loads && at.step > 0 {
		m.keep(t.key, at)
	}
	m.mu.Unlock()
	if sound {
		go m.hangUp(t.conn, m.config.Grace) // Close waits for it
	} else {
		m.hangUp(t.conn, 0)
	}
}

// keepPlaces is of how many talks it is remembered where they ended.
const keepPlaces = 1000

// keep remembers where a talk ended; m.mu is held.
func (m *Model) keep(key string, at place) {
	if len(m.left) >= keepPlaces {
		clear(m.left) // they begin anew then, which is only slower
	}
	m.left[key] = at
}

// Close ends all agents and waits for that.
func (m *Model) Close() error {
	m.mu.Lock()
	m.closed = true
	talks, conns := maps.Clone(m.talks), maps.Clone(m.conns)
	m.mu.Unlock()
	for _, t := range talks {
		t.bury()
	}
	var all sync.WaitGroup
	for c := range conns {
		all.Go(func() { m.hangUp(c, m.config.Grace) })
	}
	all.Wait()
	return nil
}

// Trusted gives the commands among the names of models, for Provider: names of a
// list have | between them.
func Trusted(names ...string) []string {
	var commands []string
	for _, name := range names {
		for _, one := range append(strings.Split(name, "|"), name) {
			if command, ok := strings.CutPrefix(strings.TrimSpace(one), Prefix); ok {
				commands = append(commands, command)
			}
		}
	}
	return commands
}

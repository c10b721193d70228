// Package script is a model that plays its answers from a YAML file: text,
// reasoning, tool calls, failures and delays, for tests, demos and load.
//
// It keeps no position. Which turn is played is computed from the request
// alone, so the same request gets the same answer after a restart, after a
// rewind, and in any number of conversations at once. A file that says
// something it does not understand is refused when it is opened, with the line
// and what to do. The format is described in docs/models.md.
package script

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/parley-dev/parley/model"
)

// Prefix of the names under which scripts are opened: "script:FILE".
const Prefix = "script:"

const maxFile = 16 << 20

// Script is a model made from a file. It does not change once it is made.
type Script struct {
	name     string // the file, as errors name it
	info     model.Info
	rules    []turn
	sequence []turn
	sleep    sleeper
}

// Provider opens scripts by the name of their file.
func Provider() model.Provider {
	return model.Provider{
		Prefix: Prefix,
		Open:   func(_ context.Context, file string) (model.Model, error) { return Open(file) },
	}
}

// Open reads a script from a file.
func Open(file string) (*Script, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("open script: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	return Parse(file, data)
}

// Parse makes a script from the content of a file; name is what errors call it.
func Parse(name string, data []byte) (*Script, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s is larger than %d MiB; use generate for long answers", name, maxFile>>20)
	}
	s := &Script{name: name, sleep: sleep, info: model.Info{
		Name:          "script",
		ContextWindow: 200_000,
		Tools:         true,
		Images:        true,
		Reasoning:     true,
	}}
	if err := s.decode(data); err != nil {
		return nil, fmt.Errorf("%s, %w", name, err)
	}
	return s, nil
}

// Info says what the script claims to be.
func (s *Script) Info() model.Info { return s.info }

// Stream plays the turn that the request asks for.
func (s *Script) Stream(ctx context.Context, req model.Request, yield func(model.Event) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	sc := look(req)
	t, err := s.pick(sc)
	if err != nil {
		return err
	}
	p := player{ctx: ctx, req: req, sleep: s.sleep, yield: yield, fill: sc.filler()}
	return p.play(t)
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/parley-dev/parley/cmd/parley/console"
)

// maxLine is the longest line that can be said; the server's frames are larger.
const maxLine = 768 << 10

// prompt is what a person is shown where they type.
const prompt = "> "

// person says whether somebody sits at a terminal and types.
func (p *program) person() bool {
	f, ok := p.in.(*os.File)
	return ok && !p.json && term.IsTerminal(int(f.Fd()))
}

// prompt is the one to print: none where the console shows it, or nobody types.
func (p *program) prompt() string {
	if p.console != nil || !p.person() {
		return ""
	}
	return prompt
}

// atTerminal is the program with a line to type under all that it prints, if a
// person uses it. It owes the terminal back. Leave is called when they interrupt.
func (p *program) atTerminal(leave context.CancelFunc) (at *program, giveBack func(), err error) {
	if !p.person() || !console.Usable(p.in, p.out, p.err) {
		return p, func() {}, nil
	}
	c, err := console.Open(p.in.(*os.File), p.out.(*os.File), prompt)
	if err != nil {
		return nil, nil, fmt.Errorf("take over the terminal: %w", err)
	}
	own := *p
	own.console, own.leave, own.out, own.err = c, leave, c, c
	return &own, func() { _ = c.Close() }, nil
}

// line is what somebody typed, or why no more comes.
type line struct {
	text string
	err  error
}

// lines reads line by line, no faster than they are taken. Its goroutine ends
// with the input, or with the program.
func (p *program) lines() <-chan line {
	read := scan(p.in)
	if p.console != nil {
		read = p.console.ReadLine
	}
	out := make(chan line)
	go func() {
		defer close(out)
		for {
			text, err := read()
			switch {
			case errors.Is(err, io.EOF):
				return
			case errors.Is(err, console.ErrInterrupted):
				p.leave()
				return
			case errors.Is(err, bufio.ErrTooLong) || len(text) > maxLine:
				out <- line{err: fmt.Errorf("a line is longer than %d KiB; send long texts over REST", maxLine>>10)}
				return
			case err != nil:
				out <- line{err: err}
				return
			case strings.TrimSpace(text) != "":
				out <- line{text: text}
			}
		}
	}()
	return out
}

// scan reads lines from a pipe or a file.
func scan(in io.Reader) func() (string, error) {
	s := bufio.NewScanner(in)
	s.Buffer(make([]byte, 0, 64<<10), maxLine)
	return func() (string, error) {
		if s.Scan() {
			return s.Text(), nil
		}
		if s.Err() != nil {
			return "", s.Err()
		}
		return "", io.EOF
	}
}

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"syscall"
	"time"

	"github.com/parley-dev/parley"
	"github.com/parley-dev/parley/model"
)

// childWord makes this program one of its own children: a server that can be
// asked more than the real one, the bare loop beside it, or a model.
const childWord = "child"

// runChild is what a child does.
func runChild(kind string, args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	children := map[string]func(context.Context, []string) error{
		"serve": serveChild, "bare": bareChild, "model": modelChild,
	}
	run, ok := children[kind]
	if !ok {
		return fmt.Errorf("there is no child %q", kind)
	}
	return run(ctx, args)
}

// startChild runs this program as a child.
func startChild(kind string, args ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return start(self, append([]string{childWord, kind}, args...)...)
}

// serving is how a child serves: the same server as the real program's, with
// models of our own and a shorter memory.
type serving struct {
	Data      string
	Model     string
	IdleAfter time.Duration
	Profile   string
}

// serveHere runs such a server.
func (h *house) serveHere(o serving) (*server, error) {
	if h.profile != "" {
		h.servers++
		o.Profile = fmt.Sprintf("%s.server-%d", h.profile, h.servers)
	}
	b, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return startServer(self, childWord, "serve", string(b))
}

func serveChild(ctx context.Context, args []string) error {
	var o serving
	if err := json.Unmarshal([]byte(args[0]), &o); err != nil {
		return err
	}
	if o.Profile != "" {
		f, err := os.Create(o.Profile)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	food := make(chan int, 16)
	s, err := parley.New(parley.Options{
		Data: o.Data, Model: o.Model, Models: append([]model.Provider{stampProvider(), sseProvider(), fedProvider(food)}, parley.DefaultModels()...),
		Auth: "none", Listen: "127.0.0.1:0", IdleAfter: o.IdleAfter, NoRateLimits: true,
	})
	if err != nil {
		return err
	}
	err = s.Run(ctx, func(r parley.Running) {
		fmt.Printf("{\"listen\":%q,\"url\":%q}\n", r.Listen, r.URL)
		go answerQuestions(food)
	})
	// Now everything is written that will be.
	if written, perr := procField(os.Getpid(), "io", "write_bytes"); perr == nil {
		fmt.Printf("%.0f\n", written)
	}
	return errors.Join(err, s.Close())
}

// answerQuestions does what a line asks for: a number lets the fed model write so
// many chunks; anything else gives back unused memory and says how many bytes
// the program's own heap and stacks still have.
func answerQuestions(food chan<- int) {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		if n, err := strconv.Atoi(in.Text()); err == nil {
			food <- n
			fmt.Println(n)
			continue
		}
		debug.FreeOSMemory()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Println(m.HeapInuse + m.StackInuse)
	}
}

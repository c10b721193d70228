package main

import (
	"context"
	"errors"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/journal/sqlite"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// core is an engine on its journal, without doors and models.
type core struct {
	*engine.Engine
	store *sqlite.Journal
}

func openCore(dir string) (*core, error) {
	return openCoreOn(dir, func(j *sqlite.Journal) engine.Store { return j })
}

func openCoreOn(dir string, use func(*sqlite.Journal) engine.Store) (*core, error) {
	store, err := sqlite.Open(sqlite.Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	c := &core{store: store}
	c.Engine = engine.New(engine.Options{Store: use(store), Blobs: nowhere{}, Runner: nobody{}})
	c.Start()
	return c, nil
}

func (c *core) close() error { return errors.Join(c.Close(), c.store.Close()) }

// nowhere keeps no blobs: the loads here have none.
type nowhere struct{}

func (nowhere) Put(context.Context, []byte) (string, error) {
	return "", errors.New("this benchmark has no place for blobs")
}

// nobody runs no steps: the loads here leave none to run.
type nobody struct{}

func (nobody) Run(context.Context, *engine.Work) { panic("this benchmark has nothing to run") }

var me = session.Actor{User: "bench"}

// rename is the cheapest command there is: one record of its own.
func rename(title string) session.Command {
	return session.Command{Type: protocol.TypeUpdateSession, Data: &protocol.UpdateSession{Title: &title}, By: me}
}

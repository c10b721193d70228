package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/parley-dev/parley"
	"github.com/parley-dev/parley/client"
	"github.com/parley-dev/parley/protocol"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"parley": main})
}

// The scripts in testdata run the real program, each in a folder of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("PARLEY_DATA", e.WorkDir+"/data")
			e.Setenv("PARLEY_MODEL", "script:"+e.WorkDir+"/model.yaml")
			e.Setenv("GORACE", "atexit_sleep_ms=0") // it would sleep a second at the end of each
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"serving": serving, "damage": damage, "remember": remember},
	})
}

// serving waits until a server says that it serves a data folder.
func serving(ts *testscript.TestScript, _ bool, args []string) {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if r, ok := parley.Find(ts.MkAbs(args[0])); ok && r.URL != "" {
			return
		}
	}
	ts.Fatalf("no server came up on %s", args[0])
}

// damage overwrites the beginning of every place where a file holds a text.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	raw, err := os.ReadFile(path)
	ts.Check(err)
	old := []byte(args[1])
	if !bytes.Contains(raw, old) {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	new := append([]byte(args[2]), old[len(args[2]):]...)
	ts.Check(os.WriteFile(path, bytes.ReplaceAll(raw, old, new), 0o600))
}

// remember says something in a session, and answers the approval that is asked
// with a choice to be remembered ("ask" for none). An empty choice expects that
// nothing is asked.
func remember(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	data := ts.MkAbs("data")
	r, _ := parley.Find(data)
	token, err := os.ReadFile(data + "/token")
	ts.Check(err)
	c, err := client.New(client.Options{URL: r.URL, Token: strings.TrimSpace(string(token))})
	ts.Check(err)
	conn, err := c.Dial(ctx, args[0], client.DialOptions{})
	ts.Check(err)
	defer conn.Close()
	_, err = conn.SendMessage(ctx, "go")
	ts.Check(err)
	asked := false
	for event, err := range conn.Follow(ctx) {
		ts.Check(err)
		switch d := event.Data.(type) {
		case *protocol.HitlApprovalRequest:
			asked = true
			a := protocol.HitlApprovalResponse{RequestID: d.RequestID, Action: protocol.ActionApprove}
			if args[1] != "ask" {
				a.Remember = protocol.Remember(args[1])
			}
			_, err := conn.Send(ctx, protocol.TypeHitlApprovalResponse, a)
			ts.Check(err)
		case *protocol.Complete:
			if want := args[1] != ""; asked != want {
				ts.Fatalf("%s: asked %v, want %v", args[0], asked, want)
			}
			return
		}
	}
}

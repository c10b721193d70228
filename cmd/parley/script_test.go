package main

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/parley-dev/parley"
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
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"serving": serving, "damage": damage},
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

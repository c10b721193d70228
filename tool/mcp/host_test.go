package mcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/mcp"
)

func TestToolsOfSeveralServers(t *testing.T) {
	far := service(t, "far", false, nil)
	far.AlwaysAllow = []string{"echo", "what ever"}
	off := program(t, "off", "honest", "")
	off.Disabled = true
	h := open(t, mcp.Options{}, program(t, "near", "honest", ""), far, off).ready()

	for name, effect := range map[string]tool.Effect{
		"mcp__near__echo": tool.EffectRead, "mcp__near__set": tool.EffectIdempotent, "mcp__far__add": tool.EffectEffect,
	} {
		info := h.tool(name).Info()
		if info.Effect != effect || info.Class != tool.ClassMCP {
			t.Errorf("%s: %s, %s", name, info.Class, info.Effect)
		}
	}
	if r := h.must("mcp__far__echo", `{"text":"over there"}`); r.Text != "over there" || string(r.Summary) != `{"server":"far","tool":"echo"}` {
		t.Errorf("%+v", r)
	}
	if r := h.must("mcp__near__echo", `{"text":"fail"}`); !r.IsError || !strings.Contains(r.Text, "told to fail") {
		t.Errorf("%+v", r)
	}
	if names := h.Always(); len(names) != 2 || names[0] != "mcp__far__echo" || !strings.HasPrefix(names[1], "mcp__far__what_ever_") {
		t.Errorf("%q", names)
	}
	states := map[string]mcp.State{}
	for _, s := range h.Status() {
		states[s.Server] = s.State
		if s.State == mcp.Connected && (s.Tools != 6 || s.Prompts != 1 || !s.Resources || s.Program != "honest 1.2.3" || s.Error != "" || s.Protocol == "") {
			t.Errorf("%+v", s)
		}
	}
	if states["near"] != mcp.Connected || states["far"] != mcp.Connected || states["off"] != mcp.Disabled {
		t.Errorf("%v", states)
	}
}

func TestWhatAModelIsTold(t *testing.T) {
	r := open(t, mcp.Options{}, service(t, "s", true, nil)).ready().must("mcp__s__mixed", `{}`)
	if len(r.Text) > tool.MaxText || len(r.Images) != 1 || string(r.Images[0].Data) != "png" {
		t.Fatalf("%d bytes, %d images", len(r.Text), len(r.Images))
	}
	if !strings.Contains(r.Text, "bytes left out") {
		t.Errorf("nothing is said about what is left out: …%s", r.Text[len(r.Text)-200:])
	}
}

func TestResourcesAndPrompts(t *testing.T) {
	h := open(t, mcp.Options{}, service(t, "s", true, nil)).ready()
	if r := h.must("mcp_list_resources", `{}`); !strings.Contains(r.Text, "doc://one") || !strings.Contains(r.Text, "doc://{which}") {
		t.Errorf("%s", r.Text)
	}
	if r := h.must("mcp_read_resource", `{"server":"s","uri":"doc://seven"}`); r.Text != "[resource doc://seven]\nthis is doc://seven" {
		t.Errorf("%q", r.Text)
	}
	if _, err := h.run("mcp_read_resource", `{"server":"t","uri":"doc://seven"}`); tool.CodeOf(err) != tool.CodeInputInvalid || !strings.Contains(err.Error(), "there are: s") {
		t.Errorf("%v", err)
	}
	prompts := h.Prompts()
	if len(prompts) != 1 || prompts[0].Name != "greet" || !prompts[0].Arguments[0].Required {
		t.Fatalf("%+v", prompts)
	}
	got, err := h.GetPrompt(t.Context(), "s", "greet", map[string]string{"who": "Ada"})
	if err != nil || len(got) != 1 || got[0] != (mcp.PromptMessage{Role: "user", Text: "Hello Ada"}) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := h.GetPrompt(t.Context(), "s", "curse", nil); tool.CodeOf(err) == "" {
		t.Errorf("%v", err)
	}
}

func TestNoResourceToolsWithoutResources(t *testing.T) {
	h := open(t, mcp.Options{})
	if tools := h.Tools(); len(tools) != 0 {
		t.Errorf("%d tools of no server", len(tools))
	}
}

func TestChangedTools(t *testing.T) {
	t.Parallel()
	for name, reach := range map[string]func(*testing.T) mcp.Server{
		"program": func(t *testing.T) mcp.Server { return program(t, "s", "honest", "") },
		"service": func(t *testing.T) mcp.Server { return service(t, "s", false, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, mcp.Options{}, reach(t)).ready()
			h.must("mcp__s__grow", `{}`)
			h.until("the new tool", func() bool {
				_, err := tool.Find(h.Tools(), "mcp__s__grown")
				return err == nil
			})
		})
	}
}

func TestUseOtherServers(t *testing.T) {
	a, b := program(t, "a", "honest", ""), service(t, "b", true, nil)
	h := open(t, mcp.Options{}, a).ready()
	since := h.Status()[0].Since
	h.Use(context.Background(), []mcp.Server{b, a, b})
	h.ready()
	states := h.Status()
	if len(states) != 3 || states[1].Since != since || states[2].State != mcp.Failed || !strings.Contains(states[2].Error, "same name") {
		t.Errorf("%+v", states)
	}
	h.must("mcp__b__echo", `{"text":"hi"}`)
	h.Use(context.Background(), []mcp.Server{b})
	for _, each := range h.Tools() {
		if strings.HasPrefix(each.Info().Name, "mcp__a__") {
			t.Errorf("%s is still there", each.Info().Name)
		}
	}
}

// A server that was away is found again, and its tools were there all the time.
func TestServerComesBack(t *testing.T) {
	t.Parallel()
	var away atomic.Bool
	s := service(t, "s", true, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if away.Load() {
				http.Error(w, "closed for today", http.StatusTeapot)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	h := open(t, mcp.Options{}, s).ready()
	away.Store(true)
	if _, err := h.run("mcp__s__echo", `{"text":"hi"}`); tool.CodeOf(err) != tool.CodeExecutionFailed || !strings.Contains(err.Error(), "MCP server s") {
		t.Errorf("%v", err)
	}
	h.until("the loss", func() bool { return h.Status()[0].State == mcp.Failed })
	if _, err := h.run("mcp__s__echo", `{"text":"hi"}`); err == nil {
		t.Error("a server that is away answered")
	}
	away.Store(false)
	h.until("the return", func() bool { return h.Status()[0].State == mcp.Connected })
	h.must("mcp__s__echo", `{"text":"hi"}`)
}

// What proves who we are is shown to the server that it is for, and to no other
// that this one may name.
func TestHeadersGoNowhereElse(t *testing.T) {
	var stolen atomic.Bool
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			stolen.Store(true)
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	defer thief.Close()
	asked := make(chan string, 100)
	s := service(t, "s", true, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked <- r.Header.Get("Authorization")
			http.Redirect(w, r, thief.URL, http.StatusTemporaryRedirect)
		})
	})
	s.Headers = map[string]string{"Authorization": "Bearer secret:TOKEN"}
	h := open(t, mcp.Options{Lookup: func(text string) (string, error) {
		return strings.ReplaceAll(text, "secret:TOKEN", "abcdefgh"), nil
	}}, s).ready()
	if got := <-asked; got != "Bearer abcdefgh" {
		t.Errorf("the server was shown %q", got)
	}
	if stolen.Load() {
		t.Error("another server was shown the token")
	}
	if state := h.Status()[0]; state.State == mcp.Connected {
		t.Errorf("%+v", state)
	}
}

func TestCloseDoesNotWaitForACall(t *testing.T) {
	t.Parallel()
	for name, reach := range map[string]func(*testing.T) mcp.Server{
		"program":   func(t *testing.T) mcp.Server { return program(t, "s", "honest", "") },
		"sessions":  func(t *testing.T) mcp.Server { return service(t, "s", false, nil) },
		"stateless": func(t *testing.T) mcp.Server { return service(t, "s", true, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, mcp.Options{}, reach(t)).ready()
			begun, ended := make(chan struct{}), make(chan error, 1)
			var once atomic.Bool
			call := tool.Call{Input: []byte(`{"text":"hi","hold":true}`), Emit: func(e tool.Event) {
				if *e.Progress != (tool.Progress{Percent: 25, Step: "holding", Items: 1, Total: 4}) {
					t.Errorf("%+v", *e.Progress)
				}
				if once.CompareAndSwap(false, true) {
					close(begun)
				}
			}}
			held := h.tool("mcp__s__echo")
			go func() { _, err := held.Run(t.Context(), call); ended <- err }()
			<-begun
			if err := h.Close(); err != nil {
				t.Error(err)
			}
			if err := <-ended; tool.CodeOf(err) != tool.CodeExecutionFailed {
				t.Errorf("%v", err)
			}
			if _, err := held.Run(t.Context(), call); tool.CodeOf(err) != tool.CodeUnavailable {
				t.Errorf("a call after the end: %v", err)
			}
		})
	}
}

func TestOpenEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	h := mcp.Open(ctx, []mcp.Server{program(t, "s", "silent", "")}, mcp.Options{})
	cancel()
	if err := h.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	_ = h.Close()
	if !slices.ContainsFunc(h.Status(), func(s mcp.Status) bool { return s.State == mcp.Failed }) {
		t.Errorf("%+v", h.Status())
	}
}

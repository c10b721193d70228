package mcp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/mcp"
)

// installed gives the command of a server that others wrote. They are installed
// by `npm ci` in a copy of testdata/servers; MCP_TEST_SERVERS names that folder.
func installed(t *testing.T, command string) string {
	t.Helper()
	dir := os.Getenv("MCP_TEST_SERVERS")
	if dir == "" {
		t.Skip("MCP_TEST_SERVERS does not name a folder with servers")
	}
	path, err := filepath.Abs(filepath.Join(dir, "node_modules", ".bin", command))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestServerEverything(t *testing.T) {
	h := open(t, mcp.Options{}, mcp.Server{Name: "everything", Command: installed(t, "mcp-server-everything"), Args: []string{"stdio"}}).ready()
	state := h.Status()[0]
	t.Logf("%+v", state)
	if state.State != mcp.Connected || state.Tools < 8 || len(state.Problems) > 0 || !state.Resources || state.Prompts == 0 {
		t.Fatalf("%+v", state)
	}
	for _, each := range h.Tools() {
		t.Log(each.Info().Name, each.Info().Effect)
	}
	if r := h.must("mcp__everything__echo", `{"message":"안녕"}`); r.Text != "Echo: 안녕" {
		t.Errorf("%q", r.Text)
	}
	if r := h.must("mcp__everything__get-sum", `{"a":2,"b":40}`); !strings.Contains(r.Text, "42") {
		t.Errorf("%q", r.Text)
	}
	if r := h.must("mcp__everything__get-tiny-image", `{}`); len(r.Images) != 1 || r.Images[0].MediaType != "image/png" {
		t.Errorf("%q, %d images", r.Text, len(r.Images))
	}
	if r := h.must("mcp__everything__get-resource-links", `{"count":2}`); !strings.Contains(r.Text, "[resource demo://") {
		t.Errorf("%q", r.Text)
	}
	if _, err := h.run("mcp__everything__get-sum", `{"a":"two","b":40}`); tool.CodeOf(err) != tool.CodeInputInvalid {
		t.Errorf("%v", err)
	}
	var last tool.Progress
	r, err := h.tool("mcp__everything__trigger-long-running-operation").Run(t.Context(), tool.Call{
		Input: json.RawMessage(`{"duration":0.2,"steps":4}`), Emit: func(e tool.Event) { last = *e.Progress },
	})
	if err != nil || r.IsError || last.Total != 4 || last.Percent < 75 {
		t.Errorf("%v, %+v, %+v", err, r, last)
	}
	listed := h.must("mcp_list_resources", `{"server":"everything"}`).Text
	uri := strings.Fields(strings.SplitAfterN(listed, "\n", 2)[1])[0]
	if r := h.must("mcp_read_resource", `{"server":"everything","uri":"`+uri+`"}`); !strings.HasPrefix(r.Text, "[resource "+uri) {
		t.Errorf("%s: %.200s", uri, r.Text)
	}
	if got, err := h.GetPrompt(t.Context(), "everything", "simple-prompt", nil); err != nil || len(got) == 0 || got[0].Text == "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestServerFilesystem(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := open(t, mcp.Options{}, mcp.Server{Name: "files", Command: installed(t, "mcp-server-filesystem"), Args: []string{dir}}).ready()
	t.Logf("%+v", h.Status()[0])
	file := filepath.Join(dir, "note.txt")
	input := func(v map[string]any) string { raw, _ := json.Marshal(v); return string(raw) }
	if r := h.must("mcp__files__write_file", input(map[string]any{"path": file, "content": "a note\n"})); r.IsError {
		t.Error(r.Text)
	}
	if got, err := os.ReadFile(file); string(got) != "a note\n" {
		t.Errorf("%q, %v", got, err)
	}
	if r := h.must("mcp__files__read_text_file", input(map[string]any{"path": file})); r.Text != "a note\n" {
		t.Errorf("%q", r.Text)
	}
	if r := h.must("mcp__files__read_text_file", input(map[string]any{"path": "/etc/hostname"})); !r.IsError {
		t.Errorf("it read outside of its folder: %q", r.Text)
	}
	if effect := h.tool("mcp__files__read_text_file").Info().Effect; effect != tool.EffectRead {
		t.Errorf("reading has the effect %s", effect)
	}
}

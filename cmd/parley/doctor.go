package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley"
	"github.com/parley-dev/parley/tool/sandbox"
)

// finding is one thing that doctor looked for.
type finding struct {
	Name    string `json:"name"`
	Found   bool   `json:"found"`
	Detail  string `json:"detail"`
	Enables string `json:"enables"`
}

func newDoctor(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say what is on this machine and what it enables",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			findings := p.examine(cmd.Context())
			if p.json {
				return p.printJSON(findings)
			}
			w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
			for _, f := range findings {
				mark := "–"
				if f.Found {
					mark = "✓"
				}
				fmt.Fprintf(w, "%s %s\t%s\t%s\n", mark, f.Name, f.Enables, f.Detail) // what is longest stands last
			}
			return w.Flush()
		},
	}
}

func (p *program) examine(ctx context.Context) []finding {
	findings := []finding{p.dataFolder(), p.server()}
	programs := []struct {
		name, enables string
		commands      [][]string
	}{
		{"git", "checkpoints of the workspace", [][]string{{"git", "--version"}}},
		{"ripgrep", "fast search in files", [][]string{{"rg", "--version"}}},
		{"bubblewrap", "a sandbox for commands", [][]string{{"bwrap", "--version"}}},
	}
	for _, pr := range programs {
		f := finding{Name: pr.name, Enables: pr.enables, Detail: "not found"}
		for _, command := range pr.commands {
			if line, ok := firstLine(ctx, command); ok {
				f.Found, f.Detail = true, line
				break
			}
		}
		findings = append(findings, f)
	}
	findings = append(findings, holds())
	for _, key := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OLLAMA_HOST"} {
		f := finding{Name: key, Enables: map[string]string{"ANTHROPIC_API_KEY": "models of Anthropic", "OPENAI_API_KEY": "models of OpenAI", "OLLAMA_HOST": "models of a server on another machine"}[key], Detail: "not set"}
		if os.Getenv(key) != "" {
			f.Found, f.Detail = true, "set"
		}
		findings = append(findings, f)
	}
	return findings
}

func (p *program) dataFolder() finding {
	f := finding{Name: "data folder", Detail: p.config.data, Enables: "everything that is kept"}
	probe, err := os.CreateTemp(existing(p.config.data), ".parley-doctor-*")
	if err != nil {
		f.Detail += " cannot be written: " + err.Error()
		return f
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	f.Found = true
	return f
}

// existing is the nearest folder of a path that is there.
func existing(path string) string {
	for {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return path
		}
		i := strings.LastIndexByte(path, os.PathSeparator)
		if i <= 0 {
			return string(os.PathSeparator)
		}
		path = path[:i]
	}
}

func (p *program) server() finding {
	f := finding{Name: "server", Detail: "none runs on the data folder", Enables: "sessions, chat and search go through it"}
	if r, ok := parley.Find(p.config.data); ok {
		f.Found, f.Detail = true, fmt.Sprintf("process %d at %s", r.PID, r.URL)
	}
	return f
}

// holds says which sandbox the commands of agents would run in.
func holds() finding {
	info := sandbox.Detect()
	return finding{Name: "sandbox", Detail: about(info), Enables: "commands of agents that cannot leave the workspace", Found: info.Name != sandbox.None}
}

func firstLine(ctx context.Context, command []string) (string, bool) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, command[0], command[1:]...).Output()
	if err != nil {
		return "", false
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line, true
}

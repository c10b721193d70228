package main

import (
	"context"
	"fmt"
)

// benchmark is one thing that is measured, in a file of its own.
type benchmark struct {
	name  string
	about string
	// how says in one or two sentences what is done and what is counted.
	how string
	run func(ctx context.Context, h *house) ([]row, error)
}

// benchmarks are run in this order: those that want a quiet disk first.
var benchmarks = []benchmark{
	{"append", "durable append through the engine", appendHow, runAppend},
	{"fanout", "fan-out to many viewers", fanoutHow, runFanout},
	{"paced", "viewers of text that comes slowly", pacedHow, runPaced},
	{"latency", "from a model's chunk to a client", latencyHow, runLatency},
	{"answer", "an answer of 20,000 chunks", answerHow, runAnswer},
	{"plan", "a long plan", planHow, runPlan},
	{"tool", "a tool call", toolHow, runTool},
	{"open", "open a long session", openHow, runOpen},
	{"start", "start on a large journal", startHow, runStart},
	{"read", "read 1,000 messages", readHow, runRead},
	{"list", "list 10,000 sessions", listHow, runList},
	{"million", "a million messages", millionHow, runMillion},
	{"memory", "memory of the server", memoryHow, runMemory},
	{"stored", "bytes stored and bytes written", storedHow, runStored},
	{"checkpoints", "checkpoints of a workspace", checkpointsHow, runCheckpoints},
}

// verdict is what a measurement says about its budget.
type verdict string

const (
	pass    verdict = "pass"
	over    verdict = "OVER"
	info    verdict = "–"       // there is no budget
	skipped verdict = "skipped" // it could not be measured; the note says why
	failed  verdict = "FAILED"
)

func within(ok bool) verdict {
	if ok {
		return pass
	}
	return over
}

// row is one line of the table.
type row struct {
	What     string
	Budget   string
	Baseline string
	Measured string
	Ratio    string // of the two, with its spread over the rounds
	Verdict  verdict
	Note     string
}

func (r row) String() string {
	s := fmt.Sprintf("%-7s %s: %s", r.Verdict, r.What, r.Measured)
	if r.Baseline != "" {
		s += "; baseline " + r.Baseline
	}
	if r.Ratio != "" {
		s += "; ratio " + r.Ratio
	}
	if r.Budget != "" {
		s += "; budget " + r.Budget
	}
	if r.Note != "" {
		s += " (" + r.Note + ")"
	}
	return s
}

package session

import (
	"slices"
	"strconv"
	"strings"

	"github.com/parley-dev/parley/protocol"
)

// When a person has to look at a plan before it runs.
const (
	reviewAlways = "always"
	reviewNever  = "never"
	reviewOver   = "over:" // followed by US dollars
)

// needsReview says whether a plan of this cost waits for a person.
func (l *Ledger) needsReview(cost float64) bool {
	if limit, ok := strings.CutPrefix(l.PlanReview, reviewOver); ok {
		most, err := strconv.ParseFloat(limit, 64)
		return err != nil || cost > most
	}
	return l.PlanReview != reviewNever
}

// checkSettings refuses words that mean nothing. Nil is not set.
func checkSettings(review *string, pipeline *protocol.Pipeline, auto *[]string) error {
	if review != nil && *review != "" && *review != reviewAlways && *review != reviewNever {
		limit, ok := strings.CutPrefix(*review, reviewOver)
		if most, err := strconv.ParseFloat(limit, 64); !ok || err != nil || !(most >= 0) {
			return protocol.Errorf(protocol.CodeInvalidMessage, "plan_review must be always, never, or over:USD such as over:0.50, not %q", *review)
		}
	}
	known := []protocol.Pipeline{protocol.PipelineAuto, protocol.PipelineDirect, protocol.PipelinePlanned}
	if pipeline != nil && *pipeline != "" && !slices.Contains(known, *pipeline) {
		return protocol.Errorf(protocol.CodeInvalidMessage, "pipeline must be auto, direct or planned, not %q", *pipeline)
	}
	if auto == nil {
		return nil
	}
	for _, class := range *auto {
		if !slices.Contains(protocol.ToolClasses(), protocol.ToolClass(class)) {
			return protocol.Errorf(protocol.CodeInvalidMessage, "auto_approve may hold read, write, execute, browser and mcp, not %q", class)
		}
	}
	return nil
}

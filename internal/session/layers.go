package session

import (
	"time"

	"github.com/parley-dev/parley/protocol"
)

// firstLayer is where a turn of a pipeline begins. A direct turn is executed at
// once; the others first find out what is asked.
func firstLayer(p protocol.Pipeline) protocol.Layer {
	if p == protocol.PipelineDirect {
		return protocol.LayerExecution
	}
	return protocol.LayerCognitive
}

// enter makes a layer the current one, leaving the one before.
func (t *Turn) enter(layer protocol.Layer, description string, d *draft) {
	if t.Layer == layer {
		return
	}
	t.leave(layer, d)
	d.add(protocol.TypeLayerStart, &protocol.LayerStart{Layer: layer, Description: description, TurnID: t.ID})
}

func (t *Turn) leave(next protocol.Layer, d *draft) {
	if t.Layer == "" {
		return
	}
	d.add(protocol.TypeLayerComplete, &protocol.LayerComplete{
		Layer: t.Layer, NextLayer: next, DurationMS: d.now.Sub(t.LayerSince).Milliseconds(), TurnID: t.ID,
	})
}

func (t *Turn) statistics(now time.Time) protocol.Statistics {
	return protocol.Statistics{
		ExecutionTimeMS: now.Sub(t.Started).Milliseconds(), TokensUsed: t.Usage.Tokens(), CostUSD: t.Usage.CostUSD, Usage: t.Usage,
	}
}

package session

import (
	"encoding/json"

	"github.com/parley-dev/parley/protocol"
)

// Checkpoint says that the workspace was kept, or could not be (*Checkpointed).
const Checkpoint protocol.Type = "effect.checkpoint"

// Checkpointed is what came of keeping the workspace. One of the two is set.
type Checkpointed struct {
	AgentID string
	TurnID  string
	Saved   *protocol.CheckpointSaved // without an id
	Failed  *protocol.CheckpointFailed
}

func (s *State) checkpoint(c *Checkpointed, _ Command, d *draft) error {
	d.of(c.AgentID, protocol.DefaultMonitor)
	if c.Failed != nil {
		failed := *c.Failed
		failed.TurnID = c.TurnID
		d.add(protocol.TypeCheckpointFailed, &failed)
		return nil
	}
	if c.Saved.FromHash == "" && s.Ledger.Checkpoint != "" {
		return nil // another call was the first, at the same time
	}
	saved := *c.Saved
	saved.ID, saved.TurnID = protocol.ID(protocol.CheckpointPrefix, d.next), c.TurnID
	d.add(protocol.TypeCheckpointSaved, &saved)
	if saved.FromHash == "" { // where it started: nothing happened that people were to read of
		return nil
	}
	about, _ := json.Marshal(map[string]string{"id": saved.ID, "from": saved.FromHash, "to": saved.Hash})
	d.message(protocol.MessageRecord{TurnID: c.TurnID, Role: protocol.RoleSystem, Message: protocol.Message{
		Say: protocol.SayCheckpointSaved, Text: saved.Hash, Checkpoint: about,
	}})
	return nil
}

package session

import "github.com/parley-dev/parley/protocol"

// Restored says what came of taking files back (*FilesRestored).
const Restored protocol.Type = "effect.restored"

// Restoring is a rewind whose files have not gone back yet: from what the
// workspace was to what it is to be.
type Restoring struct {
	RewindID string `json:"rewind_id"`
	Before   string `json:"before"`
	After    string `json:"after"`
}

func (l *Ledger) restored(rewind string) {
	if l.Restoring != nil && l.Restoring.RewindID == rewind {
		l.Restoring = nil
	}
}

// FilesRestored is what came of it.
type FilesRestored struct {
	Done   protocol.CheckpointRestored // without an id
	Failed *protocol.TurnError
}

func (s *State) filesRestored(f *FilesRestored, _ Command, d *draft) error {
	due := s.Ledger.Restoring
	if due == nil {
		return nil
	}
	d.of("", protocol.DefaultMonitor)
	if f.Failed != nil {
		d.add(protocol.TypeCheckpointFailed, &protocol.CheckpointFailed{
			Reason: "restore", RewindID: due.RewindID, Error: *f.Failed, DurationMS: f.Done.DurationMS,
		})
		return nil
	}
	done := f.Done
	done.RewindID = due.RewindID
	if done.Files == nil {
		done.Files = []protocol.FileChange{}
	}
	d.add(protocol.TypeCheckpointRestored, &done)
	return nil
}

package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/protocol"
)

func (d *door) registerCheckpoints() {
	register(d, call{
		method: http.MethodGet, path: "/sessions/{id}/checkpoints", id: "list-checkpoints", tag: "files",
		summary: "List the checkpoints of the workspace", doc: "The newest first: the files as a tool of the agent has left them, where it changed any. Hidden ones too, marked.",
	}, d.listCheckpoints)
	d.registerDiff()
	register(d, call{
		method: http.MethodPost, path: "/sessions/{id}/checkpoints/{ckpt}/restore", id: "restore-checkpoint", tag: "files",
		summary: "Take the files back to a checkpoint",
		doc: "The command checkpoint_restore: a rewind of the files, and of the conversation too if that is wanted. Only what the agent changed goes back; " +
			"what a person has changed since is kept, merged where that is clean, and named. With preview nothing happens.",
		body: reflect.TypeFor[Restore](), bodyOptional: true, errors: []protocol.Code{protocol.CodeSessionInvalidState},
	}, d.restoreCheckpoint)
}

// CheckpointItem is a checkpoint in a list.
type CheckpointItem struct {
	ID              string        `json:"id"`
	Hash            string        `json:"hash"`
	CreatedAt       protocol.Time `json:"created_at"`
	Reason          string        `json:"reason"`
	MessageID       string        `json:"message_id"`
	FilesChanged    int           `json:"files_changed"`
	Incomplete      bool          `json:"incomplete,omitempty"`
	NotCaptured     []string      `json:"not_captured,omitempty" doc:"Some files that lie there and are not in it."`
	NotCapturedMore int           `json:"not_captured_more,omitempty" doc:"How many there are beside those."`
	Hidden          bool          `json:"hidden,omitempty" doc:"It was rewound."`
}

type checkpointsInput struct {
	OfSession
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" maxLength:"40"`
}

type checkpointsOutput struct {
	Body struct {
		Items      []CheckpointItem `json:"items"`
		NextCursor string           `json:"next_cursor,omitempty"`
	} `nameHint:"CheckpointList"`
}

// checkpointWindow is how many records are looked through at a time, from the end.
const checkpointWindow = 2000

func (d *door) listCheckpoints(ctx context.Context, in *checkpointsInput) (*checkpointsOutput, error) {
	if err := d.Gateway.Authorize(ctx, callerOf(ctx), auth.Read, in.ID); err != nil {
		return nil, err
	}
	path, last, err := d.Gateway.Engine.Path(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if in.Cursor != "" {
		seq, err := protocol.ParseID(protocol.CheckpointPrefix, in.Cursor)
		if err != nil || seq == 0 {
			return nil, protocol.Errorf(protocol.CodeInvalidMessage, "the cursor is not one of this list").With("field", "cursor")
		}
		last = min(last, seq-1)
	}
	var out checkpointsOutput
	out.Body.Items = []CheckpointItem{}
	for last > 0 {
		after := max(last, checkpointWindow) - checkpointWindow
		records, err := d.Gateway.Engine.Checkpoints(ctx, in.ID, after, last)
		if err != nil {
			return nil, err
		}
		for _, r := range slices.Backward(records) {
			if len(out.Body.Items) == in.Limit {
				out.Body.NextCursor = out.Body.Items[in.Limit-1].ID
				return &out, nil
			}
			c := r.Data.(*protocol.CheckpointSaved)
			out.Body.Items = append(out.Body.Items, CheckpointItem{
				ID: c.ID, Hash: c.Hash, CreatedAt: protocol.At(r.Time), Reason: c.Reason, MessageID: r.ID(), FilesChanged: c.FilesChanged,
				Incomplete: c.Incomplete, NotCaptured: c.NotCaptured, NotCapturedMore: c.NotCapturedMore, Hidden: !path.Contains(r.Seq),
			})
		}
		last = after
	}
	return &out, nil
}

func (d *door) checkpoint(ctx context.Context, session, id string) (protocol.CheckpointSaved, error) {
	seq, err := protocol.ParseID(protocol.CheckpointPrefix, id)
	if err != nil || seq == 0 {
		return protocol.CheckpointSaved{}, protocol.Errorf(protocol.CodeInvalidMessage, "name a checkpoint by its id, such as %s", protocol.ID(protocol.CheckpointPrefix, 42))
	}
	records, err := d.Gateway.Engine.Read(ctx, session, seq-1, 1)
	if err != nil {
		return protocol.CheckpointSaved{}, err
	}
	if len(records) == 1 {
		if c, ok := records[0].Data.(*protocol.CheckpointSaved); ok {
			return *c, nil
		}
	}
	return protocol.CheckpointSaved{}, protocol.Errorf(protocol.CodeInvalidMessage, "the session has no checkpoint %q", id)
}

// Restore says how to take files back.
type Restore struct {
	Conversation bool `json:"conversation,omitempty"`
	Preview      bool `json:"preview,omitempty"`
}

type restoreInput struct {
	OfSession
	Keyed
	Checkpoint string `path:"ckpt" maxLength:"40"`
	RawBody    []byte `contentType:"application/json"`
}

func (d *door) restoreCheckpoint(ctx context.Context, in *restoreInput) (*rewoundOutput, error) {
	body, err := withField(orEmpty(in.RawBody), "checkpoint_id", in.Checkpoint)
	if err != nil {
		return nil, err
	}
	r, err := d.command(ctx, in.ID, protocol.TypeCheckpointRestore, in.IdempotencyKey, body, maxBody)
	if err != nil {
		return nil, err
	}
	told, _ := r.Answer.(protocol.RewindResult)
	return &rewoundOutput{told}, nil
}

// withField puts a part of the path into the body, where the command has it.
func withField(body []byte, name, value string) ([]byte, error) {
	if err := checkObject(body); err != nil {
		return nil, err
	}
	var object map[string]json.RawMessage
	_ = json.Unmarshal(body, &object) // it is an object
	var err error
	if object[name], err = json.Marshal(value); err != nil {
		return nil, err
	}
	return json.Marshal(object)
}

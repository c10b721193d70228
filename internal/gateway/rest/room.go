package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/parley-dev/parley/protocol"
)

func (d *door) registerRoom() {
	if d.Clean == nil {
		return
	}
	register(d, call{
		method: http.MethodPost, path: "/checkpoints/gc", id: "clean-checkpoints", tag: "files",
		summary: "Make the room of checkpoints smaller",
		doc: "For admins. Joins what is stored, empties old trash, and lets the checkpoints of deleted sessions go whose time is over; the server does the same by itself every hour. " +
			"What living sessions still name, such as forks, stays. The answer comes when it is done.",
		body: reflect.TypeFor[Cleaning](), bodyOptional: true,
	}, d.clean)
}

// Cleaning says how thorough to be.
type Cleaning struct {
	OlderThanDays int  `json:"older_than_days,omitempty" minimum:"0" maximum:"36500" doc:"Checkpoints older than this go too, whosever they are: what agents did before cannot be taken back then."`
	Now           bool `json:"now,omitempty" doc:"Do not wait for a day after a session was deleted."`
	DryRun        bool `json:"dry_run,omitempty" doc:"Only say what would go."`
}

// FolderRoom is what the checkpoints of one folder take, and what went.
type FolderRoom struct {
	Folder        string `json:"folder"`
	Checkpoints   int    `json:"checkpoints" doc:"How many there are now."`
	Bytes         int64  `json:"bytes" doc:"What they take now."`
	BytesBefore   int64  `json:"bytes_before"`
	TrashBytes    int64  `json:"trash_bytes" doc:"What restores displaced; kept for 14 days."`
	Removed       int    `json:"removed" doc:"Checkpoints that went, or would."`
	Sessions      int    `json:"sessions" doc:"Deleted sessions whose checkpoints went, or would."`
	KeptForOthers int    `json:"kept_for_others" doc:"Checkpoints of deleted sessions that others name and have now."`
	Waiting       int    `json:"waiting" doc:"Checkpoints of deleted sessions whose day is not over."`
}

// Room is what all checkpoints take.
type Room struct {
	Items []FolderRoom `json:"items"`
}

type roomOutput struct{ Body Room }

type cleanInput struct {
	RawBody []byte `contentType:"application/json"`
}

func (d *door) clean(ctx context.Context, in *cleanInput) (*roomOutput, error) {
	if err := d.admin(ctx); err != nil {
		return nil, err
	}
	var how Cleaning
	if len(in.RawBody) > 0 && json.Unmarshal(in.RawBody, &how) != nil || how.OlderThanDays < 0 || how.OlderThanDays > 36_500 {
		return nil, protocol.Errorf(protocol.CodeInvalidMessage, `the body must be a JSON object such as {"older_than_days":30,"dry_run":true}`).With("field", "body")
	}
	items, err := d.Clean(ctx, how)
	return &roomOutput{Room{append([]FolderRoom{}, items...)}}, asRefusal(err)
}

package session

import (
	"slices"

	"github.com/parley-dev/parley/protocol"
)

// QueueLimit is how many messages may wait.
const QueueLimit = 10

// QueueStarted is why a message leaves the queue: its turn has come.
const QueueStarted = "started"

// Queue is the messages that wait for their turn, next one first.
type Queue struct {
	Items []protocol.QueueItem `json:"items,omitempty"`
}

func (q Queue) clone() Queue { return Queue{Items: slices.Clone(q.Items)} }

func (q *Queue) apply(r protocol.Record) {
	switch d := r.Data.(type) {
	case *protocol.MessageQueued:
		q.Items = append(q.Items, protocol.QueueItem{
			MessageID: r.ID(), Content: d.Content, ContentBlob: d.ContentBlob, Images: d.Images,
			MonitorID: r.MonitorID, By: d.By, Timestamp: protocol.At(r.Time),
		})
	case *protocol.QueueChanged:
		q.reorder(d.Queue)
	}
}

func (q *Queue) reorder(ids []string) {
	items := make([]protocol.QueueItem, 0, len(ids))
	for _, id := range ids {
		if i := q.find(id); i >= 0 {
			items = append(items, q.Items[i])
		}
	}
	q.Items = items
}

func (q *Queue) find(id string) int {
	return slices.IndexFunc(q.Items, func(i protocol.QueueItem) bool { return i.MessageID == id })
}

func (q *Queue) ids() []string {
	ids := make([]string, len(q.Items))
	for i, item := range q.Items {
		ids[i] = item.MessageID
	}
	return ids
}

// Shorten takes over what of the waiting messages was moved out of line when
// their records were stored.
func (q *Queue) Shorten(records []protocol.Record) {
	for _, r := range records {
		d, ok := r.Data.(*protocol.MessageQueued)
		if !ok {
			continue
		}
		if i := q.find(r.ID()); i >= 0 {
			q.Items[i].Content, q.Items[i].ContentBlob, q.Items[i].Images = d.Content, d.ContentBlob, d.Images
		}
	}
}

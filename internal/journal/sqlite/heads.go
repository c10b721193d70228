package sqlite

// head is what the committer knows of a session without asking the database.
type head struct {
	key    int64
	family int64 // key of the session whose beginning this one shares
	last   uint64
	era    int64 // of the last record
	wake   int64 // unix nanoseconds; never if there is none
	state  headState
}

type headState uint8

const (
	absent headState = iota
	alive
	deleted
)

// never is the wake time of a session that is not to be woken.
const never = int64(-1 << 63)

// heads remembers the sessions used lately: between one and two generations.
// When the young generation is full it becomes the old one and what was old is
// forgotten.
type heads struct {
	young, old map[string]head
	limit      int
}

func newHeads(limit int) *heads {
	return &heads{young: make(map[string]head), limit: limit}
}

func (h *heads) get(id string) (head, bool) {
	if v, ok := h.young[id]; ok {
		return v, true
	}
	v, ok := h.old[id]
	return v, ok
}

func (h *heads) put(id string, v head) {
	if _, ok := h.young[id]; !ok && len(h.young) >= h.limit {
		h.old, h.young = h.young, make(map[string]head)
	}
	h.young[id] = v
}

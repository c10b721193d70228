package engine

// tailBytes is how much of the newest records a live session keeps in memory,
// so that who was away for a moment needs no disk.
const tailBytes = 32 << 10

// tail is the newest frames of a session, without a gap.
type tail struct {
	frames []*Frame
	bytes  int
}

func (t *tail) add(f *Frame) {
	t.frames = append(t.frames, f)
	t.bytes += len(f.JSON)
	drop := 0
	for t.bytes > tailBytes && drop < len(t.frames) {
		t.bytes -= len(t.frames[drop].JSON)
		t.frames[drop] = nil
		drop++
	}
	t.frames = t.frames[drop:]
}

// after gives the frames after a sequence number; ok is false if some of them
// are not here any more.
func (t *tail) after(seq, last uint64) (frames []*Frame, ok bool) {
	if seq >= last { // more, if another writer has come in between
		return nil, true
	}
	if len(t.frames) == 0 || t.frames[0].Seq > seq+1 {
		return nil, false
	}
	return t.frames[seq+1-t.frames[0].Seq:], true
}

package sqlite

// An era is a stretch of the feed. The index of the records begins with it, so
// that whatever is appended at one time is indexed in one place, on few pages,
// though it belongs to many sessions: with an index by session alone, each
// append would touch a page of its own, which is then logged, synced and moved.
// The table of spans says in which eras a session has records.
type era struct {
	number   int64
	records  int
	sessions int
}

const (
	shortestEra = 1024
	longestEra  = 1 << 16
	// spanShare is how many records an era has for each span.
	spanShare = 16
)

// over says whether the next record begins a new era: the longer an era, the
// more pages its index has; the shorter, the more spans there are.
func (e era) over() bool {
	return e.records >= shortestEra && (e.records >= longestEra || e.records >= spanShare*e.sessions)
}

// Package journal is the port to the place where sessions are kept.
//
// A session is a sequence of records numbered 1, 2, 3 … without gaps. A record
// is its frame: the bytes that the engine encoded once. The journal stores
// those bytes and never looks inside them.
//
// What an implementation promises:
//
//   - Append is all or nothing and is synced to disk before it returns nil.
//     After a crash every acknowledged append is there, whole; one that was not
//     acknowledged is there whole or not at all.
//   - Append with an Expect that is not the session's last sequence changes
//     nothing and gives ErrConflict: that is the fence against a second writer.
//   - An append that fails (disk full, read-only) changes nothing; the next one
//     may succeed.
//   - Records come back in order, as the same bytes. A damaged one is reported
//     as a *DamageError and never skipped in silence.
//   - Work put in with PutParts before an Append that closes the same open
//     message is removed by it: no part outlives its message.
//   - Everything is safe for concurrent use. The journal keeps no reference to
//     slices it was given after a call returned.
//
// What it refuses: it knows no session states, owners or types, cuts nothing
// out of a living session, and does not give a deleted id again.
package journal

import (
	"context"
	"time"
)

// Record is one stored fact.
type Record struct {
	Seq   uint64
	Frame []byte
}

// Append is what one decision adds to one session.
type Append struct {
	Session string
	// Expect is the session's last sequence number as the writer knows it: 0
	// creates the session.
	Expect uint64
	// Records are numbered Expect+1, Expect+2, … There is at least one; another
	// number is refused.
	Records []Record
	// Wake is when the session must be opened next, even if nobody asks; the
	// zero time means never. It replaces the one before.
	Wake time.Time
	// Closes names open messages that these records finish: their parts go.
	Closes []string
	// Blobs are hashes that these records refer to. Their content is stored
	// and synced already.
	Blobs []string
}

// Head is how far a session has come.
type Head struct {
	Last    uint64 // sequence of the last record; 0 if there is no such session
	Wake    time.Time
	Deleted bool // the id was used once and is not to be used again
}

// Part is a piece of a message that is still being written.
type Part struct {
	Open  string // id of the open message
	Index int    // parts of one open message are numbered 0, 1, 2 …
	Text  string
	// Meta is set in part 0: what the engine needs to close the message after a crash.
	Meta []byte
}

// Snapshot is a folded session, kept so that opening does not fold it again.
type Snapshot struct {
	Seq     uint64 // it holds everything up to this record
	Version int    // of the fold that made it
	Path    []byte // which records it was folded from, as the folder encodes it
	State   []byte
}

// Journal keeps sessions. See the package comment for its promises.
type Journal interface {
	// Append adds records to a session. Errors: ErrConflict, ErrDeleted, or
	// what the disk said.
	Append(ctx context.Context, a Append) error
	// Read gives up to limit records after a sequence number, in order. Fewer
	// than limit means that the end was reached. A session that does not exist
	// has no records. With a *DamageError come the records before the damage.
	Read(ctx context.Context, session string, after uint64, limit int) ([]Record, error)
	// Head says how far a session has come.
	Head(ctx context.Context, session string) (Head, error)
	// Due gives the sessions whose wake time lies in (after, until], earliest
	// first, and the earliest wake time after until (zero if there is none).
	Due(ctx context.Context, after, until time.Time) (sessions []string, next time.Time, err error)
	// Delete removes a session with all that belongs to it and remembers the
	// id. Deleting what does not exist gives ErrNotFound.
	Delete(ctx context.Context, session string) error
	// Close waits for what is under way and lets go of the files.
	Close() error
}

// Parts is the capability to keep messages that are still being written.
type Parts interface {
	// PutParts queues parts and returns at once. They are synced with the next
	// group; failed is called (from another goroutine) if they were not. A part
	// that is put again replaces the one before.
	PutParts(session string, parts []Part, failed func(error))
	// Parts gives a session's parts, ordered by open message and index.
	Parts(ctx context.Context, session string) ([]Part, error)
}

// Snapshots is the capability to keep folded states.
type Snapshots interface {
	// PutSnapshot keeps a snapshot; it need not be synced. Old ones may be
	// thinned out, the newest stays.
	PutSnapshot(ctx context.Context, session string, s Snapshot) error
	// Snapshots gives a session's snapshots with a version, newest first, those
	// at or below the sequence `upto` (0: all), at most limit.
	Snapshots(ctx context.Context, session string, version int, upto uint64, limit int) ([]Snapshot, error)
}

// Entry is a record as the feed shows it.
type Entry struct {
	Position int64
	Session  string
	Record
}

// Tombstone says that a session was deleted.
type Tombstone struct {
	Position int64
	Session  string
}

// Feed is the capability to follow all sessions at once, for folds that span them.
type Feed interface {
	// Entries gives up to limit records of all sessions after a position, in
	// the order in which they were appended. Fewer than limit means that the
	// end was reached. With a *DamageError come the entries before the damage.
	Entries(ctx context.Context, after int64, limit int) ([]Entry, error)
	// Tombstones gives up to limit deletions after a position of their own;
	// fewer than limit means that there are no more.
	Tombstones(ctx context.Context, after int64, limit int) ([]Tombstone, error)
}

// BlobRefs is the capability to say which session may read which blob.
type BlobRefs interface {
	// HasBlob says whether a record of the session refers to the blob.
	HasBlob(ctx context.Context, session, hash string) (bool, error)
	// Blobs gives every hash that any session refers to, in order, after a hash.
	Blobs(ctx context.Context, after string, limit int) ([]string, error)
}

// Forker is the capability to copy the beginning of a session.
type Forker interface {
	// Fork makes a new session of the records 1..upto of another, sharing its
	// blobs, and adds the append's records after them (a.Expect == upto). A
	// source that does not exist gives ErrNotFound; one that is too short, or a
	// target that exists, ErrConflict.
	Fork(ctx context.Context, from string, upto uint64, a Append) error
}

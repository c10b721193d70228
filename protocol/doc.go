// Package protocol is Parley's vocabulary: every record, command and signal,
// their envelope, ids, errors and close codes, as data.
//
// It promises that a record never changes its meaning: fields are only added,
// and a new meaning is a new type. It refuses frames that could harm a reader
// (too large, too deep, not UTF-8, of the wrong kind) and tolerates fields it
// does not know. It depends on the standard library alone.
package protocol

// Version of the wire protocol and of the record vocabulary.
const Version = "1.0"

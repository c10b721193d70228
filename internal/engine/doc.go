// Package engine keeps sessions alive.
//
// One goroutine owns one live session. It takes commands from a mailbox and
// treats them one after the other: decide, append and sync, apply, send. No
// command is decided before the records of the one before it are on disk, so
// what a client was told is never lost, and a failed append changes nothing.
//
// The engine promises that
//
//   - every subscriber gets every record after its cursor once, in order, also
//     when it is too slow and has to catch up from the journal;
//   - passing text (deltas) shares that order, and has no gap in its index;
//   - a session that nobody needs costs no memory, and one with work to do or a
//     deadline to keep is opened in time, also after a crash;
//   - whatever the core's Next lists is being run, and nothing else.
//
// Doors reach sessions through the Engine's methods alone and never hold one
// themselves: its owner may be elsewhere.
package engine

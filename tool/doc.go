// Package tool is the port to what an agent can do: what a tool says of itself,
// how it is called, what it gives and how it fails. The built-in tools live in
// package builtin below it; tooltest holds the suite that every tool passes.
//
// A tool keeps nothing between two calls, unless a call asks for that (see
// Keeper). It may be used by many goroutines at once, also in one workspace.
//
// A tool works in the workspace of the call and nowhere else. Paths in its input
// are relative to that folder and written with slashes; a path that leaves it, by
// an absolute name, by "..", or through a symbolic link, is refused with
// CodePathRefused. Call.Root and Path do this for whoever writes one. (What a
// shell command does is up to the command; that is why it needs approval.)
//
// Input that does not fit the schema is refused with CodeInputInvalid before
// anything is done; Decode does that. A call that a person has to approve can be
// described before it runs, by a tool that is also a Previewer; how much it
// matters can be told for each call, by a Weigher.
//
// Output is bounded: Result.Text by MaxText, Result.Summary by MaxSummary,
// Result.Images by MaxImages, each of MaxImage, and a
// tool that leaves something out says so in the text. What is streamed by
// Call.Emit is for people who watch; the text stands for itself.
//
// Failures are *Error, whose Code says what happened. When the context is done,
// Run returns the context's error and not an *Error. In both cases the Result
// may hold what came before. When Run has returned, nothing that it started
// still runs, but what the call asked to have kept.
//
// A tool does not ask, retry, queue or log: whoever calls it does, since only the
// caller can record it. It holds no secret in its results or errors.
package tool

// Package model is the port to language models: what a model is asked, what it
// answers, and how it fails, in words that belong to no vendor. Adapters live
// in the packages below it; modeltest holds the suite that every adapter
// passes.
//
// A model is stateless. All it knows of a conversation stands in the Request,
// so a call can be made again after a crash, by another process, or by another
// model. A Model may be used by many goroutines at once.
// An agent that is hosted as a model remembers more than that (see Actor); what
// it remembers counts only as long as the Request says the same.
//
// An answer is a stream of events:
//
//   - TextDelta and ReasoningDelta carry the next piece of text. A piece is
//     valid UTF-8 by itself and may be empty. Pieces of one kind that follow
//     each other belong together.
//   - ToolUse carries one complete call. Its input is a JSON object; if the model
//     wrote something else, it is a JSON string that holds what it wrote, for
//     whoever called to refuse. A call that the model did not finish is never
//     given.
//   - Vendor carries something that only the adapter understands and wants back
//     in its place in later requests: a signature, encrypted reasoning. It is
//     kept and never read by anybody else.
//   - Done comes last, exactly once, with the reason why the answer ended and
//     what it used. No event follows it. An answer that failed has no Done.
//
// Answer joins the events into the message that goes into the history.
//
// Failures are *Error, whose Kind says what to do. When the context is done,
// Stream returns the context's error and not an *Error.
//
// An adapter does not retry, queue, log or cache: whoever calls it decides on
// that, since only the caller can record what was tried. It holds no secret in
// an error's text.
package model

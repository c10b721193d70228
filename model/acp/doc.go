// Package acp hosts an agent that speaks the Agent Client Protocol (Claude Code,
// Gemini CLI, Codex, opencode and others) as a model: "acp:COMMAND".
//
// Such an agent has a model, a memory and tools of its own, and works through a
// whole turn by itself. Here its turn is cut into answers: an answer ends where
// the agent wants something of somebody else, and the next one goes on from there.
//
//   - Its words and thoughts are text and reasoning.
//   - When it asks for permission, the answer ends in a call that only the agent
//     can carry out (agent_write, agent_execute, …). The session records it and
//     decides on it as on any call: by settings, by what a person remembered, by
//     asking. Carry then lets the agent do it and waits for the outcome; a call
//     that has a result but was never carried was refused, and the agent is told.
//   - What it did without asking is told afterwards, as a call of agent_did, with
//     its outcome: nothing that the agent reports is missing in the records.
//   - Its plan is a call of update_todos, where that is offered.
//
// A Model keeps one process for each conversation. Which conversation a request
// goes on with stands in the history, in what the model left there; if that does
// not fit to the letter (another branch, a condensed past, a new server), a fresh
// agent is started and given the past as text. A process ends with its
// conversation, when nobody has needed it for a while, and at Close; with it ends
// all that it started. An agent that works while nobody listens, because the
// session is paused or gone, is stopped after some seconds.
//
// The agent gets a short list of environment variables, and those that the command
// names. It reads files through us in the workspace only, and writes them through
// us only after a call that was allowed. Terminals are refused. What it does by
// itself, past us, is its own: it runs with the rights of the server's user.
package acp

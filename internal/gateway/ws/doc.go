// Package ws is the WebSocket door: GET /ws/{session_id}.
//
// It does framing and nothing else. Who may do what is the gateway's to say,
// what happens is the engine's.
//
// The door promises that
//
//   - whoever is let in gets session_state first, then what it has missed, then
//     what comes, in the session's order; an answer to a message never comes
//     before the records that the message gave;
//   - whoever is not let in is told why, in an `error` and by the close code:
//     a page in a browser cannot see more than these;
//   - what one client sends, or does not read, harms no other client, and takes
//     a bounded amount of memory;
//   - a connection on which nothing happens has one goroutine and no buffer.
//
// It refuses compression, binary messages, and pages of other sites.
package ws

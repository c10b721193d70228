// Package mcp gives agents the tools of MCP servers: programs that it runs and
// talks to over their standard input and output, and services that it reaches
// over streamable HTTP.
//
// A Host keeps the connections. It starts servers, starts them again with a
// growing pause when they end, and ends each with all the processes that it
// started. What a server offers becomes tools of package tool, named
// mcp__SERVER__TOOL; see name for how that stays within 64 characters and apart.
//
// A server is somebody else's code and is believed nothing. One that dies,
// hangs or lies harms itself alone: what it sends is bounded in size and waited
// for in bounded time; a tool that a model could not be given (a name without a
// letter, a schema that is none, two of one name) is left out and Host.Status
// says so; and an error says which server it is about. A server that is away
// keeps its tools, and a call says why they cannot be used now.
//
// A program sees of the environment what a command of run_command sees, and
// beside that only what its own entry names. Secrets stand there by reference
// (Options.Lookup). They are taken out of everything that comes back from the
// server they were given to.
//
// The package refuses to be used by its servers: it offers them no sampling, no
// elicitation and no roots.
package mcp

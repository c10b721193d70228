// Package program starts programs and ends them whole.
//
// Start starts a program on pipes; Close ends it and everything it started. A
// Tree is the same promise for a command whose input and output somebody else
// arranges.
//
// On Linux everything is every process that is in the program's session, was
// seen to descend from it, or carries its mark in the environment: so also a
// daemon that began a session of its own. One that drops its environment as well
// gets away. On other Unix systems it is the process group, elsewhere the process
// alone.
//
// A program sees the environment it is given and nothing of ours beside:
// Environment is what may be passed on without harm.
package program

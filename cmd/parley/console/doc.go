// Package console is a line to type at the bottom of a terminal, under output that
// goes on meanwhile.
//
// What is typed can be edited and called up again; a pasted text of many lines is
// one text; letters of every width stand where they belong. Output never mixes
// with what is being typed: it is written above, as it comes.
//
// It refuses control characters of the output, so that nothing a model or a tool
// writes can move the cursor, change the terminal or forge what stands above.
package console

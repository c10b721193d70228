package tool

// Event is what a running tool shows: a piece of output, or how far it is.
type Event struct {
	// Output is the next piece, valid UTF-8 by itself; Stream says where it
	// was written.
	Output string
	Stream string
	// Progress is set if the event says how far the tool is.
	Progress *Progress
}

// Where output was written.
const (
	Stdout = "stdout"
	Stderr = "stderr"
)

// Progress says how far a tool is. What is not known stays zero.
type Progress struct {
	Percent int    // 0 to 100
	Step    string // what is being done, for people
	Items   int    // how many are done
	Total   int    // of how many
}

package model

// EstimateText guesses how many tokens a text is: one for four bytes, which is
// near for English and for Korean, and never zero for a text that is not empty.
func EstimateText(text string) int64 {
	return (int64(len(text)) + 3) / 4
}

// imageTokens is what a picture of usual size costs with most vendors.
const imageTokens = 1500

// Estimate guesses how many tokens a request is.
func Estimate(req Request) int64 {
	n := EstimateText(req.System)
	for _, m := range req.Messages {
		n += EstimateMessage(m)
	}
	for _, t := range req.Tools {
		n += EstimateText(t.Name) + EstimateText(t.Description) + EstimateText(string(t.Schema))
	}
	return n
}

// EstimateMessage guesses how many tokens a message is.
func EstimateMessage(m Message) int64 {
	const perMessage = 4 // the role and what marks its bounds
	n := int64(perMessage)
	for _, b := range m.Blocks {
		n += estimateBlock(b)
	}
	return n
}

func estimateBlock(b Block) int64 {
	switch {
	case b.Kind == BlockReasoning:
		return 0
	case b.Image != nil:
		return imageTokens
	case b.ToolUse != nil:
		return EstimateText(b.ToolUse.Name) + EstimateText(string(b.ToolUse.Input))
	case b.ToolResult != nil:
		return EstimateText(b.ToolResult.Text) + imageTokens*int64(len(b.ToolResult.Images))
	}
	return EstimateText(b.Text) + EstimateText(string(b.Vendor))
}

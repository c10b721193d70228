package history

import "fmt"

// distinct gives a call whose id came before another one, and its result too.
// Some servers count their calls anew in each answer, and no vendor takes an id
// twice. What the model is not told does not count.
func distinct(told []Told) {
	taken := map[string]bool{}
	var calls []string // ids of the calls whose results come next
	for i := range told {
		if told[i].HiddenBy != "" {
			continue
		}
		for _, b := range told[i].Blocks {
			switch {
			case b.ToolUse != nil:
				b.ToolUse.ID = free(b.ToolUse.ID, taken)
				calls = append(calls, b.ToolUse.ID)
			case b.ToolResult != nil && len(calls) > 0: // in the order of the calls
				b.ToolResult.ToolUseID, calls = calls[0], calls[1:]
			}
		}
	}
}

func free(id string, taken map[string]bool) string {
	found := id
	for n := 2; taken[found]; n++ {
		found = fmt.Sprintf("%s-%d", id, n)
	}
	taken[found] = true
	return found
}

package index

import (
	"encoding/base64"
	"fmt"
	"math"

	"github.com/parley-dev/parley/protocol"
)

const (
	defaultLimit = 50
	maxLimit     = 200
	// maxQuery is how long a query may be, in characters.
	maxQuery = 200
	// maxCursor is longer than any cursor of ours.
	maxCursor = 400
)

// Page is a part of a list.
type Page[T any] struct {
	Items []T `json:"items"`
	// NextCursor asks for what follows; it is empty at the end.
	NextCursor string `json:"next_cursor,omitempty"`
	// Incomplete says that the index is behind the journal: ask again later.
	Incomplete bool `json:"incomplete,omitempty"`
}

// cutPage makes a page of rows that were read with one more than the limit.
func cutPage[T any](items []T, limit int, cursor func(T) string) Page[T] {
	if len(items) <= limit {
		return Page[T]{Items: items}
	}
	return Page[T]{Items: items[:limit], NextCursor: cursor(items[limit-1])}
}

// limitOf brings a wanted number of items into its bounds.
func limitOf(n int) int {
	if n <= 0 {
		return defaultLimit
	}
	return min(n, maxLimit)
}

// searchCursor is the last message of a page.
type searchCursor int64

func (c searchCursor) String() string { return pack(fmt.Sprintf("search %d", int64(c))) }

func parseSearchCursor(s string) (searchCursor, error) {
	if s == "" {
		return math.MaxInt64, nil
	}
	var c searchCursor
	_, err := fmt.Sscanf(unpack(s), "search %d", (*int64)(&c))
	if err != nil || c.String() != s {
		return c, badCursor()
	}
	return c, nil
}

func pack(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

// unpack gives an empty string for what is no cursor.
func unpack(s string) string {
	if len(s) > maxCursor {
		return ""
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil {
		return ""
	}
	return string(b)
}

func badCursor() error {
	return protocol.Errorf(protocol.CodeInvalidMessage, "the cursor is not one that this list gave; leave it out to start from the beginning")
}

package index

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-dev/parley/protocol"
)

// Sort is what a list of sessions is sorted by.
type Sort string

const (
	SortUpdated  Sort = "updated" // when it last changed
	SortCreated  Sort = "created"
	SortTitle    Sort = "title"
	SortCost     Sort = "cost"
	SortTokens   Sort = "tokens"
	SortSize     Sort = "size"
	SortMessages Sort = "messages"
)

// Sorts gives all of them.
func Sorts() []Sort {
	return []Sort{SortUpdated, SortCreated, SortTitle, SortCost, SortTokens, SortSize, SortMessages}
}

// Order is the direction of a list. The zero value is what one expects: titles
// from the first letter, everything else from the largest or newest.
type Order string

const (
	Ascending  Order = "asc"
	Descending Order = "desc"
)

// order is a sort with its direction, and how SQL writes it.
type order struct {
	by     Sort
	rising bool
}

func orderOf(by Sort, o Order) (order, error) {
	if by == "" {
		by = SortUpdated
	}
	if !slices.Contains(Sorts(), by) {
		return order{}, protocol.Errorf(protocol.CodeInvalidMessage, "sessions cannot be sorted by %.40q; by one of %v", by, Sorts())
	}
	switch o {
	case "":
		return order{by, by == SortTitle}, nil
	case Ascending, Descending:
		return order{by, o == Ascending}, nil
	}
	return order{}, protocol.Errorf(protocol.CodeInvalidMessage, "order is asc or desc, not %.40q", o)
}

// column is the expression to sort by. Of titles the beginning decides, so that
// a cursor stays short.
func (o order) column() string {
	switch o.by {
	case SortCreated:
		return "s.created_at"
	case SortTitle:
		return "substr(s.sought, 1, 40)"
	case SortCost:
		return "s.cost"
	case SortTokens:
		return "s.tokens"
	case SortSize:
		return "s.size"
	case SortMessages:
		return "s.message_count"
	}
	return "s.updated_at"
}

// clause sorts the columns of a query. The id decides between equals.
func (o order) clause(column, id string) string {
	if o.rising {
		return fmt.Sprintf(" ORDER BY %s, %s", column, id)
	}
	return fmt.Sprintf(" ORDER BY %s DESC, %s DESC", column, id)
}

// beyond is the condition on what comes after a cursor.
func (o order) beyond() string {
	sign := "<"
	if o.rising {
		sign = ">"
	}
	return "(" + o.column() + ", s.session_id) " + sign + " (?, ?)"
}

// listCursor is the last session of a page; nil before the first.
type listCursor struct {
	order
	id    string
	value any // int64, float64 or string
}

func (c *listCursor) String() string {
	value := fmt.Sprint(c.value)
	if f, ok := c.value.(float64); ok {
		value = strconv.FormatFloat(f, 'g', -1, 64)
	}
	return pack(fmt.Sprintf("list %s %t %s %s", c.by, c.rising, c.id, value))
}

// parseListCursor reads a cursor that a list in the same order gave.
func parseListCursor(s string, o order) (*listCursor, error) {
	if s == "" {
		return nil, nil
	}
	parts := strings.SplitN(unpack(s), " ", 5)
	if len(parts) != 5 {
		return nil, badCursor()
	}
	c := &listCursor{order: o, id: parts[3]}
	var err error
	switch o.by {
	case SortTitle:
		c.value = parts[4]
	case SortCost:
		c.value, err = strconv.ParseFloat(parts[4], 64)
	default:
		c.value, err = strconv.ParseInt(parts[4], 10, 64)
	}
	if err != nil || c.String() != s || protocol.CheckSessionID(c.id) != nil {
		return nil, badCursor()
	}
	return c, nil
}

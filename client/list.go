package client

import (
	"context"
	"iter"
	"maps"
	"net/http"
	"net/url"
)

// page is one answer of a list.
type page[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"next_cursor"`
	Total      int    `json:"total"`
}

// list walks over all pages of a list, anew in each loop. next puts the place of
// the next page in the query, and says whether there is one.
func list[T any](ctx context.Context, c *Client, path string, query url.Values, next func(url.Values, page[T]) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		query := maps.Clone(query)
		for {
			var p page[T]
			if err := c.Call(ctx, http.MethodGet, apiPath+path+"?"+query.Encode(), nil, &p); err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range p.Items {
				if !yield(item, nil) {
					return
				}
			}
			if len(p.Items) == 0 || !next(query, p) {
				return
			}
		}
	}
}

// byCursor goes on where next_cursor says.
func byCursor[T any](query url.Values, p page[T]) bool {
	query.Set("cursor", p.NextCursor)
	return p.NextCursor != ""
}

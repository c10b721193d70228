package index

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parley-dev/parley/protocol"
)

// shelf makes sessions, each a day older than the one before.
func shelf(now time.Time, sizes ...int64) []Item {
	var items []Item
	for i, size := range sizes {
		items = append(items, Item{
			SessionID: fmt.Sprint("s", i), Status: protocol.StatusCompleted, Size: size,
			UpdatedAt: protocol.At(now.Add(-time.Duration(i) * 24 * time.Hour)),
		})
	}
	return items
}

func names(gone []Removal) string {
	var list []string
	for _, r := range gone {
		list = append(list, r.SessionID)
	}
	return strings.Join(list, " ")
}

func TestRetention(t *testing.T) {
	now := epoch
	for _, c := range []struct {
		keep   Retention
		change func([]Item)
		want   string
	}{
		{Retention{}, nil, ""},
		{Retention{Age: 36 * time.Hour}, nil, "s2 s3 s4"},
		{Retention{Age: 48 * time.Hour}, nil, "s3 s4"},
		{Retention{Count: 2}, nil, "s2 s3 s4"},
		{Retention{Count: 9}, nil, ""},
		{Retention{Size: 30}, nil, "s3 s4"},
		{Retention{Size: 25}, nil, "s2 s3 s4"},
		{Retention{Size: 5}, nil, "s0 s1 s2 s3 s4"},
		{Retention{Age: 60 * time.Hour, Count: 2}, nil, "s2 s3 s4"},
		{Retention{Count: 2}, func(s []Item) { s[3].Pinned = true }, "s2 s4"},
		{Retention{Count: 1}, func(s []Item) { s[4].Status = protocol.StatusWaiting }, "s1 s2 s3"},
		{Retention{Age: time.Nanosecond}, func(s []Item) {
			s[1].Status, s[2].Status, s[3].Status, s[4].AwaitingChildID = protocol.StatusExecuting, protocol.StatusWaiting, protocol.StatusPaused, "c"
		}, ""},
		// What may not go counts: a newer one goes in its place.
		{Retention{Count: 2}, func(s []Item) { s[0].Pinned, s[1].Pinned = true, true }, "s2 s3 s4"},
		{Retention{Size: 20}, func(s []Item) { s[0].Pinned, s[0].Size = true, 100 }, "s1 s2 s3 s4"},
	} {
		items := shelf(now, 10, 10, 10, 10, 10)
		if c.change != nil {
			c.change(items)
		}
		gone := c.keep.Choose(now, items)
		check(t, fmt.Sprintf("%+v", c.keep), names(gone), c.want)
		for _, r := range gone {
			if r.Reason == "" {
				t.Errorf("%s goes without a reason", r.SessionID)
			}
		}
	}
}

// Whatever the limits: what may not go stays, and what stays is within the
// limits as far as it may go.
func TestRetentionHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		items := shelf(epoch, rapid.SliceOfN(rapid.Int64Range(0, 50), 0, 30).Draw(rt, "sizes")...)
		for i := range items {
			items[i].Pinned = rapid.IntRange(0, 4).Draw(rt, "pinned") == 0
			items[i].Status = rapid.SampledFrom(protocol.Statuses()).Draw(rt, "status")
		}
		keep := Retention{
			Age: time.Duration(rapid.IntRange(0, 40).Draw(rt, "days")) * 24 * time.Hour, Size: rapid.Int64Range(0, 500).Draw(rt, "size"), Count: rapid.IntRange(0, 30).Draw(rt, "count"),
		}
		gone := map[string]bool{}
		for _, r := range keep.Choose(epoch, items) {
			gone[r.SessionID] = true
		}
		count, size := 0, int64(0)
		for _, i := range items {
			if gone[i.SessionID] {
				if i.Kept() {
					rt.Fatalf("%+v goes", i)
				}
				continue
			}
			count++
			size += i.Size
			if i.Kept() {
				continue
			}
			if keep.Age > 0 && epoch.Sub(i.UpdatedAt.Time) > keep.Age || keep.Count > 0 && count > keep.Count || keep.Size > 0 && size > keep.Size {
				rt.Fatalf("%+v stays beyond %+v", i, keep)
			}
		}
		if keep.None() && len(gone) > 0 {
			rt.Fatal("something goes without a limit")
		}
	})
}

// A session's own limit goes before the one for all, both ways.
func TestRetentionOfOneSession(t *testing.T) {
	now := time.Date(2026, 2, 6, 10, 0, 0, 0, time.UTC)
	item := func(id string, days, keep int) Item {
		return Item{SessionID: id, UpdatedAt: protocol.At(now.AddDate(0, 0, -days)), KeepDays: keep}
	}
	sessions := []Item{item("short", 3, 2), item("long", 50, 100), item("plain", 50, 0)}
	for limit, want := range map[time.Duration]string{30 * 24 * time.Hour: "short plain", 0: "short"} {
		var gone []string
		for _, r := range (Retention{Age: limit}).Choose(now, sessions) {
			gone = append(gone, r.SessionID)
		}
		if got := strings.Join(gone, " "); got != want {
			t.Errorf("limit %s: %s go, want %s", limit, got, want)
		}
	}
}

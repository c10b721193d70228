// Package catalog knows models: how much they can take, what they can do and what
// they cost. It is a list that comes with the program, taken from catwalk, and a
// file of a person's own that corrects and completes it.
//
// It does no I/O but reading that file. What it does not know it says is unknown;
// it never guesses a price.
package catalog

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"

	"github.com/parley-dev/parley/model"
)

// Entry is what is known of one model.
type Entry struct {
	model.Info
	// Thinking, Effort and Summary are how a person wants it to think; only
	// their own file says so.
	Thinking string
	Effort   string
	Summary  string
}

// Catalog finds models. Many goroutines may use it.
type Catalog struct {
	overrides map[string]override
	embedded  func() []catwalk.Provider
}

// New gives the list that comes with the program. It is read when first needed,
// which takes some milliseconds.
func New() *Catalog { return &Catalog{embedded: sync.OnceValue(embedded.GetAll)} }

// Find gives what is known of a model: vendor is what stands before the slash in
// its full name, and endpoint the address it is called at, if that is not the
// vendor's own. ok is false if nothing is known.
func (c *Catalog) Find(vendor, endpoint, name string) (e Entry, ok bool) {
	if p := c.provider(vendor, endpoint); p != nil {
		for _, m := range p.Models {
			if m.ID == name || undated(m.ID) == name {
				e, ok = entry(m), true
				break
			}
		}
	}
	e.Name = vendor + "/" + name
	if o, found := c.overrides[e.Name]; found {
		o.apply(&e)
		ok = true
	}
	return e, ok
}

// All gives what is known of a vendor's models, in the list's order, and then
// those that only a person's own file has.
func (c *Catalog) All(vendor, endpoint string) (all []Entry) {
	seen := map[string]bool{}
	if p := c.provider(vendor, endpoint); p != nil {
		for _, m := range p.Models {
			e, _ := c.Find(vendor, endpoint, m.ID)
			seen[e.Name] = true
			all = append(all, e)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.overrides)) {
		rest, ours := strings.CutPrefix(name, vendor+"/")
		if e, ok := c.Find(vendor, endpoint, rest); ours && ok && !seen[e.Name] && !seen[dated(e.Name, seen)] {
			all = append(all, e)
		}
	}
	return all
}

// dated is the name among those seen that differs in the day of its release only.
func dated(name string, seen map[string]bool) string {
	for other := range seen {
		if undated(other) == name {
			return other
		}
	}
	return ""
}

// Default is the model that a vendor's customers usually take; "" if unknown.
func (c *Catalog) Default(vendor string) string {
	if p := c.provider(vendor, ""); p != nil {
		return p.DefaultLargeModelID
	}
	return ""
}

// provider is found by its address, if it has one of its own, else by name.
func (c *Catalog) provider(vendor, endpoint string) *catwalk.Provider {
	all := c.embedded()
	host := hostOf(endpoint)
	for i := range all {
		if host != "" && hostOf(all[i].APIEndpoint) == host {
			return &all[i]
		}
	}
	if host != "" && !strings.HasSuffix(host, vendor+".com") {
		return nil
	}
	for i := range all {
		if string(all[i].ID) == vendor {
			return &all[i]
		}
	}
	return nil
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// undated is a name without the day of its release.
func undated(id string) string {
	i := strings.LastIndexByte(id, '-')
	if i < 0 || len(id)-i-1 != len("20060102") || strings.Trim(id[i+1:], "0123456789") != "" {
		return id
	}
	return id[:i]
}

func entry(m catwalk.Model) Entry {
	e := Entry{Info: model.Info{
		ContextWindow: m.ContextWindow, MaxOutput: m.DefaultMaxTokens,
		Tools: true, Images: m.SupportsImages, Reasoning: m.CanReason,
		InputPrice: m.CostPer1MIn, OutputPrice: m.CostPer1MOut,
	}}
	e.CacheReadPrice, e.CacheWritePrice = cachePrices(m)
	return e
}

// cachePrices sorts out two fields that the list fills in different ways: reading
// from a cache is cheaper than input, and writing to it never is.
func cachePrices(m catwalk.Model) (read, write float64) {
	read, write = m.CostPer1MIn, m.CostPer1MIn
	for _, price := range []float64{m.CostPer1MInCached, m.CostPer1MOutCached} {
		switch {
		case price > write:
			write = price
		case price > 0 && price < read:
			read = price
		}
	}
	return read, write
}

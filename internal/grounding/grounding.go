package grounding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// Options refine Check.
type Options struct {
	// Now is the time of the reading: what dates without a year and "two days
	// ago" are counted from. Zero leaves both untraced where the page itself
	// does not say.
	Now time.Time
}

// A Page is a snapshot that is prepared to trace data to it. Several goroutines
// may use it.
type Page struct {
	snap *accessibility.Snapshot
	now  time.Time

	mu   sync.Mutex // protects page, which checks extend
	page *page      // nil: it has to be made
}

// Read prepares a snapshot, once for any number of checks. opts may be nil.
func Read(snap *accessibility.Snapshot, opts *Options) *Page {
	p := &Page{snap: snap}
	if opts != nil {
		p.now = opts.Now
	}
	return p
}

// Check traces every leaf of data to where it stands in a snapshot. form may be
// nil; it says what members mean. data that is no JSON is an error. The result
// is the same for the same arguments, and shares nothing with them.
func Check(snap *accessibility.Snapshot, form *schema.Schema, data json.RawMessage, opts *Options) (*Report, error) {
	return Read(snap, opts).Check(form, data)
}

// Check traces data as the function [Check] does.
func (p *Page) Check(form *schema.Schema, data json.RawMessage) (*Report, error) {
	root, err := readData(form, data)
	if err != nil {
		return nil, fmt.Errorf("grounding: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.page == nil || p.page.divided { // the records are those of another check
		p.page = newPage(p.snap, p.now)
	}
	c := &checker{
		page:   p.page,
		report: &Report{Sources: make(map[string]Source, root.leaves())},
	}
	c.find = finder{p: c.page, texts: map[textKey][]place{}, heads: map[headKey]bool{}, questions: map[*member]*opposition{}}
	c.settle(root, &home{record: 0, lo: 0, hi: int32(len(c.page.elems)), group: -1})
	c.trace(root)
	c.derive()
	if list := c.report.Ungrounded; len(list) > 1 {
		order := map[string]int{}
		root.number(order)
		slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(order[a.Pointer], order[b.Pointer]) })
	}
	return c.report, nil
}

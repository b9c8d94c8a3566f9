// Package grounding traces data that was read from a page to where it stands
// there. A language model that is asked for data invents some of it, mixes
// rows, and leaves rows out; a schema notices none of that.
//
//	report, err := grounding.Check(snap, form, data, &grounding.Options{Now: now})
//	for _, f := range report.Ungrounded {
//		fmt.Println(f) // /items/3/price: 129 stands in another row or part (0-88), …
//	}
//
// # What counts
//
//   - A text stands on the page word by word: case, white space, typographic
//     quotes and dashes make no difference, and it may run across elements and
//     cells. A paraphrase stands nowhere.
//   - Numbers, dates, times, lengths of time, currencies and units are compared by
//     what they mean: "1.299,00 €" is 1299, "3 Nov" is a day of the page's year.
//   - A boolean rests on the state of a control, on a cell that says yes or no, on
//     words as "sold out", or on the member's own name. Where nothing is said it is
//     false, or the opposite of what other records say: derived.
//   - An address is that of a link or picture, exactly.
//   - An empty text and a zero need a page that says that there is none.
//   - What stands nowhere may be a sum, count, average, difference or product of
//     what does. It is computed, and marked [Derived] with its parts.
//
// # Records
//
// The leaves of one object have to come from one record of the page: the same row,
// card, list item or part under a heading. Records are what the page repeats. A list
// is records of one kind, that in which most leaves of its objects stand, each object
// in a record of its own; a single object has the smallest record that holds what it
// says. A leaf that stands elsewhere is refused. So is one that the page calls by the
// name of another member, one that stands in a record inside of the object's, unless
// the page only lays the object out in such parts, and one that does not stand where
// the other objects of its list have it, though something else stands there. The texts
// of a list stand on one shelf, each in an entry of its own. Records of the same
// container that a list leaves out are reported as [Gap].
//
// # Time
//
// A page is indexed once, by [Read], and each leaf is a look-up.
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
	c.owners = map[int32]bool{}
	root.owned(c.owners)
	c.trace(root)
	c.derive()
	if list := c.report.Ungrounded; len(list) > 1 {
		order := map[string]int{}
		root.number(order)
		slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(order[a.Pointer], order[b.Pointer]) })
	}
	return c.report, nil
}

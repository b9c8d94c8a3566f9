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
//   - An empty text and a zero need a page that says that there is none. So does an empty
//     list, which is unproven otherwise; nothing said in one object of a list is none
//     where another one has entries.
//   - A number that stands nowhere may be the count or the sum of a list of the
//     data. It is computed, and is [Derived] with its parts.
//
// # Records
//
// The leaves of one object have to come from one record of the page: the same row,
// card, list item or part under a heading. Records are what the page repeats. A list
// is records of one kind, that in which most leaves of its objects stand, each object
// in a record of its own, or else stretches of the page from one object to the next; a
// single object has the smallest record that holds what it says.
//
// # What proves a leaf
//
// Within the record, a leaf is held against what the page makes of its place:
//
//   - the label: a header, a term, a caption, the word behind a number. A place that the
//     page calls by another member's name contradicts; so does one beside another that
//     it calls by this member's. Names are compared by their words and stems alone.
//   - the slot: where most objects of the list have the member. A leaf that stands
//     elsewhere, though its slot says something, is contradicted.
//   - the element: a text that stops before its element does, or in a list of texts
//     before its record does, where most do not, is unproven.
//
// What neither a label nor a slot proves is [Unproven], unless it is a heading or prose.
// Records and entries that a list leaves out are a [Gap], also those of an empty list.
//
// Citations decide between places for which as much speaks. They make nothing true.
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
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
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

	mu   sync.Mutex     // protects page, which checks extend
	page *pagedata.Page // nil: it has to be made
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
	return Read(snap, opts).Check(form, data, nil)
}

// Check traces data as the function [Check] does. cited are the refs that were given
// for objects of lists and for leaves, by JSON pointer. They only decide between what
// speaks equally for two places: one that is missing or wrong is no error.
func (p *Page) Check(form *schema.Schema, data json.RawMessage, cited map[string]accessibility.Ref) (*Report, error) {
	root, err := readData(form, data)
	if err != nil {
		return nil, fmt.Errorf("grounding: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.checker()
	for pointer, ref := range cited {
		if e, ok := c.page.Cited(ref); ok {
			c.cited[pointer] = e
		}
	}
	c.settle(root, &home{record: 0, lo: 0, hi: int32(len(c.page.Elems)), group: -1})
	c.owners = make([]*value, len(c.page.Rec.All))
	leaves := 0
	root.walk(func(v *value) {
		leaves += yes(v.leaf())
		if len(v.kids) > 0 && v.list {
			c.filled[v.member] = true
		}
		if v.object && v.home != nil && v.home.record > 0 && v.parent != nil && v.parent.list {
			c.owners[v.home.record] = v
		}
	})
	c.report.Sources = make(map[string]Source, leaves)
	root.walk(c.vote)
	c.trace(root)
	c.derive()
	root.walk(c.gaps)
	order := map[string]int{}
	if len(c.report.Ungrounded)+len(c.report.Missing) > 1 {
		root.walk(func(v *value) { order[v.pointer] = len(order) })
	}
	slices.SortStableFunc(c.report.Ungrounded, func(a, b Finding) int { return cmp.Compare(order[a.Pointer], order[b.Pointer]) })
	slices.SortStableFunc(c.report.Missing, func(a, b Gap) int { return cmp.Compare(order[a.Pointer], order[b.Pointer]) })
	return c.report, nil
}

// checker begins a check.
func (p *Page) checker() *checker {
	if p.page == nil || p.page.Turned { // the records are those of another check
		p.page = pagedata.New(p.snap, p.now)
	}
	r := &reader{
		page: p.page, find: finder{p.page}, cited: map[string]int32{},
		owners: make([]*value, len(p.page.Rec.All)), called: make([]*called, len(p.page.Elems)),
	}
	s := &slots{reader: r, usual: map[*member]*votes{}, paths: map[uint64]uint64{}}
	shapes := map[*member]map[uint64]bool{}
	c := &checker{reader: r, slots: s, report: &Report{Sources: map[string]Source{}}, filled: map[*member]bool{}, used: make([]*value, len(p.page.Elems))}
	c.assigner = assigner{reader: r, turned: map[*member]bool{}, shapes: shapes}
	c.weigher = weigher{reader: r, slots: s}
	c.gapFinder = gapFinder{reader: r, report: c.report, used: c.used, shapes: shapes}
	return c
}

// CheckText traces what the sentences of a text quote: words in quotation marks,
// numbers, dates, addresses, codes and names. The words between them may be
// anyone's. What a sentence says of something that it names has to stand in the
// record of that, as far as the page has such records.
func (p *Page) CheckText(text string) []Sentence {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.checker()
	var out []Sentence
	for line := range strings.Lines(text) {
		line, heading := plainLine(line)
		for _, s := range sentencesOf(line) {
			q := &quoter{c: c, out: Sentence{Text: s}, rest: []byte(s)}
			q.read(s, heading)
			out = append(out, q.out)
		}
	}
	return out
}

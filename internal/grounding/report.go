package grounding

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// add notes an element that a list leaves out, by the first of it that the outline shows.
func (g *Gap) add(p *pagedata.Page, e int32) {
	text := p.TextOf(e, 60)
	at := e
	for at < p.Elems[e].End && p.Elems[at].Seen < 0 {
		at++
	}
	if at == p.Elems[e].End {
		at = e
	}
	if ref, _ := p.Ref(at); ref != "" && text != "" && !pagedata.Blank(text) {
		g.Refs, g.Text = append(g.Refs, ref), append(g.Text, text)
	}
}

// A Kind says what a leaf rests on.
type Kind string

// The kinds.
const (
	Text      Kind = "text"      // words of the page
	Attribute Kind = "attribute" // a name, a picture's text, another attribute
	Number    Kind = "number"    // a number, however it is written
	Date      Kind = "date"      // a date, a time or a length of time
	State     Kind = "state"     // of a control
	Address   Kind = "address"   // where a link leads, or what a picture shows
	Empty     Kind = "empty"     // the page says that there is none
	Derived   Kind = "derived"   // computed, or concluded; see Source.Parts
)

// A Source is where a leaf stands.
type Source struct {
	Frame driver.FrameID
	Ref   accessibility.Ref
	Kind  Kind
	// Start and End delimit the text within the node's name, in bytes; both
	// are 0 where the leaf is no part of it.
	Start, End int
	// Text is what the page says there.
	Text string
	// Parts are what a derived leaf was made of: pointers into the data
	// ("/items/0/total"), and refs of the page. A derived leaf without parts
	// rests on what is missing from its record.
	Parts []string
	// How says in a few words how a derived leaf came to be: "sum".
	How string
	// Found says that no citation named the place, though the answer cites.
	Found bool
}

// A Degree says how much speaks against a leaf that was not traced.
type Degree string

// The degrees.
const (
	Contradicted Degree = "contradicted" // the page has it elsewhere, calls it otherwise, or has it nowhere
	Unproven     Degree = "unproven"     // the page says it, and nothing there says that it is what was asked for
)

// A Finding is a leaf that could not be traced.
type Finding struct {
	Pointer string // RFC 6901
	Degree  Degree
	Reason  string // a sentence for the model that gave the leaf
}

// String returns the pointer and the reason.
func (f Finding) String() string { return cmp.Or(f.Pointer, "the value") + ": " + f.Reason }

// A Gap is what a list left out.
type Gap struct {
	Pointer string // the list
	Refs    []accessibility.Ref
	Text    []string // how each begins
}

// A Report says where data stands on a page.
type Report struct {
	Sources    map[string]Source // by pointer, every leaf that stands there, unproven ones too
	Ungrounded []Finding         // what is contradicted or unproven, in the order of the data
	Missing    []Gap
	Leaves     int // leaves that claim something, as [] does without a gap; null does not
}

// A Sentence is one of a text about a page, with what it quotes. A sentence that
// quotes nothing has neither sources nor doubts.
type Sentence struct {
	Text    string
	Sources []Source // of what it quotes, each once
	Doubts  []string // what it quotes that the page does not say, a sentence each
}

// Blank reports whether data claims nothing but that there is nothing: empty
// texts, zeros and nulls.
func Blank(data json.RawMessage) bool {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return false
	}
	claims := 0
	var claimed func(v any) bool
	claimed = func(v any) bool {
		switch v := v.(type) {
		case map[string]any:
			return slices.ContainsFunc(slices.Collect(maps.Values(v)), claimed)
		case []any:
			return slices.ContainsFunc(v, claimed)
		case bool:
			return v
		}
		claims++
		return v != nil && v != "" && v != 0.0
	}
	return !claimed(v) && claims > 0
}

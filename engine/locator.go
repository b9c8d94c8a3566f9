package engine

import (
	"strconv"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Locator names elements by what they are to a person: by role and name, label or
// text. It is a text, documented at [accessibility.Locator], which may stand wherever
// a selector may: in [Target], [Action], [ElementShown], the scope of Extract. It is
// strict: where an action finds two elements, it is refused, with both named.
//
//	page.DoTo(ctx, engine.Role("button", "Open").In(engine.Row("Teapot")).Target(), engine.Command{}, nil)
type Locator string

// Role locates elements by their role and, if name is not empty, their accessible name.
func Role(role, name string) Locator {
	l := Locator("role=" + role)
	if name != "" {
		l += Locator("[name=" + accessibility.QuoteForLocator(name) + "]")
	}
	return l
}

// Row locates a row of a table or a grid by the text of one of its cells.
func Row(text string) Locator { return Role("row", "").HasText(text) }

// Column locates the cell in the column of a table or a grid with this header, which is
// the header's name or a text in it: Column("Price").In(Row("Teapot")). A cell has the
// headers that HTML gives it, and those of a table without rows right above its own.
func Column(header string) Locator { return quoted("column", header) }

// Label locates a field by its name, which a label gives it.
func Label(name string) Locator { return quoted("label", name) }

// Placeholder locates a field by what it shows while it is empty.
func Placeholder(text string) Locator { return quoted("placeholder", text) }

// TextOf locates the smallest element that has just this text.
func TextOf(text string) Locator { return quoted("text", text) }

// TestID locates an element by its data-testid.
func TestID(id string) Locator { return quoted("testid", id) }

func quoted(kind, text string) Locator {
	return Locator(kind + "=" + accessibility.QuoteForLocator(text))
}

// In locates what is within another element.
func (l Locator) In(outer Locator) Locator { return outer + " >> " + l }

// HasText locates those of the elements that have this text, or a cell or a part with it.
func (l Locator) HasText(text string) Locator {
	return l + Locator("[text="+accessibility.QuoteForLocator(text)+"]")
}

// Nth locates one of the elements, counted from 0; -1 is the last.
func (l Locator) Nth(n int) Locator { return l + Locator(" >> nth="+strconv.Itoa(n)) }

// Target is the element that the locator names.
func (l Locator) Target() Target { return Target{Selector: string(l)} }

// locatorsOf returns the locators that name elements of a reading, each of them alone;
// empty where there is none.
func locatorsOf(snap *Snapshot, elements ...driver.NodeRef) []Locator {
	out := make([]Locator, len(elements))
	nodes, at := make([]*accessibility.Node, 0, len(elements)), make([]int, 0, len(elements))
	for i, element := range elements {
		if n, ok := snap.Find(element); ok {
			nodes, at = append(nodes, n), append(at, i)
		}
	}
	for i, text := range snap.LocatorsOf(nodes) {
		out[at[i]] = Locator(text)
	}
	return out
}

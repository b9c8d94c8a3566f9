// Package parts reads a page that is too long for one question in several: it
// divides the page's outline at its own seams, and joins the answers.
//
//	d := parts.Divide(snap, nil, 25_000)
//	for _, part := range d.All() {
//		answers = append(answers, ask(d.Outline(part)))
//	}
//	whole, err := parts.Join(form, answers)
//
// A part is a run of lines of the outline. It ends where the page's own elements
// end, and the higher these are in the page the better: between two sections
// rather than between two rows, and between two rows rather than within one.
// The outline may have dropped the elements that tell, a card's wrapper for
// example, so the page's tree decides and not the indentation.
//
// Lines that say what a part's first lines mean are shown with each part: what it
// stands in, the headings above, the header rows of its table, and the row that
// a spanning cell belongs to. What an answer takes from them is known by its
// source, and is joined once.
package parts

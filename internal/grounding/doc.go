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
// card, list item or part under a heading. Records are what the page repeats; each
// object gets the smallest one that has most of its leaves, the objects of a list
// get different ones, and a leaf that stands elsewhere is refused. So is one that
// the page calls by the name of another member. Records of the same container
// that a list leaves out are reported as [Gap].
//
// # Time
//
// A page is indexed once, by [Read], and each leaf is a look-up.
package grounding

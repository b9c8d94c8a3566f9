// Package direct extracts data from a page without a model, where the page's own
// markup says what is what:
//
//   - a column or row header of a table (th, or the roles of ARIA),
//   - the term of a definition,
//   - the label of a control, the legend of a group of choices,
//   - the heading of one of several records, for its name or title; the only main
//     heading of a page, for its heading; the only link of a record for its link, the
//     only picture for its image,
//   - itemprop, and JSON-LD about what is shown, where a text beside it says the same.
//
// A member of the schema is what such a label names by its own words, or by all words
// of the member's title or description; words are compared by their stems, and those
// of the list's name go without saying. There are no synonyms. The value has to be all
// that the labelled element says, and to fit the member's type: "1.299,00 €" is the
// number 1299, "3 Nov 2026" the date 2026-11-03, a pressed switch is true.
//
// Extract never guesses. Of two values that fit a member it takes neither, of two
// lists that fit equally well neither, and what it cannot fill is in Result.Unfilled.
//
// The package is pure: no I/O and no clock. The time it takes is linear in the
// size of the page.
package direct

// Package direct extracts data from a page without a model, where the page
// itself is structured: tables, definition lists, labels with values, repeated
// cards and list items, forms, headings; metadata name values that are seen.
//
//	result, err := direct.Extract(capture, form, nil)
//
// A member of the schema is matched to a part of the page by its name and
// description: by the words themselves, their stems, and the usual synonyms
// ("Qty" is a quantity, "Arbeitgeber" a company). The value has to fit the
// member's type: "1.299,00 €" is the number 1299, "3 Nov 2026" the date
// 2026-11-03, a pressed switch is true.
//
// Extract never guesses. Of two parts of the page that fit a member equally
// well it takes neither, and what it cannot fill is in Result.Unfilled. Each
// value that it gives has a Source: the element it stood in.
//
// The package is pure: no I/O and no clock. The time it takes is linear in the
// size of the page.
package direct

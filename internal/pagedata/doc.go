// Package pagedata reads a snapshot once, so that what checks or takes data from the
// page asks one reader: which texts stand on one line, what is repeated (rows, cards,
// parts under headings), how tables are laid out with the cells that span them, what a
// place is called, and which numbers, dates, times, lengths and addresses a text says.
//
// A [Page] is the elements of all frames in one preorder; an element is its index,
// [Page.Elems] holds them, and its subtree ends at Elem.End. What nobody perceives has
// no line.
//
// The package is pure: no I/O and no clock but the time that [New] is given. It decides
// nothing about data: what a member of a schema asks for is its callers' matter.
package pagedata

// Package htmltable is HTML's model of tables (HTML, 4.9.12): the columns in which cells
// stand, and the headers that count for them.
package htmltable

import (
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Layout gives the cells of a table their columns, row by row (HTML, "forming a
// table"). The zero value is a table before its first row. T is a cell.
type Layout[T any] struct {
	columns []reaching[T]
	row     []Slot[T]
}

// A reaching cell is one that still reaches down into a column, for left rows.
type reaching[T any] struct {
	cell T
	left int
}

// A Span is how many columns and rows a cell takes. Less than one is one.
type Span struct{ Across, Down int }

// maxDown and maxAcross are the most that a cell takes. HTML allows a thousand columns;
// pages write such numbers for a whole row, and there are no tables so wide.
const (
	maxDown   = 65534
	maxAcross = 100
)

// SpanOf reads the span of a cell.
func SpanOf(cell *driver.Node) Span {
	s := Span{1, 1}
	for i := range cell.Attrs {
		to, most := &s.Across, maxAcross
		switch cell.Attrs[i].Name {
		case "colspan", "aria-colspan":
		case "rowspan", "aria-rowspan":
			to, most = &s.Down, maxDown
		default:
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(cell.Attrs[i].Value))
		if err == nil && n == 0 && to == &s.Down {
			n = maxDown // to the end of its part of the table
		}
		if err == nil && n > 0 {
			*to = min(n, most)
		}
	}
	return s
}

// A Cell is a cell of the next row. Column is where the page says that it stands, from 1
// (WAI-ARIA 1.2, aria-colindex); zero is behind the cell before it.
type Cell[T any] struct {
	Cell T
	Span
	Column int
}

// A Slot is what stands in a column of a row.
type Slot[T any] struct {
	Cell T
	From From
}

// From says how a cell comes into a column.
type From uint8

// The ways in which a cell comes into a column.
const (
	Nothing From = iota // no cell does
	Own                 // it begins there
	Left                // it begins in this row, in a column before
	Above               // it begins in a row above
)

// MaxColumns is how many columns of a row are laid out. HTML lets one cell take as many.
const MaxColumns = 1000

// EndSection ends a part of the table: no cell reaches out of it.
func (l *Layout[T]) EndSection() { clear(l.columns) }

// Reached reports whether a cell above reaches into the next row.
func (l *Layout[T]) Reached() bool {
	return slices.ContainsFunc(l.columns, func(r reaching[T]) bool { return r.left > 0 })
}

// Row lays out the next row. Its slots are valid until the next call.
func (l *Layout[T]) Row(cells []Cell[T]) []Slot[T] {
	l.row = l.row[:0]
	for _, c := range cells {
		l.above()
		for len(l.row) < min(c.Column, MaxColumns)-1 { // the columns before it are elsewhere
			l.row = append(l.row, Slot[T]{})
			l.above()
		}
		from := Own
		for range min(max(c.Across, 1), MaxColumns-len(l.row)) {
			for len(l.columns) <= len(l.row) {
				l.columns = append(l.columns, reaching[T]{})
			}
			l.columns[len(l.row)] = reaching[T]{c.Cell, c.Down - 1}
			l.row = append(l.row, Slot[T]{c.Cell, from})
			from = Left
		}
	}
	for last := len(l.columns) - 1; last >= len(l.row); last-- {
		if l.columns[last].left > 0 {
			for l.above(); len(l.row) <= last; l.above() {
				l.row = append(l.row, Slot[T]{})
			}
		}
	}
	return l.row
}

// above adds the columns that cells above reach into, up to the next free one.
func (l *Layout[T]) above() {
	for len(l.row) < len(l.columns) && l.columns[len(l.row)].left > 0 {
		r := &l.columns[len(l.row)]
		r.left--
		l.row = append(l.row, Slot[T]{r.cell, Above})
	}
}

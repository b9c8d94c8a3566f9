// Package tablehead says which headers count for the cells of a table: those that HTML's
// "forming relationships between data cells and header cells" gives them by their place.
package tablehead

import "slices"

// Columns are the headers of a table's columns that count for the next row's cells: all
// above, but those whose place another of the same width has taken behind data. The zero
// value is a table before its first row. T is what a header says.
type Columns[T any] struct{ columns []column[T] }

type column[T any] struct {
	heads []head[T]
	block int  // of headers, without data between them; they are numbered
	data  bool // the last cell was no header
}

// A head is a header of the columns from and before to.
type head[T any] struct {
	from, to, block int
	says            T
}

// Add notes a header of across columns.
func (c *Columns[T]) Add(from, across int, says T) {
	for len(c.columns) < from+across {
		c.columns = append(c.columns, column[T]{})
	}
	for i := from; i < from+across; i++ {
		at := &c.columns[i]
		if at.data {
			at.block, at.data = at.block+1, false
		}
		at.heads = slices.DeleteFunc(at.heads, func(other head[T]) bool {
			return other.block < at.block && other.from == from && other.to == from+across
		})
		at.heads = append(at.heads, head[T]{from, from + across, at.block, says})
	}
}

// Data notes a cell of a column that is no header.
func (c *Columns[T]) Data(column int) {
	if column < len(c.columns) {
		c.columns[column].data = true
	}
}

// Above returns what the headers of a column say, from above.
func (c *Columns[T]) Above(column int) []T {
	if column >= len(c.columns) {
		return nil
	}
	says := make([]T, len(c.columns[column].heads))
	for i, h := range c.columns[column].heads {
		says[i] = h.says
	}
	return says
}

// None reports whether there was no header.
func (c *Columns[T]) None() bool { return len(c.columns) == 0 }

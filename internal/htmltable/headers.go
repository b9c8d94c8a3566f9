package htmltable

import "slices"

// Headers are the headers of a table's columns that count for the next row's cells: all
// above, but those whose place another of the same width has taken behind data. The zero
// value is a table before its first row. T is what a header says.
type Headers[T any] struct{ columns []column[T] }

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
func (h *Headers[T]) Add(from, across int, says T) {
	for len(h.columns) < from+across {
		h.columns = append(h.columns, column[T]{})
	}
	for i := from; i < from+across; i++ {
		at := &h.columns[i]
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
func (h *Headers[T]) Data(column int) {
	if column < len(h.columns) {
		h.columns[column].data = true
	}
}

// Above returns what the headers of a column say, from above.
func (h *Headers[T]) Above(column int) []T {
	if column >= len(h.columns) {
		return nil
	}
	heads := h.columns[column].heads
	says := make([]T, len(heads))
	for i := range heads {
		says[i] = heads[i].says
	}
	return says
}

// None reports whether there was no header.
func (h *Headers[T]) None() bool { return len(h.columns) == 0 }

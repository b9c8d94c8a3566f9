package offline

import (
	"regexp"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// withCells returns the page with an item for each cell that stands on its row's line,
// below the row.
func (p *page) withCells() *page {
	o := &accessibility.Outline{Items: make([]accessibility.Item, 0, len(p.items))}
	at := make([]int, len(p.items)) // where an item has gone
	for i := range p.items {
		it := p.items[i]
		if it.Parent >= 0 {
			it.Parent = at[it.Parent]
		}
		at[i] = len(o.Items)
		o.Items = append(o.Items, it)
		for n, c := range it.Cells {
			if !c.Below && c.Reach == accessibility.NoReach {
				o.Items = append(o.Items, accessibility.Item{Ref: it.Ref.Cell(n + 1), Depth: it.Depth + 1, Parent: at[i], Role: "cell", Name: c.Text})
			}
		}
	}
	out := newPage(o)
	out.known, out.own = p.known, p.own
	return out
}

// pressText chooses what is pressed where nothing that can be used has the name: a
// text of the page, a cell, or the cell where a row and a column meet.
func (p *page) pressText(phrase, method string, args ...string) *answer {
	cells := p.withCells()
	shown := func(it *accessibility.Item) bool { return text(it) != "" }
	f := cells.named(phrase, 0, len(cells.items), shown).atLeast(nearly)
	if len(f.items) == 0 {
		f = cells.crossing(phrase) // before "Note in Rent" is the column's header
	}
	if len(f.items) == 0 {
		f = cells.find(phrase, shown).atLeast(nearly)
	}
	if len(f.items) == 0 {
		return p.choice(phrase, f, method, args...)
	}
	return cells.choice(phrase, f, method, args...)
}

// rowAndColumn is a cell by its row and its column, or by its column and its row.
var (
	rowAndColumn = regexp.MustCompile(`(?i)^(?:the )?(?:cell )?(?:in |at |of )?(?:the )?row (.+?)(?:,| and| in| of)* (?:the )?column (.+)$`)
	columnAndRow = regexp.MustCompile(`(?i)^(?:the )?(?:cell )?(?:in |at |of )?(?:the )?column (.+?)(?:,| and| in| of)* (?:the )?row (.+)$`)
)

// crossing finds the cell where a row and a column meet, as "Note in Rent", "the cell
// in row Rent and column Note".
func (p *page) crossing(phrase string) finding {
	if m := rowAndColumn.FindStringSubmatch(phrase); m != nil {
		return p.cellAt(m[1], m[2])
	}
	if m := columnAndRow.FindStringSubmatch(phrase); m != nil {
		return p.cellAt(m[2], m[1])
	}
	var best finding
	for _, at := range containerWord.FindAllStringIndex(phrase, mostContainers) {
		if f := p.cellAt(phrase[at[1]:], phrase[:at[0]]); f.fit > best.fit {
			best = f
		}
	}
	return best
}

// cellAt finds the cells in the rows that hold a cell of one name, and in the columns
// whose header has the other.
func (p *page) cellAt(row, column string) finding {
	trim := func(s string) string { return strings.TrimPrefix(strings.TrimSpace(s), "the ") }
	row, column = trim(row), trim(column)
	best := finding{fit: nearly}
	for i := range p.items {
		if len(p.items[i].Cells) == 0 || p.items[i].Header || !p.anyCell(i, row) {
			continue
		}
		header := p.header(i)
		for _, n := range p.cellsNamed(header, column) {
			ref := p.items[i].Ref.Cell(n + 1)
			if at := slices.IndexFunc(p.items, func(it accessibility.Item) bool { return it.Ref == ref }); at >= 0 {
				best.items = append(best.items, at)
			}
		}
	}
	if len(best.items) == 0 {
		return finding{}
	}
	return best
}

func (p *page) anyCell(row int, name string) bool { return len(p.cellsNamed(row, name)) > 0 }

// cellsNamed returns the numbers, from 0, of a row's cells that a name fits.
func (p *page) cellsNamed(row int, name string) []int {
	var out []int
	if row < 0 {
		return nil
	}
	if it := &p.items[row]; len(it.Cells) > 0 {
		for n, c := range it.Cells {
			if !c.Below && p.nameFit(name, c.Text) >= nearly {
				out = append(out, n)
			}
		}
		return out
	}
	return out
}

// header returns the row whose cells name the columns of a row's table: one of headers,
// else the first, which some tables style as one; -1 if there is none. A grid may keep
// its headers in a part of its own, behind the rows.
func (p *page) header(row int) int {
	table := p.items[row].Parent
	for table >= 0 && !kinds["table"][p.items[table].Role] {
		table = p.items[table].Parent
	}
	if table < 0 {
		return -1
	}
	header, first := -1, -1
	for i := table + 1; i < p.end[table]; i++ {
		switch it := &p.items[i]; {
		case it.Role != "row":
		case it.Header && (header < 0 || i < row):
			header = i
		case first < 0 && i < row:
			first = i
		}
	}
	if header >= 0 {
		return header
	}
	return first
}

package parts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Part is a run of lines of an outline, with the lines before it that say
// what it means.
type Part struct {
	From, To int32   // indexes in Snapshot.Nodes
	Context  []int32 // in ascending order, all before From
	Tokens   int     // of its outline
}

// A Division is an outline in parts. It does not change, and several goroutines
// may use it.
type Division struct {
	snap   *accessibility.Snapshot
	room   int      // tokens of a part
	lines  []string // by node, with the newline
	before []int    // tokens of all lines before
	seams  []int32  // how much a cut before a node tears apart

	shortened []string // the lines that are longer than a part, without indentation
}

// Divide divides a snapshot's outline into parts of at most room tokens each. mask
// may be nil; see [accessibility.Options]. A line that is longer than a part is
// shortened, and one that still is longer is a part of its own.
func Divide(snap *accessibility.Snapshot, mask func(string) string, room int) *Division {
	d := &Division{snap: snap, room: max(room, 1), before: make([]int, len(snap.Nodes)+1)}
	short := snap.With(accessibility.Options{Mask: mask})
	d.lines = strings.SplitAfter(snap.With(accessibility.Options{Mask: mask, Whole: true}).Outline(), "\n")[:len(snap.Nodes)]
	for i, line := range d.lines {
		size := accessibility.Tokens(line)
		if size > d.room {
			n := &snap.Nodes[i]
			flat := short.Line(n) + "\n"
			d.lines[i] = strings.Repeat("  ", int(n.Depth)) + flat
			size = accessibility.Tokens(d.lines[i])
			if strings.Contains(flat, "… ") {
				d.shortened = append(d.shortened, flat)
			}
		}
		d.before[i+1] = d.before[i] + size
	}
	d.findSeams()
	return d
}

// All returns the parts in page order. Together they hold each line once.
func (d *Division) All() []Part {
	var out []Part
	for from := int32(0); int(from) < len(d.lines); from = out[len(out)-1].To {
		out = append(out, d.part(from))
	}
	return out
}

// part returns the part that begins at a line.
func (d *Division) part(from int32) Part {
	context := d.contextOf(from)
	fits, _ := slices.BinarySearch(d.before, d.before[from]+d.room-d.size(context...)+1)
	most := max(int32(fits-1), from+1)
	if int(most) < len(d.lines) {
		most = d.cut(from, most)
	}
	return d.between(from, most, context)
}

func (d *Division) between(from, to int32, context []int32) Part {
	return Part{From: from, To: to, Context: context, Tokens: d.size(context...) + d.before[to] - d.before[from]}
}

// size is that of some lines, in tokens.
func (d *Division) size(lines ...int32) (tokens int) {
	for _, i := range lines {
		tokens += d.before[i+1] - d.before[i]
	}
	return tokens
}

// cut returns where to end a part that begins at from and may have at most the
// lines before most: at the best seam of its second half, or earlier where every
// seam there tears something apart, but not in the first eighth.
func (d *Division) cut(from, most int32) int32 {
	best, size := int32(-1), d.before[most]-d.before[from]
	for at := most; at > from; at-- {
		if begun := d.before[at] - d.before[from]; begun < size/2 && (best >= 0 && !d.tears(best) || begun < size/8) {
			break
		}
		if best < 0 || d.seams[at] < d.seams[best] {
			best = at
		}
	}
	return cmp.Or(max(best, 0), most)
}

// Halve divides a part in two, at the best seam before its middle. ok is false for a
// part of one line.
func (d *Division) Halve(p Part) (first, second Part, ok bool) {
	if p.To-p.From < 2 {
		return p, Part{}, false
	}
	middle, _ := slices.BinarySearch(d.before, (d.before[p.From]+d.before[p.To]+1)/2)
	at := d.cut(p.From, min(max(int32(middle), p.From+1), p.To-1))
	return d.between(p.From, at, p.Context), d.between(at, p.To, d.contextOf(at)), true
}

// Outline writes a part's lines and those of its context. It reads back by
// [accessibility.ParseOutline].
func (d *Division) Outline(p Part) string {
	var b strings.Builder
	for _, i := range p.Context {
		b.WriteString(d.lines[i])
	}
	for _, line := range d.lines[p.From:p.To] {
		b.WriteString(line)
	}
	return b.String()
}

// Scope returns the elements of a part, context included, as the scope of a
// snapshot that holds no more than the part. What the part's lines stand in is
// left out.
func (d *Division) Scope(p Part) (out []driver.NodeRef) {
	nodes := d.snap.Nodes
	for _, i := range p.Context {
		if nodes[i].End <= p.From { // else it holds more than the part
			out = append(out, nodes[i].Source, nodes[i].Target)
		}
	}
	for i := p.From; i < p.To; i++ {
		if nodes[i].End <= p.To {
			out = append(out, nodes[i].Source, nodes[i].Target)
			i = nodes[i].End - 1
		}
	}
	return out
}

// contextOf returns the lines before a line that say what it means: what it
// stands in and, at each level, the headings and header rows above it. They take
// at most half of a part's room; ancestors count most.
func (d *Division) contextOf(at int32) []int32 {
	nodes := d.snap.Nodes
	var ancestors, others []int32 // the nearest first
	for child := at; child >= 0; child = nodes[child].Parent {
		if child != at {
			ancestors = append(ancestors, child)
		}
		others = append(others, d.governing(child)...)
	}
	others = append(others, d.spanning(at)...)
	out := slices.Clone(ancestors)
	room := d.room/2 - d.size(ancestors...)
	for _, i := range others {
		for k := i; k >= 0 && !slices.Contains(out, k); k = nodes[k].Parent {
			if room -= d.size(k); room < 0 {
				break
			}
			out = append(out, k)
		}
	}
	slices.Sort(out)
	have := map[int32]bool{-1: true}
	return slices.DeleteFunc(out, func(i int32) bool { // its parent's line had no room
		have[i] = have[nodes[i].Parent]
		return !have[i]
	})
}

// governing returns the lines among those before a line, below the same parent,
// that stand above it as headings or as header rows, the nearest first.
func (d *Division) governing(at int32) []int32 {
	nodes := d.snap.Nodes
	var out, headings []int32
	row := int32(-1) // the last row that stands for those below it
	head := true     // within the header rows at the top of a table
	for i := nodes[at].Parent + 1; i < at; i = nodes[i].End {
		n := &nodes[i]
		if level := headingLevel(n); level > 0 { // those of its level and below are over
			headings = append(slices.DeleteFunc(headings, func(h int32) bool { return headingLevel(&nodes[h]) >= level }), i)
		}
		header := n.Role == "row" && (n.Header || slices.ContainsFunc(nodes[i+1:n.End], func(n accessibility.Node) bool { return n.Role == "columnheader" }))
		switch {
		case header && head:
			out = append(out, i)
		case n.Role == "row":
			head = head && header
			if header || wide(n) && !wide(&nodes[at]) {
				row = i
			}
		case n.Role == "rowgroup" && head: // a table's head
			for k := i + 1; k < n.End; k = nodes[k].End {
				if nodes[k].Role == "row" && nodes[k].Header {
					out = append(out, k)
				}
			}
		}
	}
	if out = append(out, headings...); row >= 0 {
		out = append(out, row)
	}
	slices.Reverse(out)
	return out
}

// spanning returns the rows above a row whose cells reach into it.
func (d *Division) spanning(at int32) (out []int32) {
	nodes := d.snap.Nodes
	open := map[int]bool{}
	for c := range nodes[at].Cells {
		if fromAbove(nodes[at].Cells[c]) {
			open[c] = true
		}
	}
	var before []int32
	for i := nodes[at].Parent + 1; i < at && len(open) > 0; i = nodes[i].End {
		before = append(before, i)
	}
	for _, i := range slices.Backward(before[max(0, len(before)-mostSpanned):]) {
		left := len(open)
		for c := range open {
			if c < len(nodes[i].Cells) && !fromAbove(nodes[i].Cells[c]) {
				delete(open, c)
			}
		}
		if len(open) < left {
			out = append(out, i)
		}
	}
	return out
}

// Cut lists how much is missing of each line that is longer than a part.
func (d *Division) Cut() []Omission {
	var out omissions
	for _, line := range d.shortened {
		outline, err := accessibility.ParseOutline(line)
		if err != nil { // a line reads back
			out.add(0, "characters")
			continue
		}
		for i := range outline.Items {
			it := &outline.Items[i]
			missing := it.Cut.Name + it.Cut.Value + it.Cut.Description + it.Cut.Placeholder
			for c := range it.Cells {
				missing += it.Cells[c].Cut
			}
			if missing > 0 {
				out.add(missing, "characters", it.Ref)
			}
			if it.MoreOptions > 0 {
				out.add(it.MoreOptions, "options", it.Ref)
			}
		}
	}
	return out.list()
}

// Unread lists the content of parts: rows, items and articles by their containers,
// everything else by its elements.
func (d *Division) Unread(parts []Part) []Omission {
	var out omissions
	nodes := d.snap.Nodes
	for _, p := range parts {
		for i := p.From; i < p.To; {
			noun, next := "elements", i+1
			if of := nouns[nodes[i].Role]; of != "" {
				noun, next = of, nodes[i].End
			}
			var refs []accessibility.Ref
			if up := nodes[i].Parent; up >= 0 {
				refs = []accessibility.Ref{nodes[up].Ref}
			}
			out.add(1, noun, refs...)
			i = next
		}
	}
	return out.list()
}

// findSeams rates a cut before each line: the deeper the element that holds the
// lines on both sides, the more it tears apart.
func (d *Division) findSeams() {
	nodes := d.snap.Nodes
	d.seams = make([]int32, len(nodes)+1)
	t := newTree(d.snap.Capture)
	for i := 1; i < len(nodes); i++ {
		kind := int32(seamOther)
		n, last := &nodes[i], &nodes[i-1]
		switch {
		case headingLevel(last) > 0 || slices.ContainsFunc(n.Cells, fromAbove):
			kind = seamTorn
		case headingLevel(n) > 0:
			kind = seamHeading
		case begins[n.Role]:
			kind = seamRecord
		}
		d.seams[i] = t.common(t.at[last.Source], t.at[n.Source])*seamStep + kind
	}
}

// tears reports whether a cut before a line parts what belongs together.
func (d *Division) tears(at int32) bool { return d.seams[at]%seamStep >= seamOther }

// mostSpanned bounds how many rows above a part are searched for the cells that
// reach into it.
const mostSpanned = 200

func headingLevel(n *accessibility.Node) int {
	if n.Role == "heading" {
		return max(n.States.Level, 1)
	}
	return n.Heading
}

// wide reports whether a row is one cell across all columns.
func wide(n *accessibility.Node) bool {
	return len(n.Cells) > 0 && !slices.ContainsFunc(n.Cells[1:], func(c accessibility.Cell) bool { return c.Reach != accessibility.FromLeft })
}

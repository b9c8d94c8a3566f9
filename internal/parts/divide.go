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

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
	sizes  []int    // in tokens
	before []int    // tokens of all lines before
	seams  []int32  // how much a cut before a node tears apart
	inside []bool   // a cut before a node tears something that belongs together

	shortened []string // the lines that are longer than a part, without indentation
}

// Divide divides a snapshot's outline into parts of at most room tokens each. mask
// may be nil; see [accessibility.Options]. A line that is longer than a part is
// shortened, and one that still is longer is a part of its own.
func Divide(snap *accessibility.Snapshot, mask func(string) string, room int) *Division {
	d := &Division{snap: snap, room: max(room, 1)}
	short := snap.With(accessibility.Options{Mask: mask})
	d.lines = strings.SplitAfter(snap.With(accessibility.Options{Mask: mask, Whole: true}).Outline(), "\n")[:len(snap.Nodes)]
	d.sizes = make([]int, len(d.lines))
	d.before = make([]int, len(d.lines)+1)
	for i, line := range d.lines {
		if d.sizes[i] = accessibility.Tokens(line); d.sizes[i] > d.room {
			n := &snap.Nodes[i]
			d.lines[i] = strings.Repeat("  ", int(n.Depth)) + short.Line(n) + "\n"
			d.sizes[i] = accessibility.Tokens(d.lines[i])
			if strings.Contains(d.lines[i], "… ") {
				d.shortened = append(d.shortened, strings.TrimLeft(d.lines[i], " "))
			}
		}
		d.before[i+1] = d.before[i] + d.sizes[i]
	}
	d.findSeams()
	return d
}

// Tokens is the size of the whole outline.
func (d *Division) Tokens() int { return d.before[len(d.lines)] }

// All returns the parts in page order. Together they hold each line once.
func (d *Division) All() []Part {
	var out []Part
	for from := int32(0); int(from) < len(d.lines); {
		part := d.part(from)
		out = append(out, part)
		from = part.To
	}
	return out
}

// part returns the part that begins at a line.
func (d *Division) part(from int32) Part {
	context := d.contextOf(from)
	room := d.room - d.sizeOf(context)
	most := int32(len(d.lines))
	if i, _ := slices.BinarySearch(d.before, d.before[from]+room+1); int32(i-1) < most {
		most = max(int32(i-1), from+1)
	}
	to := most
	if int(most) < len(d.lines) {
		to = d.cut(from, most)
	}
	return d.between(from, to, context)
}

func (d *Division) between(from, to int32, context []int32) Part {
	return Part{From: from, To: to, Context: context, Tokens: d.sizeOf(context) + d.before[to] - d.before[from]}
}

// cut returns where to end a part that begins at from and may have at most the
// lines before most: at the best seam of its second half, or earlier where every
// seam there tears something apart.
func (d *Division) cut(from, most int32) int32 {
	best := int32(-1)
	half, least := d.before[from]+(d.before[most]-d.before[from])/2, d.before[from]+(d.before[most]-d.before[from])/8
	for at := most; at > from; at-- {
		if d.before[at] < half && (best >= 0 && !d.inside[best] || d.before[at] < least) {
			break
		}
		if best < 0 || d.seams[at] < d.seams[best] {
			best = at
		}
	}
	return cmp.Or(max(best, 0), most)
}

// Halve divides a part in two at the best seam around its middle. ok is false
// for a part of one line.
func (d *Division) Halve(p Part) (first, second Part, ok bool) {
	if p.To-p.From < 2 {
		return p, Part{}, false
	}
	size := d.before[p.To] - d.before[p.From]
	low, high := d.before[p.From]+size/4, d.before[p.From]+size*3/4
	best := p.From + 1
	middle := d.before[p.From] + size/2
	off := func(at int32) int { return max(d.before[at]-middle, middle-d.before[at]) }
	in := func(at int32) bool { return d.before[at] >= low && d.before[at] <= high }
	for at := p.From + 1; at < p.To; at++ {
		switch {
		case in(at) != in(best):
			if in(at) {
				best = at
			}
		case !in(at), d.seams[at] == d.seams[best]:
			if off(at) < off(best) {
				best = at
			}
		case d.seams[at] < d.seams[best]:
			best = at
		}
	}
	return d.between(p.From, best, p.Context), d.between(best, p.To, d.contextOf(best)), true
}

// Outline writes a part's lines and those of its context. It reads back by
// [accessibility.ParseOutline].
func (d *Division) Outline(p Part) string {
	var b strings.Builder
	for _, i := range p.Context {
		b.WriteString(d.lines[i])
	}
	for i := p.From; i < p.To; i++ {
		b.WriteString(d.lines[i])
	}
	return b.String()
}

// Scope returns the elements of a part, context included, as the scope of a
// snapshot that holds no more than the part. What the part's lines stand in is
// left out.
func (d *Division) Scope(p Part) []driver.NodeRef {
	var out []driver.NodeRef
	add := func(i int32) { out = append(out, d.snap.Nodes[i].Source, d.snap.Nodes[i].Target) }
	for _, i := range p.Context {
		if d.snap.Nodes[i].End <= p.From { // else it holds more than the part
			add(i)
		}
	}
	for i := p.From; i < p.To; {
		if end := d.snap.Nodes[i].End; end <= p.To {
			add(i)
			i = end
			continue
		}
		i++
	}
	return out
}

// Holds reports whether a node of the snapshot is one of the part's own lines.
func (p *Part) Holds(index int32) bool { return index >= p.From && index < p.To }

func (d *Division) sizeOf(lines []int32) int {
	size := 0
	for _, i := range lines {
		size += d.sizes[i]
	}
	return size
}

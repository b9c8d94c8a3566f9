package grounding

import (
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

func newPage(snap *accessibility.Snapshot, now time.Time) *page {
	p := &page{
		snap: snap, now: now,
		vocabulary: map[string]int32{}, byValue: map[string][]int32{}, byCurrency: map[string][]int32{},
		byDay: map[int][]int32{}, byTime: map[int][]int32{}, byLength: map[int][]int32{},
		addresses: map[string][]int32{}, years: map[int]bool{},
		tables: map[int32]*table{}, labels: map[int32][]string{}, classes: map[string][]string{},
	}
	p.lay()
	p.match()
	p.read()
	p.scan()
	p.findRecords()
	return p
}

// lay puts the nodes of all frames into one preorder.
func (p *page) lay() {
	docs := p.snap.Capture.Documents
	owners := map[elemKey][]int32{}
	for i := range docs {
		if up := docs[i].OwnerDocument; up >= 0 && int(up) < i {
			owners[elemKey{up, docs[i].Owner}] = append(owners[elemKey{up, docs[i].Owner}], int32(i))
		}
	}
	size := 1
	for i := range docs {
		size += len(docs[i].Nodes)
	}
	p.elems = make([]elem, 0, size)
	p.elems = append(p.elems, elem{doc: 0, node: -1, parent: -1, line: -1, seen: -1}) // above all
	p.index = make([][]int32, len(docs))
	done := make([]bool, len(docs))
	var walk func(doc, parent int32, depth int)
	walk = func(doc, parent int32, depth int) {
		if done[doc] || depth > 64 {
			return
		}
		done[doc] = true
		type open struct{ node, elem int32 }
		stack := []open{{-1, parent}}
		closeTop := func() {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, child := range owners[elemKey{doc, top.node}] {
				walk(child, top.elem, depth+1)
			}
			p.elems[top.elem].end = int32(len(p.elems))
		}
		nodes := docs[doc].Nodes
		p.index[doc] = make([]int32, len(nodes))
		for i := range nodes {
			for len(stack) > 1 && stack[len(stack)-1].node != nodes[i].Parent {
				closeTop()
			}
			at := int32(len(p.elems))
			p.elems = append(p.elems, elem{doc: doc, node: int32(i), parent: stack[len(stack)-1].elem, end: at + 1, line: -1, seen: -1})
			p.index[doc][i] = at
			stack = append(stack, open{int32(i), at})
		}
		for len(stack) > 1 {
			closeTop()
		}
	}
	for i := range docs {
		walk(int32(i), 0, 0)
	}
	p.elems[0].end = int32(len(p.elems))
}

// match joins the elements to the lines of the outline.
func (p *page) match() {
	docs := p.snap.Capture.Documents
	type docKey struct{ frame, doc any }
	byDoc := map[docKey]int32{}
	byID := make([]map[int64]int32, len(docs))
	for i := len(docs) - 1; i >= 0; i-- {
		byDoc[docKey{docs[i].Frame, docs[i].Doc}] = int32(i)
		byID[i] = make(map[int64]int32, len(docs[i].Nodes))
		for j := len(docs[i].Nodes) - 1; j >= 0; j-- {
			byID[i][int64(docs[i].Nodes[j].ID)] = int32(j)
		}
	}
	scope := make([]int32, 0, 1)
	place := func(n *accessibility.Node, source bool) int32 {
		ref := n.Target
		if source {
			ref = n.Source
		}
		doc, ok := byDoc[docKey{ref.Frame, ref.Doc}]
		if !ok {
			return -1
		}
		node, ok := byID[doc][int64(ref.Node)]
		if !ok {
			node = 0
		}
		if e := p.elemOf(doc, node); e > 0 {
			return e
		}
		return -1
	}
	frames := map[int32]bool{}
	for i := range p.snap.Nodes {
		n := &p.snap.Nodes[i]
		e := place(n, true)
		if e < 0 {
			continue
		}
		frames[p.elems[e].doc] = true
		if p.elems[e].seen < 0 {
			p.elems[e].seen = int32(i)
		}
		if n.Parent < 0 {
			if t := place(n, false); t >= 0 {
				scope = append(scope, t)
			}
		}
		for k := range n.Cells {
			cell, ok := p.snap.Lookup(n.Ref.Cell(k + 1))
			if !ok {
				continue
			}
			if c := place(cell, true); c >= 0 && p.elems[c].seen < 0 {
				p.elems[c].seen, p.elems[c].cell = int32(i), int32(k+1)
			}
		}
	}
	for _, e := range scope {
		for i := e; i < p.elems[e].end; i++ {
			p.elems[i].visible = frames[p.elems[i].doc]
		}
	}
}

// scan splits the lines into words and finds numbers and moments.
func (p *page) scan() {
	if docs := p.snap.Capture.Documents; len(docs) > 0 {
		lang, _, _ := strings.Cut(strings.ToLower(docs[0].Lang), "-")
		p.style.dotted = dotted[lang]
	}
	var toks []token
	type part struct{ from, to int }
	parts := make([]part, len(p.lines))
	for i := range p.lines {
		from := len(toks)
		toks = tokenize(p.lines[i].text, toks)
		parts[i] = part{from, len(toks)}
		if !p.lines[i].hidden {
			p.style.learn(toks[from:])
		}
	}
	p.words = make([]word, len(toks))
	var size []int32
	for i := range p.lines {
		l := &p.lines[i]
		l.first, l.end = int32(parts[i].from), int32(parts[i].to)
		for k := parts[i].from; k < parts[i].to; k++ {
			text := l.text[toks[k].start:toks[k].end]
			id, ok := p.vocabulary[text]
			if !ok {
				id = int32(len(size))
				p.vocabulary[text] = id
				size = append(size, 0)
			}
			size[id]++
			p.words[k] = word{id: id, line: int32(i), token: toks[k]}
		}
	}
	p.postings = make([][]int32, len(size))
	all := make([]int32, len(toks))
	at := int32(0)
	for id, n := range size {
		p.postings[id] = all[at : at : at+n]
		at += n
	}
	for k := range p.words {
		id := p.words[k].id
		p.postings[id] = append(p.postings[id], int32(k))
	}
	for i := range p.lines {
		l := &p.lines[i]
		ts := toks[parts[i].from:parts[i].to]
		has := false
		for k := range ts {
			if ts[k].digits {
				has = true
				break
			}
		}
		moments := []moment(nil)
		if has || !p.now.IsZero() && len(ts) < 12 {
			moments = momentsIn(l.text, ts, p.now)
		}
		for _, m := range moments {
			f := found[moment]{int32(i), l.elemAt(ts[m.first].start), m}
			at := int32(len(p.moments))
			p.moments = append(p.moments, f)
			switch m.kind {
			case dateMoment:
				p.byDay[m.month*32+m.day] = append(p.byDay[m.month*32+m.day], at)
				if m.year > 0 && !m.relative {
					p.years[m.year] = true
				}
			case timeMoment:
				p.byTime[m.seconds] = append(p.byTime[m.seconds], at)
			case lengthMoment:
				p.byLength[m.seconds] = append(p.byLength[m.seconds], at)
			}
		}
		if !has && !strings.ContainsAny(l.text, "★⭐☆") {
			continue
		}
		for _, n := range numbersIn(l.text, ts, p.style) {
			p.numbers = append(p.numbers, found[number]{int32(i), l.elemAt(n.start), n})
			if len(n.raw) == 4 && len(n.readings) == 1 && n.readings[0].value >= 1900 && n.readings[0].value < 2100 {
				p.years[int(n.readings[0].value)] = true
			}
		}
	}
	slices.SortStableFunc(p.numbers, func(a, b found[number]) int { return int(a.elem - b.elem) })
	for i := range p.numbers {
		n := &p.numbers[i].what
		for _, r := range n.readings {
			p.byValue[r.key] = append(p.byValue[r.key], int32(i))
		}
		for code := range strings.FieldsSeq(n.currency) {
			p.byCurrency[code] = append(p.byCurrency[code], int32(i))
		}
	}
}

package pagedata

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// lay puts the nodes of all frames into one preorder.
func (p *Page) lay() {
	docs := p.Snap.Capture.Documents
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
	p.Elems = make([]Elem, 0, size)
	p.Elems = append(p.Elems, Elem{Doc: 0, node: -1, Parent: -1, Line: -1, Seen: -1}) // above all
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
			p.Elems[top.elem].End = int32(len(p.Elems))
		}
		nodes := docs[doc].Nodes
		p.index[doc] = make([]int32, len(nodes))
		for i := range nodes {
			for len(stack) > 1 && stack[len(stack)-1].node != nodes[i].Parent {
				closeTop()
			}
			at := int32(len(p.Elems))
			p.Elems = append(p.Elems, Elem{Doc: doc, node: int32(i), Parent: stack[len(stack)-1].elem, End: at + 1, Line: -1, Seen: -1})
			p.index[doc][i] = at
			if nodes[i].Kind == driver.TextNode && p.preformatted(at) && p.layLines(at) {
				continue
			}
			stack = append(stack, open{int32(i), at})
		}
		for len(stack) > 1 {
			closeTop()
		}
	}
	for i := range docs {
		walk(int32(i), 0, 0)
	}
	p.Elems[0].End = int32(len(p.Elems))
}

// match joins the elements to the lines of the outline.
func (p *Page) match() {
	docs := p.Snap.Capture.Documents
	type docKey struct {
		frame driver.FrameID
		doc   driver.DocID
	}
	type numbered struct {
		id   driver.NodeID
		node int32
	}
	byDoc := map[docKey]int32{}
	byID := make([][]numbered, len(docs)) // in the order of the ids
	for i := len(docs) - 1; i >= 0; i-- {
		byDoc[docKey{docs[i].Frame, docs[i].Doc}] = int32(i)
		byID[i] = make([]numbered, len(docs[i].Nodes))
		for j := range docs[i].Nodes {
			byID[i][j] = numbered{docs[i].Nodes[j].ID, int32(j)}
		}
		slices.SortStableFunc(byID[i], func(a, b numbered) int { return cmp.Compare(a.id, b.id) })
	}
	find := func(ref driver.NodeRef) (e int32, known bool) {
		doc, ok := byDoc[docKey{ref.Frame, ref.Doc}]
		if !ok {
			return -1, false
		}
		at, known := slices.BinarySearchFunc(byID[doc], ref.Node, func(n numbered, id driver.NodeID) int { return cmp.Compare(n.id, id) })
		if !known {
			return p.elemOf(doc, 0), false
		}
		return p.elemOf(doc, byID[doc][at].node), true
	}
	scope := make([]int32, 0, 1)
	place := func(n *accessibility.Node, source bool) int32 {
		ref := n.Target
		if source {
			ref = n.Source
		}
		if e, _ := find(ref); e > 0 {
			return e
		}
		return -1
	}
	p.place = place
	frames := map[int32]bool{}
	for i := range p.Snap.Nodes {
		n := &p.Snap.Nodes[i]
		e := place(n, true)
		if e < 0 {
			continue
		}
		frames[p.Elems[e].Doc] = true
		if p.Elems[e].Seen < 0 {
			p.Elems[e].Seen = int32(i)
		}
		if n.Parent < 0 {
			if t := place(n, false); t >= 0 {
				scope = append(scope, t)
			}
		}
		for k := range n.Cells {
			if c, _ := find(p.Snap.CellSource(n, k+1)); c > 0 && p.Elems[c].Seen < 0 {
				p.Elems[c].Seen, p.Elems[c].Cell = int32(i), int32(k+1)
			}
		}
	}
	for i := 1; i < len(p.Elems); i++ { // the lines of a text are on the outline's line of it
		if el, before := &p.Elems[i], &p.Elems[i-1]; el.row != nil && before.row != nil && el.node == before.node && el.Doc == before.Doc {
			el.Seen = before.Seen
		}
	}
	for _, e := range scope {
		for i := e; i < p.Elems[e].End; i++ {
			p.Elems[i].Visible = frames[p.Elems[i].Doc]
		}
	}
	for _, ref := range p.Snap.Ignored() {
		if e, known := find(ref); known {
			for i := e; i < p.Elems[e].End; i++ {
				p.Elems[i].Visible = false
			}
		}
	}
}

// scan splits the lines into words and finds numbers and moments.
func (p *Page) scan() {
	if docs := p.Snap.Capture.Documents; len(docs) > 0 {
		lang, _, _ := strings.Cut(strings.ToLower(docs[0].Lang), "-")
		p.style.dotted = dotted[lang]
	}
	size := 0
	for i := range p.Lines {
		size += len(p.Lines[i].Text)
	}
	all, toks := make([]Token, 0, size/3), make([][]Token, len(p.Lines)) // by line
	for i := range p.Lines {
		from := len(all)
		all = Tokenize(p.Lines[i].Text, all)
		toks[i] = all[from:]
		if !p.Lines[i].Hidden {
			p.style.learn(toks[i])
		}
	}
	p.indexWords(toks)
	for i := range p.Lines {
		l, ts := &p.Lines[i], toks[i]
		has := slices.ContainsFunc(ts, func(t Token) bool { return t.Digits })
		moments := []Moment(nil)
		if has || !p.Now.IsZero() && len(ts) < 12 {
			moments = MomentsIn(l.Text, ts, p.Now)
		}
		for _, m := range moments {
			f := Found[Moment]{int32(i), l.ElemAt(m.From), m}
			at := int32(len(p.Moments))
			p.Moments = append(p.Moments, f)
			switch m.Kind {
			case DateMoment:
				p.ByDay[m.Month*32+m.Day] = append(p.ByDay[m.Month*32+m.Day], at)
				if m.Year > 0 && !m.Relative {
					p.Years[m.Year] = true
				}
			case TimeMoment:
				p.ByTime[m.Seconds] = append(p.ByTime[m.Seconds], at)
			case LengthMoment:
				p.ByLength[m.Seconds] = append(p.ByLength[m.Seconds], at)
			}
		}
		if !has && !strings.ContainsAny(l.Text, "★⭐☆") {
			continue
		}
		for _, n := range NumbersIn(l.Text, ts, p.style) {
			p.Numbers = append(p.Numbers, Found[Number]{int32(i), l.ElemAt(n.Start), n})
			if hour, minute, ok := strings.Cut(n.Raw, "."); ok && len(hour) == 2 && len(minute) == 2 && hour < "25" && minute < "60" { // 09.05, as timetables have it
				s := int(PlainValue(hour)*3600 + PlainValue(minute)*60)
				p.ByTime[s] = append(p.ByTime[s], int32(len(p.Moments)))
				p.Moments = append(p.Moments, Found[Moment]{int32(i), l.ElemAt(n.Start), Moment{Kind: TimeMoment, From: n.Start, To: n.End, Seconds: s}})
			}
			if len(n.Raw) == 4 && len(n.Readings) == 1 && n.Readings[0].Value >= 1900 && n.Readings[0].Value < 2100 {
				p.Years[int(n.Readings[0].Value)] = true
			}
		}
	}
	slices.SortStableFunc(p.Numbers, func(a, b Found[Number]) int { return int(a.Elem - b.Elem) })
	for i := range p.Numbers {
		n := &p.Numbers[i].What
		for _, r := range n.Readings {
			p.ByValue[r.Key] = append(p.ByValue[r.Key], int32(i))
		}
		for code := range strings.FieldsSeq(n.Currency) {
			p.ByCurrency[code] = append(p.ByCurrency[code], int32(i))
		}
	}
}

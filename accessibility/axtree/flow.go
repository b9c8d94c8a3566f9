package axtree

import (
	"cmp"
	"strings"
)

// A flow walks over the rendered content of a document.
type flow struct {
	*texts

	run     int32 // the number of the stretch that we are in
	runs    int32 // how many there were
	atStart bool  // a space here would be dropped
	text    int32 // the last text of the stretch that ends in a space, none if none
	stack   []frame
}

// A frame is an open element of a flow.
type frame struct {
	item int32
	kind byte // 'i' in line, 'b' block, 'a' atomic or out of flow
	// What to go back to behind an atomic box.
	run     int32
	atStart bool
	text    int32
}

// layOut works out, from the computed display values, how content flows: what
// stands in a line and what in a block of its own, which stretches of inline
// content belong together, and how white space collapses in them (CSS Text 3
// §4.1.1, CSS Display 3 §2). Names need it: a space is put between the texts
// of two boxes, and none between two in the same line.
func (f *flow) layOut() {
	for d := range f.c.Documents {
		if len(f.c.Documents[d].Nodes) > 0 {
			f.document(f.base[d])
		}
	}
}

func (f *flow) document(root int32) {
	f.breakRun()
	f.stack = f.stack[:0]
	i := root
	for {
		f.enter(i)
		if c := f.items[i].first; c != none {
			f.stack[len(f.stack)-1].item = i
			i = c
			continue
		}
		for {
			f.leave()
			if i == root {
				return
			}
			if n := f.items[i].next; n != none {
				i = n
				break
			}
			i = f.items[i].parent
		}
	}
}

// enter opens an item.
func (f *flow) enter(i int32) {
	it := &f.items[i]
	fr := frame{item: i, kind: 'i'}
	switch {
	case it.is(isText):
		f.textNode(i)
	case it.is(isPseudo) && it.node.Name == "::marker":
		it.run = f.run // it hangs outside of the line
		f.visible[i] = it.node.Shown
	case it.is(isElement|isPseudo) && it.is(hasLayout):
		fr = f.box(i)
		if it.is(isPseudo) && it.first == none {
			f.generated(i)
		}
	case it.parent == none:
		it.flags |= blockFlow
		fr.kind = 'b'
	}
	if !it.is(hasLayout) || fr.kind != 'i' && it.run == 0 {
		it.run = f.run
	}
	f.stack = append(f.stack, fr)
}

// box opens a rendered element.
func (f *flow) box(i int32) frame {
	it := &f.items[i]
	fr := frame{item: i, kind: 'i', run: f.run, atStart: f.atStart, text: f.text}
	display := f.display(i)
	outOfFlow := it.node.Style != nil && (it.node.Style.Position == "absolute" || it.node.Style.Position == "fixed")
	switch {
	case it.tag == tagBr:
		it.flags |= inlineLevel
		it.run = f.run
		f.trim()
		f.atStart = true
		f.parentHolds(i, false)
	case outOfFlow:
		fr.kind = 'a'
		it.flags |= blockFlow
		f.parentHolds(i, false)
		f.newRun()
	case strings.HasPrefix(display, "inline-") || display == "ruby-text" || display == "math" ||
		display == "inline" && isReplaced(it) && !f.fallsBack(i):
		fr.kind = 'a'
		it.flags |= inlineLevel | atomic
		it.run = f.run
		if display == "inline-block" || display == "ruby-text" {
			it.flags |= blockFlow
		}
		f.parentHolds(i, false)
		fr.atStart, fr.text = false, none
		f.newRun()
	case display == "inline" || display == "contents" || display == "ruby":
		it.flags |= inlineLevel
		it.run = f.run
		f.parentHolds(i, false)
	default:
		fr.kind = 'b'
		f.parentHolds(i, true)
		switch display {
		case "block", "list-item", "flow-root", "table-cell", "table-caption":
			it.flags |= blockFlow
		}
		f.breakRun()
		it.run = f.run
	}
	if fr.kind != 'i' && fr.kind != 0 && it.run == 0 {
		it.run = f.run
	}
	return fr
}

// isReplaced reports whether an element stands in a line as one piece although
// its display is inline.
func isReplaced(it *item) bool {
	switch it.tag {
	case tagImg, tagInput, tagSelect, tagTextarea, tagVideo, tagAudio, tagCanvas, tagIframe, tagEmbed, tagObject, tagMeter, tagProgress:
		return true
	case svgSVG:
		return true
	}
	return false
}

// parentHolds marks the box around i by what it contains: a block, or something in a
// line or out of the flow.
func (f *flow) parentHolds(i int32, block bool) {
	p := f.items[i].parent
	for p != none && f.items[p].is(isElement) && !f.items[p].is(hasLayout) {
		p = f.items[p].parent
	}
	if p == none {
		return
	}
	it := &f.items[p]
	switch {
	case block:
		it.flags |= hasContent
		it.flags &^= inlineOnly
	case !it.is(hasContent):
		it.flags |= hasContent | inlineOnly
	}
}

// leave closes the item that was opened last.
func (f *flow) leave() {
	fr := f.stack[len(f.stack)-1]
	f.stack = f.stack[:len(f.stack)-1]
	switch fr.kind {
	case 'b':
		f.breakRun()
	case 'a':
		f.trim()
		f.run, f.atStart, f.text = fr.run, fr.atStart, fr.text
	}
}

// breakRun ends a stretch of inline content and begins another one.
func (f *flow) breakRun() {
	f.trim()
	f.newRun()
}

func (f *flow) newRun() {
	f.runs++
	f.run = f.runs
	f.atStart, f.text = true, none
}

// trim drops the space at the end of the stretch.
func (f *flow) trim() {
	if f.text != none {
		t := f.visible[f.text]
		f.visible[f.text] = t[:len(t)-1]
		f.text = none
	}
}

// textNode adds a text to the flow, and collapses its white space.
func (f *flow) textNode(i int32) {
	it := &f.items[i]
	it.run = f.run
	if !it.is(hasLayout) {
		f.visible[i] = it.node.Text
		return
	}
	it.flags |= inlineLevel
	f.parentHolds(i, false)
	shown := cmp.Or(it.node.Shown, it.node.Text)
	if it.is(preserved) {
		f.visible[i] = shown
		f.atStart, f.text = strings.HasSuffix(shown, "\n"), none
		return
	}
	f.flowText(i, shown)
}

// flowText appends a text to the stretch.
func (f *flow) flowText(i int32, shown string) {
	t := f.collapse(shown)
	f.visible[i] = t
	if t == "" {
		return
	}
	if t[len(t)-1] == ' ' {
		f.atStart, f.text = true, i
	} else {
		f.atStart, f.text = false, none
	}
}

// generated adds the text of a pseudo-element.
func (f *flow) generated(i int32) {
	it := &f.items[i]
	if it.node.Shown == "" {
		f.atStart, f.text = false, none // a picture
		return
	}
	f.flowText(i, it.node.Shown)
}

// collapse makes one space of each stretch of white space, none at the start.
func (f *flow) collapse(s string) string {
	if !needsCollapse(s) {
		if f.atStart && s != "" && s[0] == ' ' {
			return s[1:]
		}
		return s
	}
	return oneSpace(s, f.atStart)
}

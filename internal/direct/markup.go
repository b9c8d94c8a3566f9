package direct

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// A mark is the kind of markup that says what a fact is, surest first: of a fact that
// several say, the surest counts.
type mark uint8

const (
	labelled mark = iota // a header, a term, a label, an itemprop
	byTag                // a heading, the only link, the only picture
	byData               // JSON-LD that says the same as a text
	none
)

// A fact is what an element of the page says, with what its markup calls it.
type fact struct {
	label []string
	node  int32
	mark  mark
	tag   string // of a fact by its tag: "h", "h1", "a" or "img"
	url   string
	value string // of a control
	set   bool   // it is a control: value and on are all that it says
	on    *bool  // of a control that is on or off
}

// A reader collects the facts of one record, or of a page as a whole.
type reader struct {
	*page
	facts   []fact
	items   []fact // of microdata
	scope   int32  // the thing that they describe
	several bool   // they describe several
}

// element reads an element, and returns the next one to read.
func (r *reader) element(e int32) int32 {
	end := r.Elems[e].End
	switch tag := r.Part(e); {
	case tag == "table":
		if !r.table(e) {
			return e + 1 // a layout
		}
		return end
	case tag == "dl":
		r.definitions(e)
		return end
	case tag == "fieldset" || r.Attr(e, "role") == "radiogroup":
		r.choice(e)
	case r.control(e):
		return end
	}
	r.microdata(e)
	return e + 1
}

// table reads the labels and values of a table that is no list of records: th and td
// in turn. A table without a header says nothing by its markup.
func (r *reader) table(e int32) bool {
	rows := r.Grid(e)
	head, headed := r.headerRows(rows), false
	for k, row := range rows {
		n := len(row.Cells)
		pairs := n > 1 && n%2 == 0
		for i, c := range row.Cells {
			th := c >= 0 && r.Part(c) == "th"
			headed = headed || th
			pairs = pairs && c >= 0 && th == (i%2 == 0) && (i == 0 || c != row.Cells[i-1])
		}
		if !pairs || head > 0 && (k < head || n > 2 || r.Tag(r.Elems[row.Elem].Parent) != "tfoot") {
			continue
		}
		for i := 0; i < n; i += 2 {
			r.labelled(r.words(row.Cells[i]), row.Cells[i+1])
		}
	}
	return headed
}

// headerRows counts the rows of headers that a table begins with.
func (p *page) headerRows(rows []pagedata.GridRow) int {
	for k, row := range rows {
		for _, c := range row.Cells {
			if c >= 0 && p.Elems[c].Facts > 0 && p.Part(c) != "th" && p.Tag(p.Elems[row.Elem].Parent) != "thead" {
				return k
			}
		}
	}
	return 0 // headers alone
}

func (r *reader) labelled(label []string, e int32) {
	r.facts = append(r.facts, fact{label: label, node: e})
}

// definitions reads the terms of a list that have one definition each.
func (r *reader) definitions(dl int32) {
	var terms, given []int32
	flush := func() {
		if len(terms) == 1 && len(given) == 1 {
			r.labelled(r.words(terms[0]), given[0])
		}
		terms, given = nil, nil
	}
	for e := dl + 1; e < r.Elems[dl].End; {
		switch r.Tag(e) {
		case "dt":
			if len(given) > 0 {
				flush()
			}
			terms = append(terms, e)
		case "dd":
			given = append(given, e)
		case "dl":
		default:
			e++
			continue
		}
		e = r.Elems[e].End
	}
	flush()
}

// choice reads the one radio button that is chosen, by the name of its group.
func (r *reader) choice(e int32) {
	var chosen []fact
	for c := e; c < r.Elems[e].End; c++ {
		if n, group := r.named(c), r.named(e); group != nil && n != nil && n.Role == "radio" && n.States.Checked == accessibility.On {
			chosen = append(chosen, fact{label: pagedata.LabelWords(group.Name), node: c, value: n.Name, set: true})
		}
	}
	if len(chosen) == 1 {
		r.facts = append(r.facts, chosen[0])
	}
}

// control reads what a control holds, by its label. A field that is called by its
// placeholder has none.
func (r *reader) control(e int32) bool {
	f, ok := r.held(e)
	if ok && len(f.label) > 0 && r.Attr(e, "type") != "password" && r.named(e).Name != r.Attr(e, "placeholder") && (f.on != nil || strings.TrimSpace(f.value) != "") {
		r.facts = append(r.facts, f)
	}
	return ok
}

// held is what a control holds; ok is false for what is none.
func (p *page) held(e int32) (f fact, ok bool) {
	n := p.named(e)
	if n == nil {
		return f, false
	}
	f = fact{node: e, set: true, value: n.Value, label: pagedata.LabelWords(n.Name)}
	for _, state := range []accessibility.Tristate{n.States.Checked, n.States.Pressed} {
		if state == accessibility.On || state == accessibility.Off {
			on := state == accessibility.On
			f.on, f.value = &on, ""
		}
	}
	switch n.Role {
	case "radio", "button":
		if n.Role == "radio" || f.on == nil {
			f.label = nil // it holds nothing of its own
		}
	case "textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider", "date", "datetime", "inputtime", "colorwell", "meter", "progressbar", "checkbox", "switch":
	default:
		return f, false
	}
	return f, true
}

// microdata reads an element's itemprop. What a meta element says for machines is not
// seen, and a thing that is a property is a thing of its own.
func (r *reader) microdata(e int32) {
	name := r.Attr(e, "itemprop")
	if name == "" || r.Attr(e, "content") != "" || r.Tag(e) == "meta" || r.Tag(e) == "link" {
		return
	}
	for at := e; at >= 0; at = r.Elems[at].Parent {
		if _, scope := r.Node(at).Attr("itemscope"); !scope && at > 0 {
			continue
		}
		if r.Attr(at, "itemprop") != "" {
			return
		}
		r.several = r.several || r.scope >= 0 && r.scope != at
		r.scope = at
		break
	}
	f := fact{label: nameWords(name), node: e}
	if r.Tag(e) == "img" {
		f.url = r.Resolve(e, r.Attr(e, "src"))
	}
	r.items = append(r.items, f)
}

// byTags are what the tags in a record say of it: its heading, its only link, its only
// picture.
func (p *page) byTags(lo, hi int32) (facts []fact) {
	top := []int32{}
	for e := lo; e < hi; e++ {
		if p.isHeading(e) && p.Elems[e].Visible {
			if len(top) > 0 && p.Tag(e) < p.Tag(top[0]) {
				top = top[:0]
			}
			if len(top) == 0 || p.Tag(e) == p.Tag(top[0]) {
				top = append(top, e)
			}
		}
	}
	if len(top) == 1 {
		facts = append(facts, fact{node: top[0], mark: byTag, tag: "h"})
	}
	for _, of := range [][2]string{{"a", "href"}, {"img", "src"}} {
		var only fact
		for e := lo; e < hi; e++ {
			if p.Tag(e) != of[0] || !p.Elems[e].Visible {
				continue
			}
			u := p.Resolve(e, p.Attr(e, of[1]))
			if only.url != "" && u != "" && u != only.url {
				only = fact{}
				break
			}
			if only.url == "" {
				only = fact{node: e, mark: byTag, tag: of[0], url: u}
			}
		}
		if only.url != "" {
			facts = append(facts, only)
		}
	}
	return facts
}

// mainHeading is the page's one main heading: what a member called "heading" asks for.
// That it is also what the page is about would be a guess.
func (p *page) mainHeading() (facts []fact) {
	for e := int32(1); e < int32(len(p.Elems)); e++ {
		if p.Tag(e) == "h1" && p.Elems[e].Visible && p.Elems[e].Facts > 0 {
			facts = append(facts, fact{node: e, mark: byTag, tag: "h1"})
		}
	}
	if len(facts) > 1 {
		return nil
	}
	return facts
}

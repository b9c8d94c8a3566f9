package direct

import (
	"regexp"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
)

// A fact is something that a part of a page says, with what it is called there.
type fact struct {
	key    string // the same in every record of a list for what is the same
	label  string // what the page calls it; empty if it says nothing
	about  string // the concept that it is of by its nature: a heading, an amount of money
	most   int    // the best fit that the evidence for the label allows
	least  int    // a fit below is none
	node   int32
	text   string
	figure string // the part of text that holds its number
	count  bool   // text is a number of what the label says, and nothing else
	on     *bool  // of a control that is on or off
	url    string
	moment string // the date that a time element gives for machines
	lines  int    // how many lines text is of, where it is more than one
	image  bool   // text is the name of a picture
}

// A reader collects the facts of one record, or of a page as a whole.
type reader struct {
	p      *page
	facts  []fact
	record bool  // one of several like it: its own first text or link can name it
	level  int   // of the highest heading so far
	first  bool  // a text was seen
	label  int32 // before this node, texts are a label
	named  int32 // before this node, amounts have a name
}

// facts reads the part of a page below and with node root.
func (p *page) facts(root int32, record bool) []fact {
	r := reader{p: p, record: record, level: 100}
	aside := p.nodes[root].aside
	for i := root; i < p.nodes[root].end; {
		if p.nodes[i].aside && !aside {
			i = p.nodes[i].end
			continue
		}
		i = r.visit(i)
	}
	return r.facts
}

// visit reads one node, and returns the next one to read.
func (r *reader) visit(i int32) int32 {
	n := &r.p.nodes[i]
	if n.kind == textNode {
		r.piece(i)
		return i + 1
	}
	switch {
	case n.leaf:
		r.control(i)
		return n.end
	case isTable(n):
		r.table(i)
		return n.end
	case n.object.Role == "radiogroup" || n.is("fieldset"):
		r.choice(i)
	case n.is("dl"):
		r.definitions(i)
		return n.end
	case n.object.Role == "heading":
		r.heading(i)
	case n.is("img") || n.object.Role == "image":
		r.image(i)
	case n.is("a"):
		r.link(i)
	case n.is("time"):
		r.add(fact{key: "K:date", about: "date", most: 75, node: i, text: r.p.span(i), moment: attr(n.dom, "datetime")})
	case n.is("select"):
		return n.end
	}
	r.marked(i)
	if r.p.line(i) {
		r.line(i)
	}
	return i + 1
}

func (r *reader) add(f fact) {
	if f.figure == "" {
		f.figure = ratingOf(f.text)
	}
	r.facts = append(r.facts, f)
}

// labelled adds a fact that the page names.
func (r *reader) labelled(label string, f fact) {
	label = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(label), ":："))
	if label == "" {
		return
	}
	f.key, f.label = "L:"+strings.ToLower(label), label
	if f.about == "" && writtenBy.MatchString(label) {
		f.about = "author"
	}
	if f.most == 0 {
		f.most = 100
	}
	r.add(f)
}

// writtenBy is how pages name who made something.
var writtenBy = regexp.MustCompile(`(?i)^(?:(?:posted|written|started|created|submitted|answered|reviewed|asked|published) )?by$`)

// rich is a fact with all that a node holds: text, address, state.
func (p *page) rich(i int32) fact {
	f := fact{node: i, text: p.span(i), lines: len(p.lines(i))}
	states, links, images := 0, 0, 0
	for c := i; c < p.nodes[i].end; c++ {
		n := &p.nodes[c]
		switch {
		case n.kind == textNode:
		case n.leaf:
			if text, on, ok := p.state(c); ok && (on != nil || strings.TrimSpace(f.text) == "") {
				if states++; states == 1 {
					f.on = on
					if f.text == "" {
						f.text, f.node = text, c
					}
				}
			}
		case n.is("a"):
			if url := p.address(c, "href"); absolute(url) {
				links++
				f.url = url
			}
		case n.is("time"):
			f.moment = attr(n.dom, "datetime")
		case n.object.Role == "image" && (f.text == "" || f.image):
			f.text, f.image = n.object.Name, true
			images++
		}
	}
	if links > 1 {
		f.url = ""
	}
	if states > 1 {
		f.on = nil
	}
	if images > 1 { // none of them is what all of them say
		f.text = ""
	}
	return f
}

// lines returns the lines of a node's text.
func (p *page) lines(i int32) []string {
	var out []string
	for line := range strings.SplitSeq(p.text[p.nodes[i].from:p.nodes[i].to], "\n") {
		if line = collapse(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// state returns what a control holds.
func (p *page) state(i int32) (text string, on *bool, ok bool) {
	o := p.nodes[i].object
	st := o.States.Checked
	if st == axtree.Unset {
		st = o.States.Pressed
	}
	switch st {
	case axtree.On, axtree.Off:
		is := st == axtree.On
		return "", &is, true
	case axtree.Mixed:
		return "", nil, false
	}
	switch o.Role {
	case "button", "menuitem", "tab", "checkbox", "radio", "switch":
		return "", nil, false
	}
	if attr(p.nodes[i].dom, "type") == "password" {
		return "", nil, false
	}
	return o.Value, nil, strings.TrimSpace(o.Value) != ""
}

// control adds what a control holds, by its name.
func (r *reader) control(i int32) {
	if text, on, ok := r.p.state(i); ok && r.p.nodes[i].object.Role != "radio" {
		r.labelled(r.p.nodes[i].object.Name, fact{node: i, text: text, on: on})
	}
}

// choice adds the radio button that is chosen, by the name of its group.
func (r *reader) choice(i int32) {
	chosen := int32(-1)
	for c := i; c < r.p.nodes[i].end; c++ {
		n := &r.p.nodes[c]
		if n.object.Role == "radio" && n.object.States.Checked == axtree.On {
			if chosen >= 0 {
				return
			}
			chosen = c
		}
	}
	if chosen >= 0 {
		r.labelled(r.p.nodes[i].object.Name, fact{node: chosen, text: r.p.nodes[chosen].object.Name})
	}
}

// definitions adds the terms of a list that have one definition each.
func (r *reader) definitions(dl int32) {
	term, definition, several := int32(-1), int32(-1), false
	flush := func() {
		if term >= 0 && definition >= 0 && !several {
			r.labelled(r.p.span(term), r.p.rich(definition))
		}
	}
	for i := dl + 1; i < r.p.nodes[dl].end; {
		n := &r.p.nodes[i]
		switch {
		case n.is("dt"):
			if definition >= 0 || term < 0 {
				flush()
				several = false
			} else {
				several = true // two terms with one definition
			}
			term, definition = i, -1
			i = n.end
		case n.is("dd"):
			several = several || definition >= 0
			definition = i
			i = n.end
		default:
			i++
		}
	}
	flush()
}

// heading adds the highest heading as what names the record.
func (r *reader) heading(i int32) {
	level := r.p.nodes[i].object.States.Level
	if level == 0 {
		level = 2
	}
	text := r.p.span(i)
	if text == "" || level > r.level {
		return
	}
	if f, ok := r.p.figureOf(text); r.record && (ok && f.money && f.before == "" || outright[strings.ToLower(text)]) {
		return // a price that stands out names nothing
	}
	if level < r.level {
		r.facts = dropKey(r.facts, "K:name")
	}
	r.level = level
	r.add(fact{key: "K:name", about: "name", most: 80, node: i, text: text})
	if m := numbered.FindStringSubmatch(text); m != nil && withNumbers[strings.ToLower(m[1])] {
		r.labelled(m[1]+" number", fact{node: i, text: m[2], most: 85})
	}
}

// outright are words for a price of nothing.
var outright = setOf("free gratis kostenlos gratuit")

// withNumbers are things that have a number of their own.
var withNumbers = setOf("invoice order booking reservation contract ticket case receipt parcel claim issue request quote shipment flight policy line train bus account rechnung bestellung auftrag buchung vertrag facture commande")

// numbered is a heading such as "Booking 88-1043".
var numbered = regexp.MustCompile(`^(\pL+) (?:[Nn]o\.? ?|[Nn]umber |Nr\.? ?)?#?([\pL/-]*\d[\pL\d/.-]*)$`)

func dropKey(facts []fact, key string) []fact {
	kept := facts[:0]
	for _, f := range facts {
		if f.key != key {
			kept = append(kept, f)
		}
	}
	return kept
}

var ratingForm = regexp.MustCompile(`(?i)^(?:rated |rating:? |bewertung:? )?(\d(?:[.,]\d+)?)(?: ?/ ?| out of | of | von | sur | de )(?:5|10)\b(?: stars?| sternen?)?|^(?:rated )?(\d(?:[.,]\d+)?) stars?$`)

// ratingOf returns the number of a rating: "4.7" of "Rated 4.7 out of 5".
func ratingOf(text string) string {
	if len(text) > 60 {
		return ""
	}
	m := ratingForm.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1] + m[2] // one of them is empty
}

// image adds a picture's address.
func (r *reader) image(i int32) {
	n := &r.p.nodes[i]
	if url := r.p.address(i, "src"); url != "" && n.is("img") {
		r.add(fact{key: "K:image", about: "image", most: 75, node: i, url: url})
	}
}

// marked adds what attributes of an element say about it.
func (r *reader) marked(i int32) {
	n := &r.p.nodes[i]
	for _, a := range n.dom.Attrs {
		switch a.Name {
		case "aria-label", "title":
			if figure := ratingOf(strings.TrimSpace(a.Value)); figure != "" {
				r.add(fact{key: "K:rating", about: "rating", most: 90, node: i, text: a.Value, figure: figure})
			} else if a.Name == "aria-label" && n.object.Role != "link" && n.object.Role != "image" && n.object.Role != "heading" && n.end > i+1 && r.p.short(i) {
				r.labelled(a.Value, r.p.rich(i))
			}
		case "aria-posinset":
			r.labelled("Position", fact{node: i, text: a.Value})
		case "itemprop":
			if r.p.short(i) && !n.is("meta", "link") {
				f := r.p.rich(i)
				f.most = 95
				r.labelled(a.Value, f)
			}
		case "class":
			r.classes(i, a.Value)
		}
	}
}

// short reports whether a node holds no more than a line of text.
func (p *page) short(i int32) bool {
	n := &p.nodes[i]
	return n.to > n.from && n.end-i <= 6
}

// libraries are prefixes of classes that say how something looks.
var libraries = regexp.MustCompile(`^(?:Mui|ant-|text-|bg-|btn|col|row|d-|mb?-|p-|w-|h-|fs-|fw-|font-|flex|grid|css-|card-text$|list|item$|container|wrapper|badge|rounded|small|display|name$|label$|value$|val$|k$|t$|tag$|key$)`)

// classes adds an element's text under the words of its classes.
func (r *reader) classes(i int32, classes string) {
	if !r.p.short(i) {
		return
	}
	for class := range strings.FieldsSeq(classes) {
		if libraries.MatchString(class) || len(class) < 3 {
			continue
		}
		f := r.p.rich(i)
		f.key, f.label, f.most, f.least = "C:"+class, class, 85, 80
		r.add(f)
		// Of "product-price", the last word says what it is.
		if words := split(class); len(words) == 2 {
			f.label = words[1]
			f.most = 80
			r.add(f)
		}
	}
}

// link adds where a link goes.
func (r *reader) link(i int32) {
	n := &r.p.nodes[i]
	url := r.p.address(i, "href")
	text := r.p.span(i)
	switch {
	case strings.HasPrefix(url, "mailto:"):
		address, _, _ := strings.Cut(strings.TrimPrefix(url, "mailto:"), "?")
		if strings.Contains(text, "@") {
			address = text
		}
		r.add(fact{key: "K:email", about: "email", most: 90, node: i, text: address})
	case strings.HasPrefix(url, "tel:"):
		if text != "" {
			r.add(fact{key: "K:phone", about: "phone", most: 90, node: i, text: text})
		}
	case !absolute(url) || attr(n.dom, "href") == "#" || n.object.Role == "button":
	default:
		r.add(fact{key: "K:link", about: "link", most: 75, node: i, url: url})
		if text != "" {
			r.add(fact{key: "U:" + strings.ToLower(text), label: text, most: 90, least: 80, node: i, url: url})
		}
		if r.record && !r.first && text != "" && r.level == 100 && !r.p.within(i, "heading") && !personal.MatchString(url) {
			r.add(fact{key: "K:linked", about: "name", most: 70, node: i, text: text})
		}
	}
}

// personal are the addresses of people's pages.
var personal = regexp.MustCompile(`(?i)/(?:u|users?|authors?|profiles?|members?|people|@[^/]*)(?:/|$)|/[@~]`)

// within reports whether a node stands in one of a role.
func (p *page) within(i int32, role axtree.Role) bool {
	for ; i >= 0; i = p.nodes[i].parent {
		if p.nodes[i].object.Role == role {
			return true
		}
	}
	return false
}

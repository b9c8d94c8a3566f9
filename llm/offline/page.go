package offline

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// A page is an outline with what the matcher asks of it.
type page struct {
	items []accessibility.Item
	end   []int // the index behind each item's subtree
	own   split // the instruction, which a page may show

	// known holds the words of texts that were split before: each name is
	// compared with many phrases. It is shared with the page's parts.
	known map[string]split
}

func newPage(o *accessibility.Outline) *page {
	p := &page{items: o.Items, end: make([]int, len(o.Items)), known: map[string]split{}}
	for i := len(o.Items) - 1; i >= 0; i-- {
		j := i + 1
		for j < len(o.Items) && o.Items[j].Depth > o.Items[i].Depth {
			j = p.end[j]
		}
		p.end[i] = j
	}
	return p
}

func (p *page) split(text string) split {
	s, ok := p.known[text]
	if !ok {
		s = splitWords(text)
		p.known[text] = s
	}
	return s
}

// root is the ref of the document.
func (p *page) root() (accessibility.Ref, bool) {
	if len(p.items) == 0 || p.items[0].Omitted != nil {
		return "", false
	}
	return p.items[0].Ref, true
}

// children returns the indexes directly below item i, without omissions.
func (p *page) children(i int) []int {
	var out []int
	for j := i + 1; j < p.end[i]; j = p.end[j] {
		if p.items[j].Omitted == nil {
			out = append(out, j)
		}
	}
	return out
}

// text is what an item says: its name, or a row's cells.
func text(it *accessibility.Item) string {
	if len(it.Cells) == 0 {
		return it.Name
	}
	var cells []string
	for _, c := range it.Cells {
		if !c.Below {
			cells = append(cells, c.Text)
		}
	}
	return strings.Join(cells, " ")
}

// allText is what an item and everything below it say.
func (p *page) allText(i int) string {
	var lines []string
	for j := i; j < p.end[i]; j++ {
		it := &p.items[j]
		if t := text(it); t != "" {
			lines = append(lines, t)
		}
		if it.Value != "" && it.Value != it.Name {
			lines = append(lines, it.Value)
		}
	}
	return strings.Join(lines, "\n")
}

// nameFit reports how well a phrase fits a text of the page. A text that shows the
// instruction itself names nothing.
func (p *page) nameFit(phrase, name string) int {
	a, b := p.split(phrase), p.split(name)
	if len(p.own.all) >= mostShownWords && len(a.all) < len(p.own.all) && holds(b.all, p.own.all) {
		return noFit
	}
	return nameFit(a, b)
}

// part is the part of the page that findings name: a container itself, or the
// one around a heading.
func (p *page) part(f finding) int {
	for _, i := range f.items {
		if p.end[i] > i+1 {
			return i
		}
	}
	for _, i := range f.items {
		if headings[p.items[i].Role] && p.items[i].Parent >= 0 {
			return p.items[i].Parent
		}
	}
	return -1
}

// usual is what a person does with an element of its kind, without arguments.
func (p *page) usual(i int) *answer {
	it := &p.items[i]
	switch {
	case choosable(it):
		return p.do(i, "selectOption")
	case editable(it) && !it.States.ReadOnly:
		return p.do(i, "fill")
	case checkable(it) && it.Role != "radio" && it.States.Checked == accessibility.On:
		return p.do(i, "uncheck")
	case checkable(it):
		return p.do(i, "check")
	}
	return p.do(i, "click")
}

// do answers with an action on an item.
func (p *page) do(i int, method string, args ...string) *answer {
	it := &p.items[i]
	if args == nil {
		args = []string{}
	}
	return &answer{Found: true, Ref: string(it.Ref), Method: method, Arguments: args, Description: method + " " + describe(it)}
}

// natural is what a person does with an element that was only named.
func (p *page) natural(i int) *answer {
	it := &p.items[i]
	if checkable(it) && it.States.Checked != accessibility.On {
		return p.do(i, "check")
	}
	return p.do(i, "click")
}

// choice answers with a method on what a phrase was found to mean.
func (p *page) choice(phrase string, f finding, method string, args ...string) *answer {
	switch {
	case f.one():
		return p.do(f.items[0], method, args...).fits(f.fit)
	case len(f.items) > 1:
		return no("ambiguous, the candidates are %s. Say which, for example \"the second %s\", or what it is in", p.candidates(f.items), phrase)
	}
	return no("nothing on the page is named %q%s (%s)", phrase, p.near(phrase), honest)
}

// near names what shares a word with a phrase that fits nothing.
func (p *page) near(phrase string) string {
	wanted := distinctive(words(phrase))
	var found []int
	for i := range p.items {
		if !usable(&p.items[i]) || len(found) == 5 {
			continue
		}
		for _, w := range distinctive(words(text(&p.items[i]))) {
			if slices.ContainsFunc(wanted, func(v string) bool { return similar(v, w) }) {
				found = append(found, i)
				break
			}
		}
	}
	if len(found) == 0 {
		return ""
	}
	return "; what comes near is " + p.candidates(found)
}

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
	for n, k := range p.children(row) { // each cell has a line of its own
		if cellRoles[p.items[k].Role] && p.nameFit(name, p.items[k].Name) >= nearly {
			out = append(out, n)
		}
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

// moreOf finds the one control that brings more of a list.
func (p *page) moreOf() (accessibility.Ref, bool) {
	var found []accessibility.Ref
	for i := range p.items {
		it := &p.items[i]
		if usable(it) && !it.States.Disabled && more[strings.Join(words(text(it)), " ")] {
			found = append(found, it.Ref)
		}
	}
	if len(found) != 1 {
		return "", false
	}
	return found[0], true
}

// quote finds the one text that is called as wanted: the definition of a term, the
// value of a control, the heading, the title, what a part of the page says; or
// else the one text that holds all words. at is the item around it.
func (p *page) quote(wanted string) (at int, said string, ok bool) {
	found := 0
	take := func(i int, text string) {
		if text = strings.TrimSpace(text); text != "" && (found == 0 || text != said) {
			at, said = i, text
			found++
		}
	}
	for i := range p.items {
		it := &p.items[i]
		switch {
		case it.Omitted != nil || p.nameFit(wanted, text(it)) < nearly:
		case it.Role == "term" && i+1 < len(p.items) && p.items[i+1].Role == "definition":
			take(i+1, p.allText(i+1))
		case it.Value != "" && field(it):
			take(i, it.Value)
		}
	}
	if found > 0 {
		return at, said, found == 1
	}
	switch strings.Join(distinctive(words(ofPage.ReplaceAllString(wanted, ""))), " ") {
	case "heading", "headline", "main heading", "page heading":
		return p.mainHeading()
	case "title", "page title":
		if len(p.items) > 0 && p.items[0].Name != "" {
			return 0, p.items[0].Name, true
		}
	}
	named := p.named(wanted, 0, len(p.items), usableText)
	if i := p.part(named); i >= 0 && named.fit >= nearly && len(named.items) == 1 {
		return i, p.allText(i), true
	}
	if named.fit >= allWords && named.one() {
		i := named.items[0]
		return i, text(&p.items[i]), true
	}
	return 0, "", false
}

// mainHeading is the heading of the highest rank; ok is false where several have it.
func (p *page) mainHeading() (at int, said string, ok bool) {
	best := math.MaxInt
	for i := range p.items {
		it := &p.items[i]
		if !headings[it.Role] || it.Name == "" {
			continue
		}
		switch level := cmp.Or(it.States.Level, 2); { // as WAI-ARIA has it without aria-level
		case level < best:
			best, at, said, ok = level, i, it.Name, true
		case level == best:
			ok = false
		}
	}
	return at, said, ok
}

// cutOff says that the outline shows less than the page at an item, where it does.
func (p *page) cutOff(at int, said string) string {
	for j := at; j < p.end[at]; j++ {
		it := &p.items[j]
		if o := it.Omitted; o != nil {
			return "the outline leaves out " + strconv.Itoa(o.Count) + " more " + o.Noun
		}
		cut := it.Cut.Name > 0 && strings.Contains(said, it.Name) || it.Cut.Value > 0 && strings.Contains(said, it.Value)
		for _, c := range it.Cells {
			cut = cut || c.Cut > 0 && strings.Contains(said, c.Text)
		}
		if cut {
			return "a text on the page says more than the outline shows"
		}
	}
	return ""
}

// field finds the field that a phrase names: by its own name, or as the only one
// in a cell of that name, as in a grid while a cell is edited.
func (p *page) field(phrase string, of func(*accessibility.Item) bool) finding {
	if f := p.find(phrase, of); len(f.items) > 0 {
		return f
	}
	f := p.find(phrase, func(it *accessibility.Item) bool { return cellRoles[it.Role] && text(it) != "" }).atLeast(nearly)
	if !f.one() {
		return finding{}
	}
	within := finding{fit: f.fit}
	for i := f.items[0] + 1; i < p.end[f.items[0]]; i++ {
		if of(&p.items[i]) {
			within.items = append(within.items, i)
		}
	}
	return within
}

// noField says why a value cannot be given to what a phrase names.
func (p *page) noField(phrase string) *answer {
	f := p.field(phrase, field)
	if len(f.items) == 0 {
		if g := p.find(phrase, func(it *accessibility.Item) bool { return text(it) != "" }).atLeast(nearly); g.one() {
			return no("[%s] %s takes no text; a field is needed (%s)", p.items[g.items[0]].Ref, describe(&p.items[g.items[0]]), honest)
		}
	}
	return p.choice(phrase, f, "fill")
}

// give is how a kind of control takes a value.
func (p *page) give(i int, value string) *answer {
	it := &p.items[i]
	if unquoted := strings.Trim(value, `"`); unquoted != "" {
		value = unquoted
	}
	switch {
	case choosable(it):
		return p.options(i, value)
	case checkable(it):
		switch strings.ToLower(value) {
		case "on", "true", "yes", "checked", "selected":
			return p.do(i, "check")
		case "off", "false", "no", "unchecked":
			return p.do(i, "uncheck")
		}
		return no("%s takes on or off, not %q", describe(it), value)
	}
	return p.do(i, "fill", formatted(it.Role, value))
}

// options chooses the options of a list that a phrase names, one or more.
func (p *page) options(i int, phrase string) *answer {
	it := &p.items[i]
	if label, ok := optionOf(it, phrase); ok {
		return p.do(i, "selectOption", label)
	}
	var labels []string
	for _, part := range series(phrase) {
		label, ok := optionOf(it, part)
		if !ok {
			return no("%s has no option %q; its options are %s", describe(it), part, optionNames(it))
		}
		labels = append(labels, label)
	}
	if len(labels) == 0 {
		return no("say which option of %s", describe(it))
	}
	if len(labels) > 1 && !it.States.Multiselectable {
		return no("%s takes one option", describe(it))
	}
	return p.do(i, "selectOption", labels...)
}

// offeredBy reports whether an option can be one of a list's: the list is open, or
// holds it. A box is one of the group around it.
func (p *page) offeredBy(list, option int) bool {
	return p.items[list].States.Expanded == accessibility.On || list < option && option < p.end[list] || checkable(&p.items[option])
}

// offers finds what an open list offers under a name, among roles and, if only
// is not nil, among those elements alone.
func (p *page) offers(wanted string, of kind, only map[accessibility.Ref]bool) finding {
	return p.named(wanted, 0, len(p.items), func(it *accessibility.Item) bool {
		return (of == nil && !editable(it) && text(it) != "" || of[it.Role]) && (only == nil || only[it.Ref])
	}).atLeast(inOrder)
}

// find looks for the elements that a phrase names, among those that want
// accepts. The phrase may hold a kind ("button"), a place ("second") and a
// container ("in the cart").
func (p *page) find(phrase string, want func(*accessibility.Item) bool) finding {
	best := p.named(phrase, 0, len(p.items), want)
	if best.fit >= nearly {
		return best
	}
	if strings.HasPrefix(strings.ToLower(phrase), "the ") && ordered(phrase) {
		best = finding{} // "the first post" is a place; "my first post" may be a name
	}
	if f := p.placed(phrase, want); f.fit > best.fit {
		// "My first post": what has all the words is not one of several posts.
		if !ordered(phrase) || best.fit < inOrder {
			best = f
		}
	}
	if best.fit >= nearly && best.one() {
		return best
	}
	if f := p.within(phrase, want); f.fit > best.fit || f.one() && !best.one() {
		best = f
	}
	if best.one() && best.fit < nearly {
		return p.besides(best, phrase, want)
	}
	return best
}

// besides adds what differs from the phrase in number alone: "Post" in a longer
// name, and a link "Posts", are two that may be meant.
func (p *page) besides(f finding, phrase string, want func(*accessibility.Item) bool) finding {
	said := exact(words(phrase))
	for i := range p.items {
		it := &p.items[i]
		if i == f.items[0] || it.Omitted != nil || !want(it) {
			continue
		}
		if name := exact(words(text(it))); len(said) > 0 && slices.Equal(stems(said), stems(name)) {
			f.items = append(f.items, i)
		}
	}
	slices.Sort(f.items)
	return f
}

// named finds the best fits of a phrase as a name between two indexes.
func (p *page) named(phrase string, from, to int, want func(*accessibility.Item) bool) finding {
	var f finding
	for i := from; i < to; i++ {
		it := &p.items[i]
		if it.Omitted != nil || !want(it) {
			continue
		}
		switch n := p.fitOf(phrase, i); {
		case n == noFit || n < f.fit:
		case n > f.fit:
			f = finding{n, []int{i}}
		default:
			f.items = append(f.items, i)
		}
	}
	return p.sieve(f)
}

// fitOf reports how well a phrase names an item: by its name, else by what
// stands in or before it.
func (p *page) fitOf(phrase string, i int) int {
	it := &p.items[i]
	best := p.nameFit(phrase, text(it))
	for _, aside := range []string{it.Placeholder, it.Description, p.before(i)} {
		if n := p.nameFit(phrase, aside) - 5; aside != "" && n > best {
			best = n
		}
	}
	if pressed[it.Role] || it.Role == "link" {
		if n := p.nameFit(phrase, it.Value) - 5; n > best {
			best = n
		}
	}
	return best
}

// before is the text in front of a control that has no name of its own.
func (p *page) before(i int) string {
	it := &p.items[i]
	if it.Name != "" || i == 0 || !typed[it.Role] && !checkable(it) && !lists[it.Role] {
		return ""
	}
	if prev := &p.items[i-1]; prev.Role == "text" && prev.Depth == it.Depth && len(words(prev.Name)) <= mostLabelWords {
		return prev.Name
	}
	return ""
}

// sieve leaves out what cannot be meant where another can: the disabled, and what is around another finding.
func (p *page) sieve(f finding) finding {
	var enabled []int
	for _, i := range f.items {
		if !p.items[i].States.Disabled {
			enabled = append(enabled, i)
		}
	}
	if len(enabled) > 0 {
		f.items = enabled
	}
	var inner []int
	for n, i := range f.items {
		if n+1 < len(f.items) && f.items[n+1] < p.end[i] {
			continue // the next one is within this one
		}
		inner = append(inner, i)
	}
	f.items = inner
	return f
}

// within reads a phrase with a container, as "Remove in Meridian compass": the
// element that fits the first half in the smallest part of the page which
// holds it and what the second half names.
func (p *page) within(phrase string, want func(*accessibility.Item) bool) finding {
	var best finding
	for _, at := range containerWord.FindAllStringIndex(phrase, mostContainers) {
		inner, outer := phrase[:at[0]], strings.TrimSpace(phrase[at[1]:])
		anchors := p.anchors(outer)
		if len(distinctive(words(outer))) == 0 || len(anchors.items) == 0 || len(anchors.items) > mostAnchors {
			continue
		}
		var found finding
		for _, a := range anchors.items {
			f := p.around(a, inner, want)
			switch {
			case f.fit > found.fit:
				found = f
			case f.fit == found.fit:
				for _, i := range f.items {
					if !slices.Contains(found.items, i) {
						found.items = append(found.items, i)
					}
				}
			}
		}
		found.items = slices.DeleteFunc(found.items, func(i int) bool {
			return contrary(words(phrase), words(text(&p.items[i]))) // "Turn on X" is not "Turn", on "X"
		})
		if len(found.items) == 0 {
			continue
		}
		// The weaker half decides how good the whole is.
		found.fit = min(found.fit, anchors.fit)
		if found.fit > best.fit || found.fit == best.fit && len(found.items) < len(best.items) {
			best = found
		}
	}
	return best
}

// anchors finds what names a part of the page.
func (p *page) anchors(phrase string) finding {
	named := func(it *accessibility.Item) bool { return text(it) != "" }
	f := p.named(phrase, 0, len(p.items), named)
	if f.fit < nearly && (!ordered(phrase) || f.fit < inOrder) {
		if g := p.placed(phrase, named); g.fit > f.fit {
			f = g
		}
	}
	return f
}

// around looks for a phrase in the subtree of an item, then in those around it.
func (p *page) around(i int, phrase string, want func(*accessibility.Item) bool) finding {
	for ; i >= 0; i = p.items[i].Parent {
		sub := &page{items: p.items[i:p.end[i]], known: p.known, own: p.own}
		sub.end = make([]int, len(sub.items))
		for j := range sub.items {
			sub.end[j] = p.end[i+j] - i
		}
		f := sub.named(phrase, 0, len(sub.items), want)
		if f.fit < nearly {
			if g := sub.placed(phrase, want); g.fit > f.fit {
				f = g
			}
		}
		if len(f.items) > 0 {
			for n := range f.items {
				f.items[n] += i
			}
			return f
		}
	}
	return finding{}
}

// candidates lists items for people.
func (p *page) candidates(items []int) string {
	var out []string
	for n, i := range items {
		if n == mostNamed {
			out = append(out, fmt.Sprintf("and %d more", len(items)-n))
			break
		}
		out = append(out, fmt.Sprintf("[%s] %s", p.items[i].Ref, describe(&p.items[i])))
	}
	return strings.Join(out, "; ")
}

// placed reads a phrase with a kind or a place in it, as "the second Save button".
func (p *page) placed(phrase string, want func(*accessibility.Item) bool) finding {
	place := 0
	if m := fromTheEnd.FindStringSubmatchIndex(phrase); m != nil {
		place = -2
		if m[2] >= 0 {
			place = -ordinal(strings.ToLower(phrase[m[2]:m[3]]))
		}
		phrase = phrase[:m[0]] + phrase[m[1]:]
	}
	rest := strings.Fields(joinKinds(phrase))
	var k kind
	trim := func(w string) string { return strings.ToLower(strings.Trim(w, ".,;:?!")) }
	for len(rest) > 0 && (small[trim(rest[0])] || ordinal(trim(rest[0])) != 0) {
		if n := ordinal(trim(rest[0])); n != 0 {
			if place != 0 {
				return finding{} // two places say nothing
			}
			place = n
		}
		rest = rest[1:]
	}
	if len(rest) > 0 {
		if word := trim(rest[len(rest)-1]); word != "" {
			if found, ok := kindOf(word); ok {
				if place == 0 && len(rest) == 1 && word != stem(word) {
					return finding{} // "the links" names all of them, and so none
				}
				k, rest = found, rest[:len(rest)-1]
			}
		}
	}
	if k == nil && len(rest) > 1 {
		if found, ok := kindOf(trim(rest[0])); ok {
			k, rest = found, rest[1:]
			for len(rest) > 1 && set("to", "called", "named", "labelled", "labeled", "for")[trim(rest[0])] {
				rest = rest[1:]
			}
			if m := numbered.FindStringSubmatch(strings.Join(rest, " ")); m != nil && place == 0 {
				if f := p.named(m[1], 0, len(p.items), func(it *accessibility.Item) bool { return want(it) && k[it.Role] }); len(f.items) == 0 {
					place, _ = strconv.Atoi(m[1])
					rest = nil
				}
			}
		}
	}
	if k == nil && place == 0 {
		return finding{}
	}
	ofKind := func(it *accessibility.Item) bool { return want(it) && (k == nil || k[it.Role]) }
	var f finding
	if name := strings.Join(rest, " "); len(distinctive(words(name))) > 0 {
		f = p.named(name, 0, len(p.items), ofKind)
		if place != 0 && (f.fit < allWords || k == nil && f.fit < nearly && f.one()) {
			f = finding{} // one of several posts is none of "Posts"
		}
		if len(f.items) == 0 && k != nil && place == 0 {
			// What people call a button may be a link.
			f = p.named(name, 0, len(p.items), want).atLeast(nearly)
		}
		if k != nil && f.fit > noFit && f.fit < nearly {
			f.fit++ // a kind says more than a word that is not in the name
		}
	} else if k != nil {
		f.fit = nearly
		for i := range p.items {
			if it := &p.items[i]; it.Omitted == nil && ofKind(it) {
				f.items = append(f.items, i)
			}
		}
	}
	return pick(f, place)
}

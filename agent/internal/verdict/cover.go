package verdict

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/wayfinder-engine/wayfinder/internal/calendar"
)

// A Deed is one thing that a step of a run did, with what became of it.
type Deed struct {
	Step int
	Kind Kind

	// Proves is false where the outcome speaks against it: refused, dismissed,
	// answered badly, undone, not known.
	Proves bool
	// Changed says that the page or its server did something for it.
	Changed bool
	// Sent says that a request that is no mere reading was answered well.
	Sent bool
	// Went says that it led to another page and did no more than that.
	Went bool
	// Led are the addresses and dialogs that it led to.
	Led []string
	// Entered is what it put into a field.
	Entered []string
	// Chosen are the options that it chose.
	Chosen []string
	// Fields are the values of the requests that it sent, and that were answered well.
	Fields []string
	// Left says that the page went to another document.
	Left bool
	// Twins counts the elements that look the same, where no word of the task tells its
	// own from any of them.
	Twins int
	// Beside are words of the instruction that stand at other elements of its kind.
	Beside []string
	// Nearer are the names of other controls of its row that say more of the instruction.
	Nearer []string
	// Form says that it is about a control of a form that is sent as a whole.
	Form bool
	// Undone says that it was brought back to what it was before.
	Undone bool
	// InRow says that its element is one of a row or an item, of several alike.
	InRow bool
	// Replaced is what stood in the fields that it entered something into.
	Replaced []string
	// Unsent says that what it entered still stands in a form that was not sent.
	Unsent bool
	// Pending is the button of a form without fields that the deed led to and that
	// nobody pressed: the last page of a sequence, which says again what was entered.
	Pending string
	// Element is what it acted on, for people.
	Element string

	// Said is what it holds: names, row, group, what was entered, addresses.
	Said []string
}

// A Part is a part of an instruction that no deed proves.
type Part struct {
	Text   string
	Reason string
	// Missing says that a deed is missing, and not only a word.
	Missing bool
	// Contrary says that the run's own steps speak against the task, and not only
	// that none of them proves it.
	Contrary bool
}

// A Reading is a text that a run was shown.
type Reading struct {
	Step int    `json:"step"` // that was over by then
	Text string `json:"text"`
}

// Cover returns the parts of an instruction that a run's deeds do not prove. read is
// what the run's pages and tools said.
func Cover(instruction string, deeds []Deed, read []Reading) []Part {
	clauses := Divide(instruction)
	proving := slices.DeleteFunc(slices.Clone(deeds), func(d Deed) bool { return !d.Proves })
	if len(clauses) > 0 && !slices.ContainsFunc(clauses, func(c Clause) bool { return c.Kind != Read }) {
		return reading(clauses, proving, read)
	}
	toChange := upToChange(clauses, proving)
	return slices.Concat(
		follow(clauses, proving), spoken(clauses, toChange), others(toChange), unnamed(deeds), lost(deeds), undone(clauses, deeds),
		entered(instruction, clauses, deeds, read), overwritten(instruction, clauses, deeds), pending(clauses, deeds), unsent(clauses, deeds),
	)
}

// textsOf are what deeds hold, and what they acted on, of those that are meant.
func textsOf(deeds []Deed, meant func(d Deed) bool) (texts []string) {
	for _, d := range deeds {
		if meant(d) {
			texts = append(append(texts, d.Said...), d.Element)
		}
	}
	return texts
}

// reading is a task that only asks: it needs a reading, and what it names was
// there to be read.
func reading(clauses []Clause, deeds []Deed, read []Reading) (open []Part) {
	var texts []string
	for _, d := range deeds {
		texts = append(texts, d.Said...)
	}
	for _, r := range read {
		texts = append(texts, r.Text)
	}
	all := saying(texts)
	for _, c := range clauses {
		if len(deeds) == 0 {
			open = append(open, Part{Text: c.Text, Reason: "nothing was read", Missing: true})
			continue
		}
		for _, t := range c.Tokens {
			if t.kind != amount && !strings.HasPrefix(t.Text, "%") && !all.has(t) { // a value may not be on any page
				open = append(open, Part{Text: c.Text, Reason: fmt.Sprintf("no page of the run says %q", t.Text)})
			}
		}
	}
	return open
}

// follow matches clauses in their order to deeds of their kind. A change takes a
// deed for itself: two changes are not proven by one, unless one request held what
// was entered for both.
func follow(clauses []Clause, deeds []Deed) (open []Part) {
	at := 0          // deeds before it belong to clauses before
	changed := false // the deed before it is that of a change
	for _, c := range clauses {
		switch {
		case c.Kind == Read:
			if len(deeds) == 0 {
				open = append(open, Part{Text: c.Text, Reason: "nothing was read", Missing: true})
			}
		case c.Kind == Open || c.Kind == Arrange:
			if !slices.ContainsFunc(deeds, func(d Deed) bool { return d.Kind != Read && d.Changed }) {
				open = append(open, Part{Text: c.Text, Reason: "no step did it", Missing: true})
			}
		case c.Kind == Enter || c.Kind == Choose:
			if !slices.ContainsFunc(deeds, func(d Deed) bool {
				return d.Kind == c.Kind || d.Kind == Enter || d.Kind == Choose || d.Kind == Press && c.Kind == Choose
			}) {
				open = append(open, Part{Text: c.Text, Reason: "no step did it", Missing: true})
			}
		case c.Kind == Press:
			// "Set the city and click Save" is one change.
			if changed && speaksOf(c, deeds[at-1]) {
				changed = false
				continue
			}
			n := slices.IndexFunc(deeds[at:], func(d Deed) bool { return (d.Kind == Press || d.Kind == Open) && d.Changed && speaksOf(c, d) })
			if n < 0 {
				open = append(open, Part{Text: c.Text, Reason: "no step pressed that with an effect, after what stands before it", Missing: true})
				continue
			}
			at += n + 1
			changed = false
		default:
			if changed && sentWith(c, deeds[:at]) {
				continue
			}
			n := slices.IndexFunc(deeds[at:], func(d Deed) bool { return changes(c, d) })
			if n < 0 {
				open = append(open, Part{Text: c.Text, Reason: "no step changed anything for it that was answered well", Missing: true})
				continue
			}
			at += n + 1
			changed = true
		}
	}
	return open
}

// changes reports whether a deed may be what a clause asks to be changed: one that
// sent something, or that changed the page where the element says what for.
func changes(c Clause, d Deed) bool {
	switch {
	case d.Kind == Open: // a tab can be closed
		return d.Changed && !d.Sent && strings.HasPrefix(d.Element, "tabs:") && alike(d.Element, strings.ToLower(firstWord(c.Text)))
	case d.Kind == Read:
		return false
	case d.Sent || d.Kind == Move && d.Changed:
		return true
	}
	if d.Went { // a form that is sent by GET: its button says what it does
		return d.Kind == Press && d.Changed && strings.HasPrefix(d.Element, "button") && relates(c, Deed{Element: d.Element})
	}
	return d.Changed && !d.Form && relates(c, d)
}

// sentWith reports whether the request of the newest deed held what a clause says: each
// of its tokens was entered or chosen since the sending before, and is the value of a
// field. What stood in the form already is no deed of the run's.
func sentWith(c Clause, deeds []Deed) bool {
	last := deeds[len(deeds)-1]
	var values []string
	for i, d := range slices.Backward(deeds) {
		if d.Sent && i < len(deeds)-1 {
			break
		}
		for _, v := range slices.Concat(d.Entered, d.Chosen) {
			if slices.ContainsFunc(last.Fields, func(f string) bool { return normal(f) == normal(v) }) {
				values = append(values, v)
			}
		}
	}
	s := saying(values)
	return len(c.Tokens) > 0 && !slices.ContainsFunc(c.Tokens, func(t Token) bool { return t.kind == amount || t.kind == tally || !s.has(t) })
}

// speaksOf reports whether a pressed element is the one that a clause names.
func speaksOf(c Clause, d Deed) bool {
	s := saying(append(slices.Clone(d.Led), d.Element))
	for _, t := range c.Tokens {
		if t.kind != amount && s.has(t) {
			return true
		}
	}
	if len(c.Tokens) > 0 && len(c.Words) == 0 {
		return false
	}
	return len(c.Words) == 0 || slices.ContainsFunc(c.Words, func(w string) bool { return alike(s.text, w) })
}

// relates reports whether a deed holds any word of a clause.
func relates(c Clause, d Deed) bool {
	s := saying(append(d.Said, d.Element))
	for _, t := range c.Tokens {
		if t.kind != amount && s.has(t) {
			return true
		}
	}
	return slices.ContainsFunc(append(c.Words, strings.ToLower(firstWord(c.Text))), func(w string) bool { return len(w) > 2 && alike(s.text, w) })
}

func firstWord(text string) string {
	for _, w := range word.FindAllString(text, -1) {
		if !joints[strings.ToLower(w)] {
			return w
		}
	}
	return ""
}

// alike reports whether a text has a word, be it with another ending: a plural, a
// participle. Five letters are a stem.
func alike(text, w string) bool {
	if r := []rune(w); len(r) > 5 {
		return Occurs(text, string(r[:5]), func(before, _ string) bool { return !isWord(lastRune(before)) })
	}
	return within(text, w)
}

// upToChange leaves out what came after the last change, unless the instruction ends
// with something to open: what was only opened then
// is not what was changed.
func upToChange(clauses []Clause, deeds []Deed) []Deed {
	if len(clauses) > 0 && clauses[len(clauses)-1].Kind == Open {
		return deeds
	}
	for i, d := range slices.Backward(deeds) {
		if slices.ContainsFunc(clauses, func(c Clause) bool { return c.Kind == Change && changes(c, d) }) {
			return deeds[:i+1]
		}
	}
	return deeds
}

// Words are the words of an instruction that mean something, in lower case.
func Words(instruction string) (out []string) {
	for _, c := range Divide(instruction) {
		out = append(out, c.Words...)
		for _, t := range c.Tokens {
			if t.kind == name || t.kind == quoted {
				for _, w := range word.FindAllString(strings.ToLower(t.Text), -1) {
					if !empty[w] && !hasDigit(w) {
						out = append(out, w)
					}
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Says reports whether a text has a word, be it with another ending.
func Says(text, w string) bool { return len(w) > 2 && alike(normal(text), w) }

// others names words of the instruction at elements that the run might have acted
// on, and did not.
func others(deeds []Deed) (open []Part) {
	text := normal(strings.Join(textsOf(deeds, func(d Deed) bool {
		return d.Kind == Press || d.Kind == Choose || d.Kind == Open || d.Kind == Move
	}), "\n"))
	seen := map[string]bool{}
	before := "" // what the run itself had put there by then
	for _, d := range deeds {
		if d.Kind == Enter || d.Kind == Choose {
			before += "\n" + normal(strings.Join(d.Said, "\n"))
		}
		for _, w := range d.Beside {
			if !seen[w] && !alike(text, w) && !alike(before, w) {
				open = append(open, Part{Text: fmt.Sprintf("step %d", d.Step), Reason: fmt.Sprintf("it acted on %s; another one says %q, which the task names", d.Element, w)})
			}
			seen[w] = true
		}
		for _, name := range d.Nearer {
			if !slices.ContainsFunc(deeds, func(e Deed) bool { return strings.HasSuffix(e.Element, strconv.Quote(name)) }) {
				open = append(open, Part{Text: fmt.Sprintf("step %d", d.Step), Reason: fmt.Sprintf("it acted on %s; %q beside it says more of the task", d.Element, name)})
			}
		}
	}
	return open
}

// unnamed names an element that was picked among several that look the same, where
// nothing in the task says which, unless all of them were acted on, or its request took
// what the run had entered. So a choice among twins is either the task's or unproven.
func unnamed(deeds []Deed) (open []Part) {
	for i, d := range deeds {
		if d.Twins == 0 || d.Kind == Read {
			continue
		}
		acted := 0
		for _, e := range deeds {
			if e.Element == d.Element && e.Kind == d.Kind && e.Proves && e.Changed {
				acted++
			}
		}
		if acted > d.Twins || slices.ContainsFunc(entries(deeds[:i]), func(text string) bool { return took(d.Fields, text) }) {
			continue
		}
		open = append(open, Part{Text: fmt.Sprintf("step %d", d.Step), Reason: fmt.Sprintf("nothing in the task tells %s from %d others that look the same", d.Element, d.Twins)})
	}
	return open
}

// lost names what was entered and is in no field of what was sent after it, from the
// same document and with fields that are known. So what proves an entry is a request
// that took it, and not one of another form.
func lost(deeds []Deed) (open []Part) {
	for i, d := range deeds {
		if !d.Proves || d.Kind != Enter {
			continue
		}
		var fields []string
		for _, e := range deeds[i:] {
			if fields = append(fields, e.Fields...); e.Left {
				break
			}
		}
		for _, text := range d.Entered {
			if len(fields) > 0 && !took(fields, text) {
				open = append(open, Part{Text: fmt.Sprintf("what step %d entered", d.Step), Reason: fmt.Sprintf("%q is in nothing that was sent", text)})
			}
		}
	}
	return open
}

var runs = regexp.MustCompile(`\p{L}+|[0-9]+`)

// took reports whether fields hold all words and numbers of a text, which a page may
// write in another order, as those of a day. The value of a variable is not known.
func took(fields []string, text string) bool {
	if strings.Contains(text, "%") {
		return true
	}
	all := strings.ReplaceAll(normal(strings.Join(fields, "\n")), " ", "")
	return !slices.ContainsFunc(runs.FindAllString(normal(text), -1), func(w string) bool {
		_, month := calendar.Month(w)
		return !month && !strings.Contains(all, strings.TrimLeft(w, "0"))
	})
}

// Tells reports whether a word of an instruction tells two texts apart: one says it, and
// the other does not. A name that both say means both.
func Tells(instruction []Clause, own, other string) bool {
	a, b := saying([]string{own}), saying([]string{other})
	return slices.ContainsFunc(instruction, func(c Clause) bool {
		return slices.ContainsFunc(c.Tokens, func(t Token) bool {
			return a.has(t) && (!b.has(t) || t.kind == name || t.kind == quoted)
		}) ||
			c.tellsApart(a.text, b.text)
	})
}

// tellsApart reports whether one text has a word of the clause, and another one has not.
func (c *Clause) tellsApart(text, other string) bool {
	return slices.ContainsFunc(c.Words, func(w string) bool { return len(w) > 2 && alike(text, w) && !alike(other, w) })
}

// spoken names the tokens that no deed holds.
func spoken(clauses []Clause, deeds []Deed) (open []Part) {
	var sent []string
	for _, d := range deeds {
		if d.Kind != Read {
			sent = append(sent, d.Fields...)
		}
	}
	all, inFields, entered := saying(textsOf(deeds, func(d Deed) bool { return d.Kind != Read })), saying(sent), entries(deeds)
	says := func(t Token) bool {
		switch t.kind {
		case tally:
			return counted(deeds, t.want[0])
		case amount:
			return all.has(t) || repeated(deeds, t.want[0])
		case number: // of a field that nobody entered it may be the key of a record
			return all.has(t) || inParts(t.Text, entered)
		}
		return all.has(t) || inFields.has(t)
	}
	for _, c := range clauses {
		var missing []string
		for _, t := range c.Tokens {
			if !says(t) {
				missing = append(missing, fmt.Sprintf("%q", t.Text))
			}
		}
		if len(missing) > 0 {
			open = append(open, Part{Text: c.Text, Reason: "no step of the run holds " + strings.Join(missing, ", ")})
		}
	}
	return open
}

// inParts reports whether the parts of a number were entered or chosen one by one, as
// hour and minute.
func inParts(number string, entered []string) bool {
	parts := strings.FieldsFunc(number, func(r rune) bool { return !unicode.IsDigit(r) })
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(p string) bool { return !slices.Contains(entered, p) })
}

// repeated reports whether something was done so many times: the same element's
// name, in other places.
func repeated(deeds []Deed, n string) bool {
	counts := map[string]int{}
	for _, d := range deeds {
		if d.Kind != Read && d.Changed {
			counts[d.Element]++
		}
	}
	return slices.ContainsFunc(slices.Collect(maps.Values(counts)), func(k int) bool { return fmt.Sprint(k) == n })
}

// counted reports whether something was done so many times and no more: elements
// that are alike were acted on, or the number itself was entered or chosen. That a
// page says the number is no count.
func counted(deeds []Deed, n string) bool {
	if repeated(deeds, n) {
		return true
	}
	roles := map[string]map[string]bool{} // distinct elements that have a state, by role
	for _, d := range deeds {
		if d.Kind == Read || !d.Changed {
			continue
		}
		if slices.Contains(d.Entered, n) || slices.Contains(d.Chosen, n) {
			return true
		}
		if role, _, _ := strings.Cut(d.Element, " "); slices.Contains([]string{"checkbox", "switch", "option", "row", "menuitemcheckbox"}, role) {
			if roles[role] == nil {
				roles[role] = map[string]bool{}
			}
			roles[role][d.Element+"\n"+strings.Join(d.Said, "\n")] = true
		}
	}
	for _, elements := range roles {
		if fmt.Sprint(len(elements)) == n {
			return true
		}
	}
	return false
}

// undone names what the run brought back to what it was. What the run left as it was is
// not what it was asked to change, unless it was a slip: nothing in the task speaks of
// it alone, and another element got the same, be it a text, an option or a state.
func undone(clauses []Clause, deeds []Deed) (open []Part) {
	text := normal(strings.Join(textsOf(deeds, func(d Deed) bool { return d.Proves && d.Kind != Read }), "\n"))
	seen := map[string]bool{}
	for i, d := range deeds {
		if !d.Undone || seen[d.Element] {
			continue
		}
		seen[d.Element] = true
		slip := slices.ContainsFunc(deeds[i:], func(e Deed) bool {
			return e.Proves && e.Kind == d.Kind && e.Element != d.Element && slices.Equal(e.Entered, d.Entered) && slices.Equal(e.Chosen, d.Chosen)
		})
		own := normal(strings.Join(append(slices.Clone(d.Said), d.Element), "\n"))
		named := slices.ContainsFunc(clauses, func(c Clause) bool { return c.tellsApart(own, text) })
		if named || !slip {
			open = append(open, Part{Text: fmt.Sprintf("step %d", d.Step), Reason: d.Element + " is as it was before the run changed it", Contrary: true})
		}
	}
	return open
}

// overwritten names a text that the run put another one in the place of, in a record
// that it chose among several and that the task says nothing of. What the run
// entered does not name the record: it stands there for that reason alone.
func overwritten(instruction string, clauses []Clause, deeds []Deed) (open []Part) {
	task := normal(instruction)
	var path, own []string // of the elements that led here, and of what was entered
	var inRow bool
	for _, d := range deeds {
		if !d.Proves {
			own = append(own, d.Entered...)
			continue
		}
		switch d.Kind {
		case Press, Open, Choose:
			path = append(append(path, d.Said...), d.Element)
			inRow = inRow || d.InRow
		case Enter:
			for _, was := range d.Replaced {
				if !inRow || strings.IndexFunc(was, unicode.IsLetter) < 0 || strings.Contains(task, normal(was)) || slices.Contains(own, was) {
					continue
				}
				if !names(clauses, saying(path), saying(entries(deeds))) {
					open = append(open, Part{Text: fmt.Sprintf("step %d", d.Step), Reason: fmt.Sprintf("it replaced %q in a record that the task does not name", was)})
				}
			}
			own = append(own, d.Entered...)
		}
	}
	return open
}

// entries are all that deeds entered or chose.
func entries(deeds []Deed) (out []string) {
	for _, d := range deeds {
		out = append(append(out, d.Entered...), d.Chosen...)
	}
	return out
}

// Unsaid are the quoted texts, numbers and names of a criterion that none of its
// evidence says: it speaks of something else then. The instruction tells its
// language, where the criterion is too short for it; a German noun is no name.
func Unsaid(criterion, instruction string, evidence []string) (out []string) {
	all := saying(evidence)
	german := inGerman(criterion) || inGerman(instruction)
	for _, c := range divide(criterion, german) {
		for _, t := range c.Tokens {
			if german && t.kind == name && !strings.ContainsAny(t.Text, "0123456789@/") {
				continue
			}
			if t.kind != amount && t.kind != tally && !all.has(t) {
				out = append(out, t.Text)
			}
		}
	}
	return out
}

// names reports whether a text has a word or a token of the instruction that is not
// one of those that were entered.
func names(clauses []Clause, path, entered said) bool {
	return slices.ContainsFunc(clauses, func(c Clause) bool {
		return slices.ContainsFunc(c.Tokens, func(t Token) bool { return path.has(t) && !entered.has(t) }) ||
			c.tellsApart(path.text, entered.text)
	})
}

// pending names a confirmation that no step gave, unless the task ends with a step that
// it names itself.
func pending(clauses []Clause, deeds []Deed) (open []Part) {
	if n := len(clauses); n > 0 && (clauses[n-1].Literal || clauses[n-1].Kind == Open) {
		return nil
	}
	for _, d := range deeds {
		if d.Pending != "" {
			open = append(open, Part{Text: fmt.Sprintf("what step %d led to", d.Step), Reason: "it says again what was entered, and nobody pressed " + d.Pending, Missing: true})
		}
	}
	return open
}

// unsent names what was entered and not sent, where the task does not end with
// entering it.
func unsent(clauses []Clause, deeds []Deed) (open []Part) {
	if n := len(clauses); n > 0 && clauses[n-1].Literal && clauses[n-1].Kind != Press {
		return nil
	}
	for _, d := range deeds {
		if d.Unsent {
			return []Part{{Text: fmt.Sprintf("what step %d entered", d.Step), Reason: "it stands in " + d.Element + ", and the form was not sent", Missing: true, Contrary: true}}
		}
	}
	return nil
}

package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

var (
	passwordField = regexp.MustCompile(`(?i)\b(?:password|passphrase|passwort|kennwort|mot de passe|contraseña)\b`)
	userField     = regexp.MustCompile(`(?i)\b(?:user|user ?name|e-?mail|login|account|benutzer\w*|utilisateur|usuario)\b`)
	loginNames    = []string{"Log in", "Login", "Sign in", "Sign on", "Anmelden", "Einloggen", "Connexion", "Iniciar sesión"}
	goOnNames     = []string{"Next", "Continue", "Submit", "Go", "OK", "Weiter"}
)

// login fills in a login and sends it, one call a stage; on a page without the
// fields it opens the login first.
//
// What was filled in before is known by its refs, since a field may hide its value.
func (q *question) login(l login, before map[accessibility.Ref]bool) *answer {
	user, password := -1, -1
	for i := range q.page.items {
		it := &q.page.items[i]
		if !editable(it) || it.Role != "textbox" && it.Role != "searchbox" {
			continue
		}
		label := text(it) + " " + it.Placeholder + " " + it.Description + " " + q.page.before(i)
		switch {
		case passwordField.MatchString(label):
			if password >= 0 {
				return no("two fields ask for a password, %s; say which", q.page.candidates([]int{password, i}))
			}
			password = i
		case userField.MatchString(label):
			if password < 0 || user < 0 {
				user = i
			}
		}
	}
	filled := func(i int) bool { return i < 0 || before[q.page.items[i].Ref] }
	switch {
	case user < 0 && password < 0:
		if q.done >= 2 {
			return no("no fields for a login are on the page")
		}
		a := q.button(loginNames, -1)
		a.More = a.Found
		return a
	case password < 0 && l.password != "" && filled(user):
		a := q.button(slices.Concat(goOnNames, loginNames), user)
		a.More = a.Found
		return a
	case filled(user) && filled(password):
		return q.button(slices.Concat(loginNames, goOnNames), max(user, password))
	case q.done > mostActions+1:
		return no("the login does not take what is filled in")
	}
	a := &answer{Found: true, Method: "form", More: true, Arguments: []string{}}
	if user >= 0 && l.user != "" && !filled(user) {
		a.fields = append(a.fields, formField{string(q.page.items[user].Ref), l.user})
	}
	if password >= 0 && l.password != "" {
		a.fields = append(a.fields, formField{string(q.page.items[password].Ref), l.password})
	}
	if password >= 0 && l.password == "" || user >= 0 && l.user == "" && q.page.items[user].Value == "" {
		return no("the task does not say all that the login asks for")
	}
	return a
}

// button finds the button or link of one of several names, the first that is
// there; near an element where that is not negative.
func (q *question) button(names []string, near int) *answer {
	press := func(it *accessibility.Item) bool {
		return usable(it) && (it.Role == "button" || it.Role == "link") && !it.States.Disabled
	}
	for at := near; at >= 0; at = q.page.items[at].Parent {
		for _, name := range names {
			if f := q.page.named(name, at, q.page.end[at], press); f.fit == same && f.one() {
				return q.page.do(f.items[0], "click").fits(same)
			}
		}
	}
	for _, name := range names {
		if f := q.page.named(name, 0, len(q.page.items), press); f.fit >= nearly && len(f.items) > 0 && near < 0 {
			return q.page.do(f.items[0], "click").fits(f.fit)
		}
	}
	return no("no button of a login is on the page")
}

// into gives the value on the left to the field on the right that fits best;
// nil if none does.
func (q *question) into(pairs []pair, adds bool, field func(*accessibility.Item) bool) *answer {
	best, at, to := noFit, -1, -1
	for i, p := range pairs {
		if f := q.page.field(p.right, field); f.fit > best && f.one() {
			best, at, to = f.fit, i, f.items[0]
		}
	}
	switch {
	case at < 0:
		return nil
	case adds:
		return q.page.do(to, "type", pairs[at].left).fits(best)
	}
	return q.page.give(to, pairs[at].left).fits(best)
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

var cellRoles = roles("cell", "gridcell", "rowheader", "columnheader")

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

// dates are the ways in which people write a day that leave no doubt.
var dates = []string{"2 January 2006", "2 Jan 2006", "January 2 2006", "January 2, 2006", "Jan 2, 2006", "2. January 2006", "2006/01/02", "2.1.2006"}

// colors are the names that people use most.
var colors = map[string]string{
	"black": "#000000", "white": "#ffffff", "red": "#ff0000", "green": "#008000", "blue": "#0000ff", "yellow": "#ffff00",
	"orange": "#ffa500", "purple": "#800080", "pink": "#ffc0cb", "gray": "#808080", "grey": "#808080", "brown": "#a52a2a",
}

// formatted brings a value into the form that a control takes.
func formatted(role accessibility.Role, value string) string {
	switch role {
	case "date":
		for _, layout := range dates {
			if t, err := time.Parse(layout, value); err == nil {
				return t.Format(time.DateOnly)
			}
		}
	case "inputtime":
		for _, layout := range []string{"3:04 pm", "3:04 PM", "3:04pm", "3pm", "3 pm", "15:04", "15.04"} {
			if t, err := time.Parse(layout, value); err == nil {
				return t.Format("15:04")
			}
		}
	case "slider", "spinbutton":
		return strings.TrimSpace(strings.TrimSuffix(value, "%"))
	case "colorwell":
		if c, ok := colors[strings.ToLower(value)]; ok {
			return c
		}
		return strings.ToLower(value)
	}
	return value
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

// optionOf finds the one option that a phrase names. Where the outline leaves
// options out, the phrase itself is taken for one.
func optionOf(it *accessibility.Item, phrase string) (string, bool) {
	best, label, several := noFit, "", false
	for _, o := range it.OptionLabels() {
		switch n := nameFit(splitWords(phrase), splitWords(o)); {
		case n < allWords || n < best:
		case n > best:
			best, label, several = n, o, false
		default:
			several = true
		}
	}
	switch {
	case best > noFit && !several:
		return label, true
	case it.MoreOptions > 0 && !enumeration.MatchString(phrase) || strings.HasPrefix(phrase, "%") && strings.HasSuffix(phrase, "%"):
		return phrase, true
	}
	return "", false
}

func optionNames(it *accessibility.Item) string {
	var out []string
	for _, o := range it.OptionLabels() {
		out = append(out, fmt.Sprintf("%q", o))
	}
	if it.MoreOptions > 0 {
		out = append(out, fmt.Sprintf("and %d more", it.MoreOptions))
	}
	return strings.Join(out, ", ")
}

// closed reports a list whose options the outline does not say: it has to be opened.
func closed(it *accessibility.Item) bool {
	return !choosable(it) && (it.Role == "combobox" || opener(it)) && usable(it) && it.Role != "link"
}

var offered = roles("option", "menuitem", "menuitemradio", "menuitemcheckbox", "treeitem")

// fromClosed chooses from a list that has to be opened first: it opens it,
// and says that more is to follow.
func (q *question) fromClosed(list int, wanted string) *answer {
	it := &q.page.items[list]
	if q.done == 0 {
		if f := q.page.offers(wanted, offered, nil); f.one() && it.States.Expanded == accessibility.On {
			return q.page.natural(f.items[0])
		}
		switch {
		case it.States.Disabled:
			return no("%s is disabled", describe(it))
		case len(series(wanted)) > 1:
			return no("%s has to be opened, and %q are several options; give one instruction for each", describe(it), wanted)
		case it.Role == "combobox" && it.States.Expanded == accessibility.Unset:
			return q.page.do(list, "fill", wanted).fits(nearly) // a field that suggests, and nothing opens
		}
		a := q.page.do(list, "click").fits(nearly)
		a.More = true
		return a
	}
	return q.fromOpened(describe(it), it.States.Expanded == accessibility.On, wanted, func() *answer {
		if it.Role != "combobox" || q.done != 1 {
			return nil
		}
		a := q.page.do(list, "fill", wanted).fits(nearly) // it suggests what fits
		a.More = true
		return a
	})
}

// fromOpened chooses from what the action before has shown: options that it added,
// or those of a list that says that it is open. Options of other lists are none. list
// is the opened one for people; else is what to do where it shows nothing.
func (q *question) fromOpened(list string, open bool, wanted string, otherwise func() *answer) *answer {
	only := q.added
	if open && len(only) == 0 {
		only = nil // it was open before, or its options are not said to be new
	} else if only == nil {
		only = map[accessibility.Ref]bool{}
	}
	f := q.page.offers(wanted, offered, only)
	if !f.one() {
		if g := q.page.offers(wanted, nil, q.added); q.added != nil && g.one() {
			f = g
		}
	}
	if f.one() {
		return q.page.natural(f.items[0])
	}
	if len(f.items) > 1 {
		return no("ambiguous, the candidates are %s", q.page.candidates(f.items))
	}
	var others []int
	for i := range q.page.items {
		if it := &q.page.items[i]; it.Omitted == nil && offered[it.Role] && (only == nil || only[it.Ref]) {
			others = append(others, i)
		}
	}
	if len(others) > 0 {
		return no("%s was opened, and has no option %q; what it shows is %s", list, wanted, q.page.candidates(others))
	}
	if a := otherwise(); a != nil {
		return a
	}
	if open {
		return no("%s is open, and nothing named %q is to be seen in it", list, wanted)
	}
	return no("%s was pressed and did not open: no option came. Try \"press ArrowDown in %s\"", list, list)
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

// listOf finds the closed list that an instruction such as "choose X in Y" names.
func (q *question) listOf(pairs []pair) (list int, wanted string) {
	best := noFit
	list = -1
	for _, p := range pairs {
		name := strings.TrimSpace(p.right)
		if f := q.page.find(name, closed); f.one() && f.fit >= allWords && f.fit > best {
			best, list, wanted = f.fit, f.items[0], p.left
		}
	}
	return list, wanted
}

// series parts an enumeration.
func series(s string) []string {
	var out []string
	for _, part := range enumeration.Split(s, -1) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

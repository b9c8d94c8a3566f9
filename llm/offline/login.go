package offline

import (
	"regexp"
	"slices"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

var (
	passwordField = regexp.MustCompile(`(?i)\b(?:password|passphrase|passwort|kennwort|mot de passe|contraseña)\b`)
	userField     = regexp.MustCompile(`(?i)\b(?:user|user ?name|e-?mail|login|account|benutzer\w*|utilisateur|usuario)\b`)
	loginNames    = []string{"Log in", "Login", "Sign in", "Sign on", "Anmelden", "Einloggen", "Connexion", "Iniciar sesión"}
	goOnNames     = []string{"Next", "Continue", "Submit", "Go", "OK", "Weiter"}
)

// A field of a form, as the tool fillForm takes it.
type formField struct {
	Ref   string `json:"ref"`
	Value string `json:"value"`
}

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

package offline

import (
	"fmt"
	"regexp"
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

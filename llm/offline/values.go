package offline

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

var (
	passwordField = regexp.MustCompile(`(?i)\b(?:password|passphrase|passwort|kennwort|mot de passe|contraseña)\b`)
	userField     = regexp.MustCompile(`(?i)\b(?:user|user ?name|e-?mail|login|account|benutzer\w*|utilisateur|usuario)\b`)
	loginNames    = []string{"Log in", "Login", "Sign in", "Sign on", "Anmelden", "Einloggen", "Connexion", "Iniciar sesión", "Next", "Continue", "Submit", "Go", "OK", "Weiter"}
)

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

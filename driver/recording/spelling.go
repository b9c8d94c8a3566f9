package recording

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// spellings are ways in which a page may write a value, for a replay that puts
// another one there in the same way. What is hidden does not depend on them:
// package redact finds values; one that was written in none of these ways is
// put back as it is.
var spellings = []struct {
	name  string
	spell func(value string) string
}{
	{"query", url.QueryEscape},
	{"form", func(v string) string { return formLetters.Replace(url.QueryEscape(v)) }},
	{"script", script},
	{"script in lower case", func(v string) string { return percent.ReplaceAllStringFunc(script(v), strings.ToLower) }},
	{"path", url.PathEscape},
	{"html", html.EscapeString},
	{"json", inJSON},
	{"json for html", func(v string) string { return forHTML.Replace(inJSON(v)) }},
	{"json in ascii", func(v string) string { return quoted(strconv.QuoteToASCII(v)) }},
	{"lower", strings.ToLower},
	{"upper", strings.ToUpper},
	{"trimmed", strings.TrimSpace},
	{"squeezed", func(v string) string { return strings.Join(strings.Fields(v), " ") }},
	{"hex", func(v string) string { return hex.EncodeToString([]byte(v)) }},
	{"HEX", func(v string) string { return strings.ToUpper(hex.EncodeToString([]byte(v))) }},
	{"base64", func(v string) string { return inBase64(base64.RawStdEncoding, v, 0) }},
	{"base64 padded", func(v string) string { return base64.StdEncoding.EncodeToString([]byte(v)) }},
	{"base64 from 1", func(v string) string { return inBase64(base64.RawStdEncoding, v, 1) }},
	{"base64 from 2", func(v string) string { return inBase64(base64.RawStdEncoding, v, 2) }},
	{"base64url", func(v string) string { return inBase64(base64.RawURLEncoding, v, 0) }},
	{"base64url from 1", func(v string) string { return inBase64(base64.RawURLEncoding, v, 1) }},
	{"base64url from 2", func(v string) string { return inBase64(base64.RawURLEncoding, v, 2) }},
}

const (
	within  = " > " // between the name of an inner spelling and that of an outer one
	inShape = "as " // before a shape
)

// spellingOf names the way in which a value was written; empty if it was
// written as it is, or in a way that has no name.
func spellingOf(value, written string) string {
	for _, one := range spellings {
		if writtenSo(one.spell(value), written, one.name) {
			return one.name
		}
	}
	for _, inner := range spellings {
		spelled := inner.spell(value)
		for _, outer := range spellings {
			if writtenSo(outer.spell(spelled), written, outer.name) {
				return inner.name + within + outer.name
			}
		}
	}
	shape := shapeOf(written)
	if !strings.ContainsAny(shape, "⟪⟫") {
		for _, first := range []string{"", "lower", "upper"} {
			how := strings.TrimPrefix(first+within+inShape+shape, within)
			if spell(value, how) == written {
				return how
			}
		}
	}
	return ""
}

// writtenSo compares a spelling with what was written. The first and the last letter
// of Base64 carry a part of what stood beside the value.
func writtenSo(spelled, written, name string) bool {
	if strings.HasPrefix(name, "base64") && len(spelled) > 2 && len(spelled) == len(written) {
		return spelled[1:len(spelled)-1] == written[1:len(written)-1]
	}
	return spelled == written
}

// spell writes a value in the way that a name stands for.
func spell(value, how string) string {
	for how != "" {
		name, rest, _ := strings.Cut(how, within)
		if shape, ok := strings.CutPrefix(how, inShape); ok {
			return fillShape(shape, value)
		}
		how = rest
		name, again := strings.CutSuffix(name, " twice") // as older recordings say
		for _, one := range spellings {
			if one.name == name {
				value = one.spell(value)
				if again {
					value = one.spell(value)
				}
			}
		}
	}
	return value
}

// shapeOf is a text with # for each letter and digit: how a card number stands
// in groups.
func shapeOf(written string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return '#'
		}
		return r
	}, written)
}

// fillShape puts the letters and digits of a value into a shape.
func fillShape(shape, value string) string {
	var letters []rune
	for _, r := range value {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters = append(letters, r)
		}
	}
	var b strings.Builder
	for _, r := range shape {
		switch {
		case r != '#':
			b.WriteRune(r)
		case len(letters) > 0:
			b.WriteRune(letters[0])
			letters = letters[1:]
		}
	}
	return b.String() + string(letters)
}

// Where forms, and encodeURIComponent of scripts, differ from package url, and
// JSON within HTML from other JSON.
var (
	formLetters   = strings.NewReplacer("%2A", "*", "~", "%7E")
	scriptLetters = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")
	percent       = regexp.MustCompile(`%[0-9A-F]{2}`)
	forHTML       = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`)
)

func script(v string) string { return scriptLetters.Replace(url.QueryEscape(v)) }

// inJSON is a value as it stands within a string of JSON.
func inJSON(v string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return v // no string fails
	}
	return quoted(strings.TrimSpace(b.String()))
}

// quoted is what stands in quotes.
func quoted(text string) string { return text[1 : len(text)-1] }

// inBase64 is an encoding where offset bytes, modulo three, stand before the
// value, from the first letter that carries a part of it to the last.
func inBase64(encoding *base64.Encoding, v string, offset int) string {
	return encoding.EncodeToString(append(make([]byte, offset), v...))[offset*8/6:]
}

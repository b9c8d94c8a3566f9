package recording

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"strings"
)

// spellings are the ways in which a page may write a value: as it is, in
// addresses and forms, in HTML and in scripts, and encoded, also as a part of
// something longer. least is the length below which one is not searched for.
var spellings = []struct {
	name  string
	least int
	spell func(value string) string
}{
	{"", 1, func(v string) string { return v }},
	{"query", 1, url.QueryEscape},
	{"form", 1, func(v string) string { return formLetters.Replace(url.QueryEscape(v)) }},
	{"script", 1, script},
	{"script in lower case", 1, func(v string) string { return percent.ReplaceAllStringFunc(script(v), strings.ToLower) }},
	{"path", 1, url.PathEscape},
	{"query twice", 1, func(v string) string { return url.QueryEscape(url.QueryEscape(v)) }},
	{"script twice", 1, func(v string) string { return script(script(v)) }},
	{"html", 1, html.EscapeString},
	{"json", 1, inJSON},
	{"hex", 8, func(v string) string { return hex.EncodeToString([]byte(v)) }},
	{"HEX", 8, func(v string) string { return strings.ToUpper(hex.EncodeToString([]byte(v))) }},
	{"base64", 5, func(v string) string { return inBase64(base64.RawStdEncoding, v, 0) }},
	{"base64 from 1", 5, func(v string) string { return inBase64(base64.RawStdEncoding, v, 1) }},
	{"base64 from 2", 5, func(v string) string { return inBase64(base64.RawStdEncoding, v, 2) }},
	{"base64url", 5, func(v string) string { return inBase64(base64.RawURLEncoding, v, 0) }},
	{"base64url from 1", 5, func(v string) string { return inBase64(base64.RawURLEncoding, v, 1) }},
	{"base64url from 2", 5, func(v string) string { return inBase64(base64.RawURLEncoding, v, 2) }},
}

// Where forms, and encodeURIComponent of scripts, differ from package url.
var (
	formLetters   = strings.NewReplacer("%2A", "*", "~", "%7E")
	scriptLetters = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")
	percent       = regexp.MustCompile(`%[0-9A-F]{2}`)
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
	text := strings.TrimSpace(b.String())
	return text[1 : len(text)-1]
}

// inBase64 is the part of an encoding that is the same whatever stands before
// and after the value, where offset bytes, modulo three, stand before it.
func inBase64(encoding *base64.Encoding, v string, offset int) string {
	whole := encoding.EncodeToString(append(make([]byte, offset), v...))
	first := []int{0, 2, 3}[offset]
	last := (offset + len(v)) * 8 / 6 // letters all of whose bits are the value's
	if last <= first {
		return ""
	}
	return whole[first:last]
}

package engine

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// awkward has everything in it that some escaping changes.
const awkward = "p@ss  w+rd&\"<ü>\\n'%41/\t~*"

// inAllSpellings are the ways in which a page, an address or a record may
// write a value.
func inAllSpellings(value string) map[string]string {
	compact := func(v any) string {
		text, _ := json.Marshal(v)
		return strings.Trim(string(text), `"`)
	}
	lower := func(s string) string {
		out := []byte(s)
		for i := range out {
			if i > 1 && (out[i-1] == '%' || out[i-2] == '%') {
				out[i] = strings.ToLower(string(out[i]))[0]
			}
		}
		return string(out)
	}
	all := map[string]string{
		"raw":                    value,
		"query":                  url.QueryEscape(value),
		"query in lower case":    lower(url.QueryEscape(value)),
		"encodeURIComponent":     strings.ReplaceAll(url.QueryEscape(value), "+", "%20"),
		"path":                   url.PathEscape(value),
		"query within a query":   url.QueryEscape(url.QueryEscape(value)),
		"HTML":                   html.EscapeString(value),
		"JSON":                   compact(value),
		"JSON within HTML":       html.EscapeString(compact(value)),
		"JSON within a query":    url.QueryEscape(compact(value)),
		"JSON within JSON":       compact(compact(value)),
		"Go":                     strings.Trim(strconv.Quote(value), `"`),
		"Go in ASCII":            strings.Trim(strconv.QuoteToASCII(value), `"`),
		"as a page shows it":     strings.Join(strings.Fields(value), " "),
		"all percent":            percentAll(value),
		"base64 within a query":  url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(value))),
		"numeric HTML entities":  numericEntities(value),
		"base64":                 base64.StdEncoding.EncodeToString([]byte(value)),
		"base64 without padding": base64.RawURLEncoding.EncodeToString([]byte(value)),
	}
	for lead := range 3 {
		for tail := range 3 {
			text := []byte("xyz"[:lead] + value + "uvw"[:tail])
			all[fmt.Sprintf("base64 with %d before and %d after", lead, tail)] = base64.StdEncoding.EncodeToString(text)
			all[fmt.Sprintf("base64url with %d before and %d after", lead, tail)] = base64.URLEncoding.EncodeToString(text)
		}
	}
	return all
}

func percentAll(value string) string {
	var b strings.Builder
	for i := range len(value) {
		fmt.Fprintf(&b, "%%%02x", value[i])
	}
	return b.String()
}

func numericEntities(value string) string {
	var b strings.Builder
	for _, r := range value {
		fmt.Fprintf(&b, "&#x%x;", r)
	}
	return b.String()
}

// However a value is written, it is hidden, and what stands around it stays.
func TestSecretsHideEverySpelling(t *testing.T) {
	for _, value := range []string{awkward, "correct horse battery", "hunter2", "Zürich", "a+b c", "üüüü"} {
		var s secrets
		s.add(map[string]Variable{"pass": {Value: value}})
		for how, written := range inAllSpellings(value) {
			for _, around := range []string{"%s", "before: %s. After", `{"q":"%s","n":1}`, "https://a.test/?q=%s&r=1", `value="%s"`} {
				text := fmt.Sprintf(around, written)
				got := s.hide(text)
				before, after, _ := strings.Cut(around, "%s")
				ok := strings.HasPrefix(got, before) && strings.HasSuffix(got, after) && strings.Contains(got, "%pass%")
				if left := strings.TrimSuffix(strings.TrimPrefix(got, before), after); !ok || len(left) > len("xx%pass%xxxxx") {
					t.Errorf("%q as %s: hide(%q) = %q", value, how, text, got)
				}
			}
		}
	}
}

// What is not the value is left alone.
func TestSecretsHideNothingElse(t *testing.T) {
	var s secrets
	s.add(map[string]Variable{"pin": {Value: "123"}, "n": {Value: "7"}, "pass": {Value: "hunter2"}, "blank": {Value: "   "}, "none": {}})
	for text, want := range map[string]string{
		"hunter 2, 50%, a+b, \\n, &amp; 100%25": "hunter 2, 50%, a+b, \\n, &amp; 100%25",
		"call 0123456, or 1234":                 "call 0123456, or 1234",
		"the code 123, again: 123":              "the code %pin%, again: %pin%",
		"?pin=123&x=7":                          "?pin=%pin%&x=7",
		"7":                                     "7",
		"a   b":                                 "a   b",
		"":                                      "",
	} {
		if got := s.hide(text); got != want {
			t.Errorf("hide(%q) = %q, want %q", text, got, want)
		}
	}
	if got := s.hideShown("7"); got != "%n%" {
		t.Errorf("hideShown(7) = %q, want the placeholder", got)
	}
	if got, want := s.hideShown(`no option "7"; the options are "17", "x 7"`), `no option "%n%"; the options are "17", "x 7"`; got != want {
		t.Errorf("hideShown = %q, want %q", got, want)
	}
	var other secrets
	if got := other.hide("hunter2"); got != "hunter2" {
		t.Errorf("hide without values = %q", got)
	}
}

// Values that overlap leave no part of each other, and a placeholder is not
// searched again.
func TestSecretsOverlap(t *testing.T) {
	var s secrets
	s.add(map[string]Variable{"a": {Value: "abcdef"}, "b": {Value: "defghi"}, "c": {Value: "pass"}, "pass": {Value: "xyzzy"}})
	for text, want := range map[string]string{
		"<abcdefghi>": "<%a%>", "xyzzy": "%pass%", "abcdefdefghi": "%a%%b%", "pass": "%c%",
	} {
		if got := s.hide(text); got != want {
			t.Errorf("hide(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestSecretsHideJSON(t *testing.T) {
	var s secrets
	s.add(map[string]Variable{"pass": {Value: "a\"b\\c"}, "pin": {Value: "1234"}})
	in := `{"text":"it is a\"b\\c!","a\"b\\c":[1234,"1234",true],"x":"\\"}`
	want := `{"text":"it is %pass%!","%pass%":[1234,"%pin%",true],"x":"\\"}`
	if got := string(s.hideJSON([]byte(in))); got != want || !json.Valid([]byte(got)) {
		t.Errorf("hideJSON = %s, want %s", got, want)
	}
}

// No data stays no data: an empty text in its place is no JSON.
func TestSecretsHideNoJSON(t *testing.T) {
	var s secrets
	s.add(map[string]Variable{"pass": {Value: "hunter2"}})
	if got := s.hideJSON(nil); got != nil {
		t.Errorf("hideJSON(nil) = %q, want nil", got)
	}
}

// One-time codes of long ago are forgotten, values are not.
func TestSecretsForgetCodes(t *testing.T) {
	var s secrets
	s.add(map[string]Variable{"pass": {Value: "hunter2"}})
	for i := range 2 * mostCodes {
		s.addCode("otp", fmt.Sprintf("9%05d", i))
	}
	if got, want := s.hide("hunter2 900000 900063"), "%pass% 900000 %otp%"; got != want {
		t.Errorf("hide = %q, want %q", got, want)
	}
}

// Hostile text takes time in proportion to its length.
func BenchmarkSecretsHide(b *testing.B) {
	var s secrets
	vars := map[string]Variable{}
	for i := range 10 {
		vars[fmt.Sprint("v", i)] = Variable{Value: strings.Repeat("a", 40) + fmt.Sprint(i) + "b"}
	}
	s.add(vars)
	for _, kind := range []struct{ name, unit string }{
		{"plain", "the quick brown fox jumps over the lazy dog "},
		{"hostile", strings.Repeat("a", 39) + "%61"},
		{"escaped", `&amp;%41\u0041+ `},
		{"hits", strings.Repeat("a", 40) + "3b "},
	} {
		text := strings.Repeat(kind.unit, 1<<20/len(kind.unit))
		b.Run(kind.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s.hide(text)
			}
		})
	}
}

// Whatever a page writes, hiding it ends, and hides the value as it is written.
func FuzzSecretsHide(f *testing.F) {
	f.Add("hunter2", "%68unter2 &#104;unter2 \\u0068unter2 aHVudGVyMg==")
	f.Add(awkward, "%%%+&;&#;\\u\\ud800\\u{}\\x")
	f.Fuzz(func(t *testing.T, value, text string) {
		if len(value) < shortestSecret || strings.TrimSpace(value) == "" || strings.Contains("%v%", value) {
			t.Skip()
		}
		var s secrets
		s.add(map[string]Variable{"v": {Value: value}})
		for _, part := range strings.Split(s.hide(text+value+text), "%v%") {
			if strings.Contains(part, value) {
				t.Errorf("hide(%q) leaves %q, which holds %q", text+value+text, part, value)
			}
		}
		s.hide(url.QueryEscape(text) + html.EscapeString(text))
	})
}

package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// awkward has everything in it that some encoding changes.
const awkward = "p@ss  w+rd&\"<ü>\\n'%41/\t~*"

var values = []string{awkward, "Tom & Jerry", "correct horse battery", "hunter2", "Zürich", "a+b c", "üüüü", `C:\new\table`, "x &nbsp; y%20z", "4111111111111111", "日本語の鍵", "line one\nline two", `ends in \`, "100%", "🗝 key"}

// encodings are how programs write a text within another one. Tests compose
// them; nothing in this package knows the list.
var encodings = map[string]func(string) string{
	"JSON":          func(s string) string { return inner(asJSON(s)) },
	"JSON in ASCII": func(s string) string { return inner(strconv.QuoteToASCII(s)) },
	"JSON of PHP":   func(s string) string { return strings.ReplaceAll(units(inner(asJSON(s)), 0x7f), "/", `\/`) },
	"a script's string": func(s string) string {
		return units(strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`).Replace(s), 0x7f)
	},
	"a script in hex":        func(s string) string { return each([]byte(s), `\x%02x`) },
	"HTML":                   html.EscapeString,
	"HTML by names":          func(s string) string { return names.Replace(s) },
	"HTML without semicolon": func(s string) string { return strings.NewReplacer("& ", "&amp ", "<", "&lt", ">", "&gt").Replace(s) },
	"HTML by numbers":        func(s string) string { return each([]rune(s), "&#%d;") },
	"HTML in hex":            func(s string) string { return each([]rune(s), "&#x%X;") },
	"a query":                url.QueryEscape,
	"a path":                 url.PathEscape,
	"a query by a script":    func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") },
	"a query in lower case":  func(s string) string { return strings.ToLower(each([]byte(s), "%%%02X")) },
	"a query in upper case":  func(s string) string { return each([]byte(s), "%%%02X") },
	"escape":                 func(s string) string { return each(utf16.Encode([]rune(s)), "%%u%04X") },
	"Go":                     func(s string) string { return inner(strconv.Quote(s)) },
	"nothing":                func(s string) string { return s },
}

// wrappings are encodings that leave no letter as it is.
var wrappings = map[string]func(string) string{
	"base64":    func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64url": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"JSON in base64": func(s string) string {
		return base64.StdEncoding.EncodeToString([]byte(`{"pw":"` + inner(asJSON(s)) + `"}`))
	},
	"a token in base64": func(s string) string {
		return base64.RawURLEncoding.EncodeToString([]byte(`{"sub":1,"pw":` + asJSON(s) + `}`))
	},
	"a query in base64": func(s string) string {
		return base64.StdEncoding.EncodeToString([]byte("a=1&pw=" + url.QueryEscape(s)))
	},
}

var names = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;", "\t", "&Tab;", "\n", "&NewLine;", ";", "&semi;", "ü", "&uuml;", " ", "&nbsp;", "+", "&plus;", "/", "&sol;", "@", "&commat;", "%", "&percnt;", `\`, "&bsol;")

func asJSON(s string) string {
	text, _ := json.Marshal(s) // no string fails
	return string(text)
}

func inner(s string) string { return s[1 : len(s)-1] }

func each[T byte | rune | uint16](letters []T, format string) string {
	var b strings.Builder
	for _, c := range letters {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

// units escapes what is above most in units of UTF-16.
func units(s string, most rune) string {
	var b strings.Builder
	for _, r := range s {
		if r <= most {
			b.WriteRune(r)
		} else {
			b.WriteString(each(utf16.Encode([]rune{r}), `\u%04x`))
		}
	}
	return b.String()
}

func replace(m *Matcher, text string) string {
	return m.Replace(text, false, func(v Value, _ string) string { return "⟪" + v.Name + "⟫" })
}

// around are places in which something encoded may stand.
var around = []string{"%s", "before: %s. After", `{"q":"%s","n":1}`, "https://a.test/?q=%s&r=1", `value="%s"`, "<p>%s</p>"}

// checkHidden checks that a text with a written value in it holds the name, all
// that was around the value, and of the rest no more than lead.
func checkHidden(t *testing.T, m *Matcher, value, how, written, lead string) {
	t.Helper()
	for _, place := range around {
		before, after, _ := strings.Cut(place, "%s")
		text := before + written + after
		got := replace(m, text)
		left, ok := strings.CutPrefix(got, before)
		left, ok2 := strings.CutSuffix(left, after)
		left, _, _ = strings.Cut(left, "⟪v⟫")
		if !ok || !ok2 || !strings.Contains(got, "⟪v⟫") || len(left) > len(lead) {
			t.Errorf("%q as %s: Replace(%q) = %q", value, how, text, got)
			return
		}
	}
}

// Whatever encodings a value went through, two deep, it is found, and what
// stands around it stays.
func TestEncodingsTwoDeep(t *testing.T) {
	for _, value := range values {
		m := New([]Value{{"v", value}})
		for outerName, outer := range encodings {
			for innerName, within := range encodings {
				checkHidden(t, m, value, innerName+" in "+outerName, outer(within(value)), "")
			}
			for name, wrap := range wrappings {
				const lead = "eyJzdWIiOjEsInB3Ijoi" // what comes before the value stays
				checkHidden(t, m, value, name+" in "+outerName, outer(wrap(value)), outer(lead))
				checkHidden(t, m, value, outerName+" in "+name, wrap(outer(value)), lead+"xxxx")
			}
		}
	}
}

// Three deep, for those that occur: a query in a script in HTML.
func TestEncodingsThreeDeep(t *testing.T) {
	for _, value := range values {
		m := New([]Value{{"v", value}})
		for outerName, outer := range encodings {
			for innerName, within := range encodings {
				written := encodings["JSON"](within(outer(value)))
				checkHidden(t, m, value, outerName+" in "+innerName+" in JSON", written, "")
			}
		}
	}
}

// A value is found in Base64 and hexadecimal at whatever place of something longer.
func TestWrappedAnywhere(t *testing.T) {
	for _, value := range values {
		m := New([]Value{{"v", value}})
		for lead := range 4 {
			for tail := range 4 {
				whole := []byte("\x00\x01\x02\x03"[:lead] + value + "\x80\x81\x82\x83"[:tail])
				for how, written := range map[string]string{
					"base64": base64.StdEncoding.EncodeToString(whole), "base64url": base64.RawURLEncoding.EncodeToString(whole),
					"hex": hex.EncodeToString(whole), "HEX": strings.ToUpper(hex.EncodeToString(whole)),
				} {
					if got := replace(m, "<"+written+">"); !strings.Contains(got, "⟪v⟫") || len(got) > len("<xxxxxx⟪v⟫xxxxxx>")+8 {
						t.Errorf("%q in %s with %d before and %d after: Replace(%q) = %q", value, how, lead, tail, written, got)
					}
				}
			}
		}
	}
}

// What sites make of values that they show.
func TestWhatSitesDo(t *testing.T) {
	for _, c := range []struct{ value, written string }{
		{"4111111111111111", "4111 1111 1111 1111"},
		{"4111111111111111", "4111-1111-1111-1111"},
		{"4111111111111111", "4111\u00a01111\u20091111\u202f1111"},
		{"4111111111111111", "4111 – 1111 – 1111 – 1111"},
		{"4111111111111111", "4111%201111%201111%201111"},
		{"4111111111111111", "4111&nbsp;1111&#160;1111&nbsp;1111"},
		{"4111111111111111", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"},
		{"4111-1111-1111-1111", "4111111111111111"},
		{"4111-1111-1111-1111", "4111 1111 1111 1111"},
		{"+41 44 668 18 00", "+41446681800"},
		{"+41446681800", "(41) 44 668-18-00"},
		{"123456", "123 456"},
		{"1990-02-01", "1990/02/01"},
		{"CH9300762011623852957", "CH93 0076 2011 6238 5295 7"},
		{"GB29NWBK60161331926819", "GB29 NWBK 6016 1331 9268 19"},
		{"GB29 NWBK 6016 1331 9268 19", "gb29nwbk60161331926819"},
		{"Ann.Miller@Example.com", "ann.miller@example.com"},
		{"ann.miller@example.com", "ANN.MILLER@EXAMPLE.COM"},
		{"Bahnhofstraße", "BAHNHOFSTRASSE"},
		{"zürich", "ZÜRICH"},
		{"Zürich", "Zu\u0308rich"},
		{"hunter2", "hun\u00adter2"},
		{"hunter2", "h\u200bu\u200bn\u200bt\u200be\u200br\u200b2"},
		{"hunter2", "hun&shy;ter2"},
		{"hunter2", "hun&#8203;ter2"},
		{"hunter2", "hun\\u200bter2"},
		{"hunter2", "\u202ahunter2\u202c"},
		{"hunter2", "ＨＵＮＴＥＲ２"},
		{"p;ssw;rd", "p&#59;ssw&semi;rd"},
		{"p;ssw;rd", "p&#x3b;ssw&#59rd"},
		{"pa&word", "pa&ampword"},
		{"1234", "12\u200b34"},
		{"line one\nline two", "line one line two"},
		{"line one\nline two", "line one\r\n  line two"},
		{"Zürich", "Z%FCrich"},
		{`a/b:c*d`, "a_b_c_d"},
	} {
		m := New([]Value{{"v", c.value}})
		for _, place := range []string{"%s", "it is %s here", `"%s"`} {
			before, after, _ := strings.Cut(place, "%s")
			got := replace(m, before+c.written+after)
			if got = strings.NewReplacer("\u202a", "", "\u202c", "", "(", "", "+⟪", "⟪").Replace(got); got != before+"⟪v⟫"+after {
				t.Errorf("%q: Replace(%q) = %q, want %q", c.value, before+c.written+after, got, before+"⟪v⟫"+after)
			}
		}
	}
}

// What is not the value is left alone.
func TestNothingElse(t *testing.T) {
	m := New([]Value{{"pin", "123"}, {"n", "7"}, {"pass", "hunter2"}, {"blank", "   "}, {"none", ""}, {"code", "1234"}, {"name", "Lisa"}, {"otp", "482913"}})
	for text, want := range map[string]string{
		"hunter 2, 50%, a+b, \\n, &amp; 100%25":  "hunter 2, 50%, a+b, \\n, &amp; 100%25",
		"call 0129456, or 1235":                  "call 0129456, or 1235",
		"the code 123, again: 123":               "the code ⟪pin⟫, again: ⟪pin⟫",
		"?pin=123&x=7, /123/, #123, a%20123%20b": "?pin=⟪pin⟫&x=7, /⟪pin⟫/, #⟪pin⟫, a%20⟪pin⟫%20b",
		"PIN123, 123CHF, 0123, 1230":             "PIN⟪pin⟫, ⟪pin⟫CHF, 0123, 1230",
		"12:34, 12.34, 1,234":                    "12:34, 12.34, 1,234",
		"lisa, Lisa, LISA":                       "lisa, ⟪name⟫, LISA",
		"482,913 items, 48 29 13":                "⟪otp⟫ items, ⟪otp⟫",
		"7":                                      "7",
		"a   b":                                  "a   b",
		"":                                       "",
		"JavaScriptFrameworks, data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA": "JavaScriptFrameworks, data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA",
	} {
		if got := replace(m, text); got != want {
			t.Errorf("Replace(%q) = %q, want %q", text, got, want)
		}
	}
	if got := m.Find("7", true); len(got) != 1 {
		t.Errorf("Find(7) = %v, want the value", got)
	}
	if got := m.Find(`no option "7"; the options are "17", "x 7"`, true); len(got) != 1 || got[0].Start != 11 {
		t.Errorf("Find = %v, want the one in quotes", got)
	}
	var none *Matcher
	if got := none.Find("hunter2", true); got != nil {
		t.Errorf("Find without values = %v", got)
	}
}

// Values that overlap leave no part of each other.
func TestOverlap(t *testing.T) {
	m := New([]Value{{"a", "abcdef"}, {"b", "defghi"}, {"again", "abcdef"}})
	for text, want := range map[string]string{"<abcdefghi>": "<⟪a⟫>", "abcdefdefghi": "⟪a⟫⟪b⟫"} {
		if got := replace(m, text); got != want {
			t.Errorf("Replace(%q) = %q, want %q", text, got, want)
		}
	}
}

// Outer white space that belongs to the value goes with it.
func TestOuterSpace(t *testing.T) {
	m := New([]Value{{"v", " outer space\n"}})
	for text, want := range map[string]string{" outer space\n": "⟪v⟫", "< outer space\n>": "<⟪v⟫>", "[ outer space ]": "[ ⟪v⟫ ]"} {
		if got := replace(m, text); got != want {
			t.Errorf("Replace(%q) = %q, want %q", text, got, want)
		}
	}
}

// Whatever a page writes, it takes time in proportion to its length.
func BenchmarkReplace(b *testing.B) {
	var list []Value
	for i := range 10 {
		list = append(list, Value{fmt.Sprint("v", i), strings.Repeat("a", 40) + fmt.Sprint(i) + "b"})
	}
	m := New(list)
	for _, kind := range []struct{ name, unit string }{
		{"plain", "the quick brown fox jumps over the lazy dog "},
		{"umlauts", "Möchten Sie „später“ weitermachen? "},
		{"hostile", strings.Repeat("a", 39) + "%61"},
		{"escaped", `&amp;%41\u0041+ `},
		{"nested", "%25252525252525252541"},
		{"base64", "c2VlIHRoaXM6IGEgdGV4dA"},
		{"hits", strings.Repeat("a", 40) + "3b "},
	} {
		text := strings.Repeat(kind.unit, 1<<20/len(kind.unit))
		b.Run(kind.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				replace(m, text)
			}
		})
	}
}

// Whatever a page writes, looking through it ends, and finds the value as it
// is written.
func FuzzFind(f *testing.F) {
	f.Add("hunter2", "%68unter2 &#104;unter2 \\u0068unter2 aHVudGVyMg==")
	f.Add(awkward, "%%%+&;&#;\\u\\ud800\\u{}\\x&#x;&#99999999999;")
	f.Fuzz(func(t *testing.T, value, text string) {
		if !utf8.ValidString(value) || !utf8.ValidString(text) {
			return // a browser has none
		}
		m := New([]Value{{"v", value}})
		at := 0
		for _, found := range m.Find(text+value+text, true) {
			if found.Start < at || found.End <= found.Start || found.End > 2*len(text)+len(value) {
				t.Fatalf("Find(%q) = [%d:%d] behind %d", text+value+text, found.Start, found.End, at)
			}
			at = found.End
		}
		if len(strings.TrimSpace(value)) < anywhere || strings.Contains("⟪v⟫", value) {
			return
		}
		for _, part := range strings.Split(replace(m, text+value+text), "⟪v⟫") {
			if strings.Contains(part, value) {
				t.Errorf("Replace(%q) leaves %q, which holds %q", text+value+text, part, value)
			}
		}
	})
}

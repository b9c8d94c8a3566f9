package recording

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// However a page writes a value, it does not stand in a bundle, wherever it
// came from.
func TestSecretsAreHidden(t *testing.T) {
	quotedJSON := func(v string) string {
		text, err := json.Marshal(map[string]string{"pw": v})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, value := range []string{"hunter2!", "correct horse & battery", `a"b\c<d>é`, "p4$$", "日本語の鍵", "4111111111111111", "Ann@Example.com", " outer space ", "line one\nline two"} {
		texts := []string{
			"see " + value, url.QueryEscape(value), strings.ToLower(url.QueryEscape(value)), html.EscapeString(quotedJSON(value)),
			"https://a.test/?state=" + url.QueryEscape(quotedJSON(value)), strings.ReplaceAll(value, " ", "&nbsp;"),
			strings.ToLower(value), strings.ToUpper(value), strings.Join(strings.Split(value, ""), "\u00ad"),
			hex.EncodeToString([]byte(value)), base64.URLEncoding.EncodeToString([]byte(quotedJSON(value))),
			strings.Join(strings.Fields(value), " "), strings.TrimSpace(value),
		}
		if value == "4111111111111111" {
			texts = append(texts, "4111 1111 1111 1111", "4111-1111-1111-1111")
		}
		if value == "p4$$" {
			texts = slices.DeleteFunc(texts, func(text string) bool { return text == strings.ToUpper(value) }) // too short for another case
		}
		for pad := range 4 {
			for tail := range 4 {
				whole := strings.Repeat("x", pad) + value + strings.Repeat("y", tail)
				texts = append(texts, base64.StdEncoding.EncodeToString([]byte(whole)), base64.URLEncoding.EncodeToString([]byte(whole)), url.QueryEscape(whole))
			}
		}
		c := full()
		c.Documents[0].Title, c.Documents[1].URL = value, "https://a.test/?q="+url.QueryEscape(value)
		for i, s := range texts {
			c.Documents[0].Nodes[0].Attrs = append(c.Documents[0].Nodes[0].Attrs, driver.Attr{Name: fmt.Sprint(i), Value: s})
		}
		r, b, p := open(t, &stub{capture: c, state: &driver.State{Tag: "input", Value: value}}, nil)
		ctx := t.Context()
		if _, err := p.Capture(ctx); err != nil { // before anybody knows
			t.Fatal(err)
		}
		b.(driver.Hider).Hide("pw", value)
		keys := typed(value)
		errs := errors.Join(p.Input(ctx, keys...), p.Input(ctx, driver.InsertText{Text: value}), p.Input(ctx))
		if !errors.Is(errs, driver.ErrObscured) {
			t.Fatal(errs)
		}
		if _, err := p.Navigate(ctx, "https://ann:"+url.PathEscape(value)+"@a.test/?q="+url.QueryEscape(value), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := p.State(ctx, driver.NodeRef{Node: 1}); err != nil {
			t.Fatal(err)
		}
		if err := r.Note("remark", map[string]string{"said": "it was " + value}); err != nil {
			t.Fatal(err)
		}
		bundle := written(t, r)
		for _, text := range texts {
			for core := range strings.FieldsFuncSeq(text, func(r rune) bool { return r < ' ' || r == '"' }) {
				if len(core) > 5 && !strings.HasPrefix(core, "https") && bytes.Contains(bundle, []byte(core)) {
					t.Errorf("the bundle holds %q of %q", core, text)
				}
			}
		}
		if bytes.Contains(bundle, []byte("cookie-value")) {
			t.Errorf("the bundle holds a cookie")
		}
		playedWith(t, bundle, keys)
	}
}

// playedWith plays what TestSecretsAreHidden recorded, with another value.
func playedWith(t *testing.T, bundle []byte, keys []driver.InputEvent) {
	t.Helper()
	ctx := t.Context()
	b, p := play(t, bundle)
	const other = "another_value"
	b.(driver.Hider).Hide("pw", other)
	got, err := p.Capture(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got.Documents[0].Title != other || strings.ReplaceAll(got.Documents[1].URL, "+", "") != "https://a.test/?q=another_value" {
		t.Errorf("played: %q, %q", got.Documents[0].Title, got.Documents[1].URL)
	}
	if err := p.Input(ctx, keys...); !errors.Is(err, ErrNotRecorded) {
		t.Errorf("typing the former value = %v, want %v: it is not known any more", err, ErrNotRecorded)
	}
	if err := p.Input(ctx, typed(other)...); err != nil {
		t.Errorf("typing the value of the replay = %v", err)
	}
}

func typed(s string) []driver.InputEvent {
	var keys []driver.InputEvent
	for _, key := range s {
		keys = append(keys, driver.KeyDown{Key: string(key)}, driver.KeyUp{Key: string(key)})
	}
	return keys
}

// A short value is hidden where it stands alone, and tears nothing apart.
func TestShortSecrets(t *testing.T) {
	var s secrets
	s.add("pin", "42")
	s.add("code", "123")
	c := s.change()
	for text, want := range map[string]string{
		"42": "⟪pin⟫", "page 42 of 420": "page 42 of 420", `{"pin":"42"}`: `{"pin":"⟪pin⟫"}`,
		"https://a.test/?code=123&n=1234": "https://a.test/?code=⟪code⟫&n=1234",
	} {
		if got := c.hide(text); got != want {
			t.Errorf("hide(%q) = %q, want %q", text, got, want)
		}
	}
}

// A value that is a secret of the environment too goes by its name.
func TestNamesFirst(t *testing.T) {
	var s secrets
	s.add(secretName, "xyzzy 42")
	s.add("pw", "xyzzy 42")
	if got := s.change().hide("it is xyzzy 42"); got != "it is ⟪pw⟫" {
		t.Errorf("hide = %q", got)
	}
}

// Of several values of a name, as one-time codes are, the last is put back.
func TestSeveralValues(t *testing.T) {
	var s secrets
	s.add("code", "first code")
	s.add("code", "123456")
	if got := s.change().hide("first code, 123456"); got != "⟪code⟫, ⟪code⟫" {
		t.Errorf("hide = %q", got)
	}
	if got := s.change().back("⟪code⟫"); got != "123456" {
		t.Errorf("back = %q", got)
	}
	s.add("code", "first code")
	if got := s.change().back("⟪code⟫"); got != "first code" {
		t.Errorf("back = %q", got)
	}
}

// What is put back is written as the value was.
func TestSpellingsComeBack(t *testing.T) {
	for _, c := range []struct{ value, text, other, want string }{
		{"Tom & Jerry", `{"pw":"Tom \u0026 Jerry"}`, "a<b>", `{"pw":"a\u003cb\u003e"}`},
		{"Tom & Jerry", "?q=Tom+%26+Jerry&r=Tom%20%26%20Jerry", "x y", "?q=x+y&r=x%20y"},
		{"Tom & Jerry", url.QueryEscape(`{"pw":"Tom \u0026 Jerry"}`), `a"b`, url.QueryEscape(`{"pw":"a\"b"}`)},
		{"4111111111111111", "4111 1111 1111 1111", "5500000000000004", "5500 0000 0000 0004"},
		{"Ann@Example.com", "ann@example.com, ANN@EXAMPLE.COM", "Bob@Test", "bob@test, BOB@TEST"},
		{"ch9300762011623852957", "CH93 0076 2011 6238 5295 7", "li21088100002324013aa", "LI21 0881 0000 2324 013A A"},
		{" outer ", "outer; outer ;", " o ", "o; o ;"},
		{"hunter2", "aHVudGVyMg==", "another", "YW5vdGhlcg=="},
	} {
		var s secrets
		s.add("v", c.value)
		hidden := s.change().hide(c.text)
		if got := s.change().back(hidden); got != c.text {
			t.Errorf("%q: back(%q) = %q, want %q", c.value, hidden, got, c.text)
		}
		s.add("v", c.other)
		if got := s.change().back(hidden); got != c.want {
			t.Errorf("%q for %q: back(%q) = %q, want %q", c.other, c.value, hidden, got, c.want)
		}
	}
	var s secrets
	s.add("pw", "a b")
	if got := s.change().back("⟪pw query twice⟫ ⟪pw from nowhere⟫ ⟪other⟫"); got != "a%2Bb a b ⟪other⟫" {
		t.Errorf("back = %q", got)
	}
}

package recording

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// No spelling of a value stands in a bundle, wherever it came from, and at
// whatever place of something longer.
func TestSecretsAreHidden(t *testing.T) {
	for _, value := range []string{"hunter2!", "correct horse & battery", `a"b\c<d>é`, "p4$$", "日本語の鍵"} {
		var texts []string
		for pad := range 4 {
			for tail := range 4 {
				whole := strings.Repeat("x", pad) + value + strings.Repeat("y", tail)
				texts = append(texts, "see "+value, base64.StdEncoding.EncodeToString([]byte(whole)), base64.URLEncoding.EncodeToString([]byte(whole)), url.QueryEscape(whole))
			}
		}
		for _, sp := range spellings {
			if spelled := sp.spell(value); len(spelled) >= sp.least {
				texts = append(texts, "<"+spelled+">")
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
		for _, sp := range spellings {
			if spelled := sp.spell(value); len(spelled) >= sp.least && bytes.Contains(bundle, []byte(spelled)) {
				t.Errorf("the bundle holds %q, the %s spelling of %q", spelled, sp.name, value)
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
	const other = "another value"
	b.(driver.Hider).Hide("pw", other)
	got, err := p.Capture(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got.Documents[0].Title != other || got.Documents[1].URL != "https://a.test/?q=another+value" {
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
	c := s.hider()
	if got := c.hide("42") + " " + c.hide("page 42 of 420"); got != "⟪pin⟫ page 42 of 420" {
		t.Errorf("hide = %q", got)
	}
}

// A value that is a secret of the environment too goes by its name.
func TestNamesFirst(t *testing.T) {
	var s secrets
	s.add(secretName, "xyzzy 42")
	s.add("pw", "xyzzy 42")
	if got := s.hider().hide("it is xyzzy 42"); got != "it is ⟪pw⟫" {
		t.Errorf("hide = %q", got)
	}
}

// Of several values of a name, as one-time codes are, the last is put back.
func TestSeveralValues(t *testing.T) {
	var s secrets
	s.add("code", "first code")
	s.add("code", "123456")
	if got := s.hider().hide("first code, 123456"); got != "⟪code⟫, ⟪code⟫" {
		t.Errorf("hide = %q", got)
	}
	if got := s.restorer().back("⟪code⟫"); got != "123456" {
		t.Errorf("back = %q", got)
	}
	s.add("code", "first code")
	if got := s.restorer().back("⟪code⟫"); got != "first code" {
		t.Errorf("back = %q", got)
	}
}

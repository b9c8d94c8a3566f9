package engine_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// TestFormsInBothBrowsers acts on random pages of form controls, in memory and on Chrome:
// the outlines, what the acts are said to have done, and what the server is asked for are
// the same. Styles are left out that depend on sizes, which memory only estimates.
func TestFormsInBothBrowsers(t *testing.T) {
	s := &formSite{}
	opts := &engine.Options{Patience: 200 * time.Millisecond}
	opts.Browser.Viewport = driver.Size{Width: 1280, Height: 2000} // nothing is scrolled
	onChrome, base := openOnChrome(t, s, opts)
	inMemory, err := engine.Open(t.Context(), fake.New(fake.Options{Handler: s}), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { inMemory.Close() })
	r := seed(t)
	for i := range acts(20) {
		g := &formMaker{Rand: r}
		s.page = g.page()
		list := g.acts(4)
		memory, chrome := s.run(t, inMemory.Page(), base, list), s.run(t, onChrome, base, list)
		for step := range memory {
			if diff := cmp.Diff(strings.Split(memory[step], "\n"), strings.Split(chrome[step], "\n")); diff != "" {
				t.Errorf("page %d, acts %v, memory (-), Chrome (+):\n%s\n%s", i, list[:step], diff, s.page)
				break
			}
		}
	}
}

// A formSite serves a page, and notes what it is asked for.
type formSite struct {
	page string

	mu    sync.Mutex
	asked []string
}

func (s *formSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.asked = append(s.asked, fmt.Sprintf("%s %s %s", r.Method, r.URL.RequestURI(), body))
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/html")
	if r.URL.Path == "/" {
		io.WriteString(w, s.page)
	} else {
		io.WriteString(w, "<!DOCTYPE html><title>Next</title><link rel=icon href=data:,><p>next</p>")
	}
}

// ofDriver matches what differs by driver in outlines and messages: refs, and nodes.
var ofDriver = regexp.MustCompile(`\[\d+-\d+\] ?| node \d+`)

// run opens the page, acts on it, and returns what was seen after each act.
func (s *formSite) run(t *testing.T, p *engine.Page, base string, list []engine.Action) []string {
	t.Helper()
	s.asked = nil
	if _, err := p.Navigate(t.Context(), base+"/", nil); err != nil {
		t.Fatal(err)
	}
	var seen []string
	see := func(what string) {
		snap, err := p.Snapshot(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		text := fmt.Sprintf("%s\n%s\n%s\n%s", what, p.URL(), strings.Join(s.asked, "\n"), snap.Outline())
		seen = append(seen, ofDriver.ReplaceAllString(text, ""))
	}
	see("opened")
	for _, a := range list {
		res, err := p.Do(t.Context(), a, nil)
		if res == nil {
			t.Fatal(err)
		}
		see(fmt.Sprintf("%s %s %q: %t, %s, %s: %s", a.Method, a.Selector, a.Arguments, res.Success, res.Evidence.Effect, res.Sent, res.Message))
	}
	return seen
}

// A formMaker writes a page, and picks acts on it.
type formMaker struct {
	*rand.Rand
	kinds []string // of the elements, by their numbers
}

func (g *formMaker) pick(list ...string) string { return list[g.IntN(len(list))] }

// some is one of the attributes now and then.
func (g *formMaker) some(attributes ...string) string {
	if g.IntN(3) > 0 {
		return ""
	}
	return " " + g.pick(attributes...)
}

func (g *formMaker) word() string { return g.pick("Apple", "Birch", "Cedar", "Elm", "Fig", "Grape") }

func (g *formMaker) page() string {
	b := "<!DOCTYPE html><title>Form</title><link rel=icon href=data:,>"
	for range 2 {
		b += fmt.Sprintf("\n<form action=/sent%s%s>%s</form>\n%s", g.some("method=post"), g.some("novalidate"), g.elements(4), g.elements(2))
	}
	return b
}

func (g *formMaker) elements(n int) (b string) {
	for range n {
		b += "\n<p>" + g.element() + "</p>"
		if g.IntN(5) == 0 {
			b += fmt.Sprintf("\n<fieldset%s><legend>%s</legend><p>%s</p></fieldset>", g.some("disabled", "name=f"), g.word(), g.element())
		}
		if g.IntN(6) == 0 {
			b += fmt.Sprintf("\n<details%s><summary%s>%s</summary><p>%s</p></details>", g.some("open", "name=d open"), g.id("summary"), g.word(), g.element())
		}
	}
	return b
}

// id gives the next element its number.
func (g *formMaker) id(kind string) string {
	g.kinds = append(g.kinds, kind)
	return fmt.Sprint(" id=e", len(g.kinds)-1)
}

func (g *formMaker) element() string {
	common := func() string {
		return g.some("title="+g.word(), "aria-label="+g.word(), "disabled", "hidden", "inert", "tabindex=-1", "style='visibility: hidden'")
	}
	switch kind := g.pick("text", "text", "email", "number", "date", "checkbox", "checkbox", "radio", "submit", "reset", "textarea", "select", "select", "button", "a", "a"); kind {
	case "textarea":
		return fmt.Sprintf("<textarea%s name=t%s%s>%s</textarea>", g.id(kind), g.some("required", "readonly", "maxlength=6"), common(), g.word())
	case "select":
		b := fmt.Sprintf("<select%s name=s%s%s>", g.id(kind), g.some("multiple", "required"), common())
		for i := range 1 + g.IntN(4) {
			b += fmt.Sprintf("<option%s%s>%s</option>", g.some(fmt.Sprint("value=", i)), g.some("selected", "disabled"), g.word())
		}
		return b + "</select>"
	case "button":
		return fmt.Sprintf("<button%s%s%s>%s</button>", g.id(kind), g.some("type=button", "type=reset", "name=b value=1", "formnovalidate", "formmethod=post"), common(), g.word())
	case "a":
		return fmt.Sprintf("<a%s%s%s>%s</a>", g.id(kind), g.pick(" href=/next", " href=#", " href=#e0", " href=?q=1", ""), common(), g.word())
	default:
		value := map[string]string{"number": "4", "date": "2026-01-02", "email": "a@b.c"}[kind]
		if value == "" || g.IntN(3) == 0 {
			value = g.word()
		}
		input := fmt.Sprintf("<input%s type=%s name=%s value=%s%s%s>", g.id(kind), kind, g.pick("a", "b"), value,
			g.some("required", "readonly", "checked", "maxlength=4", "pattern=[a-z]+", "min=3", "max=2026-01-01", "placeholder="+g.word()), common())
		if g.IntN(3) == 0 {
			return "<label>" + g.word() + " " + input + "</label>"
		}
		return input
	}
}

func (g *formMaker) acts(n int) (list []engine.Action) {
	for range n {
		at := g.IntN(len(g.kinds))
		a := engine.Action{Selector: fmt.Sprint("#e", at), Method: engine.Click}
		switch kind := g.kinds[at]; kind {
		case "text", "email", "textarea", "number":
			a.Method, a.Arguments = engine.Fill, []string{g.pick("hello", "x", "", "12", "a@b.c")}
		case "date":
			a.Method, a.Arguments = engine.Fill, []string{g.pick("2026-03-17", "2025-12-31", "")}
		case "select":
			a.Method, a.Arguments = engine.SelectOption, []string{g.word()}
		case "checkbox":
			a.Method = []engine.Method{engine.Click, engine.Check, engine.Uncheck}[g.IntN(3)]
		}
		if kind := g.kinds[at]; g.IntN(4) == 0 && kind != "date" {
			keys := []string{"Tab", "Shift+Tab", "ArrowDown", "Home", "Escape"}
			if kind != "select" { // whose list these open, in Chrome alone
				keys = append(keys, "Enter", "Space")
			}
			a.Method, a.Arguments = engine.Press, []string{g.pick(keys...)}
		}
		list = append(list, a)
	}
	return list
}

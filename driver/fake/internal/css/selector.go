package css

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"

	"github.com/andybalholm/cascadia"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// A Selector is a compiled CSS selector list. Pseudo-classes that depend on
// live state are rewritten to attributes whose names begin with a space,
// which no source can spell: reflect puts them on the elements before a match.
type Selector struct {
	cascadia.SelectorGroup
	Live  bool // uses a reflected pseudo-class
	has   []hasMark
	extra cascadia.Specificity // that the matcher does not know of
}

var compiled sync.Map // selector text → compilation: texts repeat in every session

// A compilation is what came of a selector's text.
type compilation struct {
	s   *Selector
	err error
}

// Compile parses a selector list.
func Compile(text string) (*Selector, error) {
	if v, ok := compiled.Load(text); ok {
		c := v.(compilation)
		return c.s, c.err
	}
	s, err := compileSelector(text)
	if len(text) <= 256 {
		compiled.Store(text, compilation{s, err})
	}
	return s, err
}

func compileSelector(text string) (s *Selector, err error) {
	defer func() {
		if r := recover(); r != nil { // the parser is not ours
			s, err = nil, fmt.Errorf("%w: %q", driver.ErrSelector, text)
		}
	}()
	plain, w, err := rewrite(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %q: %v", driver.ErrSelector, text, err)
	}
	group, err := cascadia.ParseGroup(plain)
	if err != nil {
		return nil, fmt.Errorf("%w: %q: %v", driver.ErrSelector, text, err)
	}
	return &Selector{SelectorGroup: group, Live: w.live, has: w.has, extra: w.extra}, nil
}

// reflected are the pseudo-classes that depend on live state.
var reflected = map[string]bool{
	"hover": true, "active": true, "focus": true, "focus-visible": true, "focus-within": true, "checked": true,
	"indeterminate": true, "modal": true, "popover-open": true, "open": true, "target": true, "invalid": true,
	"valid": true, "required": true, "optional": true, "read-only": true, "read-write": true,
	"placeholder-shown": true, "disabled": true, "enabled": true, "autofill": true, "user-invalid": true, "visited": true,
	"playing": true, "paused": true, "fullscreen": true, "default": true,
}

// svgNames are the names of SVG elements that have capitals, which the
// matcher compares without: they are reflected, too.
var svgNames = map[string]bool{
	"lineargradient": true, "radialgradient": true, "clippath": true, "foreignobject": true, "textpath": true, "animatemotion": true,
	"animatetransform": true, "feblend": true, "fecolormatrix": true, "fegaussianblur": true, "feoffset": true, "femerge": true,
	"femergenode": true, "feflood": true, "fecomposite": true, "fedropshadow": true, "feimage": true, "femorphology": true,
}

// strangers are accepted by the matcher's parser and by no browser.
var strangers = map[string]bool{"contains": true, "containsown": true, "matches": true, "matchesown": true, "haschild": true, "input": true}

// A rewriter turns a browser's selector into one that the matcher knows.
type rewriter struct {
	text string
	at   int
	out  strings.Builder
	written
}

// What a rewritten selector asks for beyond its text.
type written struct {
	live  bool // a pseudo-class or a name became a reflected attribute
	has   []hasMark
	extra cascadia.Specificity
}

// join takes over what a part asks for.
func (w *written) join(part written) {
	w.live = w.live || part.live
	w.has = append(w.has, part.has...)
	w.extra = w.extra.Add(part.extra)
}

var errParenthesis = errors.New("unbalanced parenthesis")

// rewrite rewrites a selector list.
func rewrite(text string) (string, written, error) {
	if strings.TrimSpace(text) == "" {
		return "", written{}, errors.New("empty")
	}
	r := rewriter{text: text}
	for r.at < len(text) {
		if err := r.part(); err != nil {
			return "", written{}, err
		}
	}
	return r.out.String(), r.written, nil
}

// part rewrites what begins at r.at, and goes behind it.
func (r *rewriter) part() error {
	i, c := r.at, r.text[r.at]
	follows := func(c byte) bool { return i+1 < len(r.text) && r.text[i+1] == c }
	switch {
	case c == '#' || c == '.':
		if i+1 < len(r.text) && '0' <= r.text[i+1] && r.text[i+1] <= '9' {
			return errors.New("a name begins with a digit")
		}
		_, end := identifier(r.text, i+1)
		r.copy(end)
	case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		name, end := identifier(r.text, i)
		if !svgNames[dom.Lower(name)] {
			r.copy(end)
			break
		}
		r.reflect(dom.Lower(name), end)
	case c == '\\':
		r.copy(min(i+2, len(r.text)))
	case c == '"' || c == '\'':
		r.copy(quoted(r.text, i))
	case c == '[':
		end := bracketed(r.text, i)
		if part := r.text[i:end]; (strings.Contains(part, "!=") || strings.Contains(part, "#=")) && !strings.ContainsAny(part, `"'`) {
			return errors.New("unknown attribute operator")
		}
		r.copy(end)
	case c == ':' && follows(':'):
		return errors.New("pseudo-elements are no elements")
	case c == ':':
		return r.pseudoClass()
	default:
		r.copy(i + 1)
	}
	return nil
}

// copy takes over the text up to end as it is.
func (r *rewriter) copy(end int) { r.put(r.text[r.at:end], end) }

// put writes out in place of the text up to end.
func (r *rewriter) put(out string, end int) {
	r.out.WriteString(out)
	r.at = end
}

// reflect puts a reflected attribute in place of the text up to end.
func (r *rewriter) reflect(name string, end int) {
	r.put(`[\20 `+name+`]`, end)
	r.live = true
}

func (r *rewriter) pseudoClass() error {
	name, end := identifier(r.text, r.at+1)
	name = dom.Lower(name)
	switch {
	case reflected[name], name == "scope":
		r.reflect(name, end)
	case name == "any-link":
		r.put(":link", end)
	case name == "defined":
		r.put("", end)
	case name == "is" || name == "where" || name == "-webkit-any":
		inner, end, err := r.argument(end)
		if err != nil {
			return err
		}
		list, w, err := rewrite(inner)
		if err != nil {
			return err
		}
		// Not not-any is any, and the matcher knows :not of a list.
		r.put(":not(:not("+list+"))", end)
		r.join(w)
	case name == "dir":
		dir, end, err := r.argument(end)
		if err != nil {
			return err
		}
		r.put(direction(dom.Lower(strings.TrimSpace(dir))), end)
		r.live = true
	case strangers[name]:
		return fmt.Errorf("unknown pseudo-class %q", name)
	case name == "has":
		return r.hasClass(end)
	case name == "not": // what is within is rewritten in its turn
		r.copy(end)
	default:
		if close := parenthesis(r.text, end); close >= 0 {
			end = close + 1
		}
		r.copy(end)
	}
	return nil
}

// argument returns what stands in the parentheses that begin at i, and the end
// behind them.
func (r *rewriter) argument(i int) (string, int, error) {
	close := parenthesis(r.text, i)
	if close < 0 {
		return "", 0, errParenthesis
	}
	return r.text[i+1 : close], close + 1, nil
}

// direction is what :dir of a direction becomes. One that there is not matches
// nothing.
func direction(dir string) string {
	switch dir {
	case "rtl":
		return `[\20 rtl]`
	case "ltr":
		return `:not([\20 rtl])`
	}
	return `[\20 none]`
}

// ReflectHas writes the marks that a selector asks for into the trees of a document.
func (s *Selector) ReflectHas(t *dom.Tree) {
	if len(s.has) == 0 {
		return
	}
	markAll(s.has, t.Root)
	for _, shadow := range t.Shadows {
		markAll(s.has, shadow.Root)
	}
}

// compile compiles the links of a relative selector, and returns its specificity.
func (r *rewriter) compile(way []link) (weight cascadia.Specificity, err error) {
	for i := range way {
		l := &way[i]
		if l.compound == "" {
			return weight, errors.New("a combinator without a selector")
		}
		if l.sel, err = compileSelector(l.compound); err != nil {
			return weight, err
		}
		for _, one := range l.sel.SelectorGroup {
			weight = weight.Add(one.Specificity())
		}
		r.live = r.live || l.sel.Live
	}
	return weight, nil
}

// hasClass rewrites a :has whose argument begins at end.
func (r *rewriter) hasClass(end int) error {
	inner, after, err := r.argument(end)
	if err != nil {
		return err
	}
	parts := splitList(inner)
	if !slices.ContainsFunc(parts, func(s string) bool { return len(chain(s)) != 1 || chain(s)[0].combinator != ' ' }) {
		r.copy(end) // the matcher knows it; the selectors within are rewritten in turn
		return nil
	}
	h := fnv.New64a()
	h.Write([]byte(inner))
	mark := hasMark{name: fmt.Sprintf("has%x", h.Sum64())}
	if strings.Contains(inner, ":hover") || strings.Contains(inner, ":active") {
		mark.name += "hover" // a sheet of such rules is read again for the pointer
	}
	var weight cascadia.Specificity
	for _, text := range parts {
		way := chain(text)
		w, err := r.compile(way)
		if err != nil {
			return err
		}
		mark.ways = append(mark.ways, way)
		if weight.Less(w) {
			weight = w
		}
	}
	r.has = append(r.has, mark)
	r.reflect(mark.name, after)
	r.extra = r.extra.Add(weight)
	r.extra[1]-- // of the attribute that stands for it
	return nil
}

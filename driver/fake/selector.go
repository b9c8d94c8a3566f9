package fake

import (
	"fmt"
	"strings"
	"sync"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A selector is a compiled CSS selector list. Pseudo-classes that depend on
// live state are rewritten to attributes whose names begin with a space,
// which no source can spell: reflect puts them on the elements before a match.
type selector struct {
	cascadia.SelectorGroup
	live bool // uses a reflected pseudo-class
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

var compiled sync.Map // selector text → *selector or error: texts repeat in every session

// compile parses a selector list.
func compile(text string) (*selector, error) {
	if v, ok := compiled.Load(text); ok {
		if s, ok := v.(*selector); ok {
			return s, nil
		}
		return nil, v.(error)
	}
	s, err := compileSelector(text)
	if len(text) > 256 {
		return s, err
	}
	if err != nil {
		compiled.Store(text, err)
	} else {
		compiled.Store(text, s)
	}
	return s, err
}

func compileSelector(text string) (s *selector, err error) {
	defer func() {
		if r := recover(); r != nil { // the parser is not ours
			s, err = nil, fmt.Errorf("%w: %q", driver.ErrSelector, text)
		}
	}()
	plain, live, err := rewrite(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %q: %v", driver.ErrSelector, text, err)
	}
	group, err := cascadia.ParseGroup(plain)
	if err != nil {
		return nil, fmt.Errorf("%w: %q: %v", driver.ErrSelector, text, err)
	}
	return &selector{SelectorGroup: group, live: live}, nil
}

// rewrite turns a browser's selector into one that the matcher knows.
func rewrite(text string) (out string, live bool, err error) {
	if strings.TrimSpace(text) == "" {
		return "", false, fmt.Errorf("empty")
	}
	var sb strings.Builder
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case (c == '#' || c == '.') && i+1 < len(text) && '0' <= text[i+1] && text[i+1] <= '9':
			return "", false, fmt.Errorf("a name begins with a digit")
		case c == '#' || c == '.':
			_, end := identifier(text, i+1)
			sb.WriteString(text[i:end])
			i = end
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			name, end := identifier(text, i)
			if svgNames[lower(name)] {
				name, live = `[\20 `+lower(name)+`]`, true
			}
			sb.WriteString(name)
			i = end
		case c == '\\' && i+1 < len(text):
			sb.WriteString(text[i : i+2])
			i += 2
		case c == '"' || c == '\'':
			end := quoted(text, i)
			sb.WriteString(text[i:end])
			i = end
		case c == '[':
			end := bracketed(text, i)
			if part := text[i:end]; strings.Contains(part, "!=") && !strings.ContainsAny(part, `"'`) || strings.Contains(part, "#=") && !strings.ContainsAny(part, `"'`) {
				return "", false, fmt.Errorf("unknown attribute operator")
			}
			sb.WriteString(text[i:end])
			i = end
		case c == ':' && i+1 < len(text) && text[i+1] == ':':
			return "", false, fmt.Errorf("pseudo-elements are no elements")
		case c == ':':
			name, end := identifier(text, i+1)
			name = lower(name)
			switch {
			case reflected[name]:
				sb.WriteString(`[\20 ` + name + `]`)
				live = true
			case name == "scope" || name == "any-link" || name == "defined":
				sb.WriteString(map[string]string{"scope": `[\20 scope]`, "any-link": ":link", "defined": ""}[name])
				live = live || name == "scope"
			case name == "is" || name == "where" || name == "-webkit-any":
				close := parenthesis(text, end)
				if close < 0 {
					return "", false, fmt.Errorf("unbalanced parenthesis")
				}
				inner, l, err := rewrite(text[end+1 : close])
				if err != nil {
					return "", false, err
				}
				// Not not-any is any, and the matcher knows :not of a list.
				sb.WriteString(":not(" + negated(inner) + ")")
				live, end = live || l, close+1
			case name == "dir":
				close := parenthesis(text, end)
				if close < 0 {
					return "", false, fmt.Errorf("unbalanced parenthesis")
				}
				sb.WriteString(direction(lower(strings.TrimSpace(text[end+1 : close]))))
				live, end = true, close+1
			case strangers[name]:
				return "", false, fmt.Errorf("unknown pseudo-class %q", name)
			default:
				if close := parenthesis(text, end); close >= 0 && name != "not" && name != "has" {
					end = close + 1
				}
				sb.WriteString(text[i:end])
			}
			i = end
		default:
			sb.WriteByte(c)
			i++
		}
	}
	return sb.String(), live, nil
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

// negated gives a compound that matches what the list does not.
func negated(list string) string { return ":not(" + list + ")" }

func identifier(s string, i int) (string, int) {
	start := i
	for i < len(s) && (s[i] == '-' || s[i] == '_' || s[i] >= 0x80 || 'a' <= s[i] && s[i] <= 'z' || 'A' <= s[i] && s[i] <= 'Z' || '0' <= s[i] && s[i] <= '9') {
		i++
	}
	return s[start:i], i
}

func quoted(s string, i int) int {
	q := s[i]
	for i++; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == q {
			return i + 1
		}
	}
	return len(s)
}

func bracketed(s string, i int) int {
	for ; i < len(s); i++ {
		switch s[i] {
		case '"', '\'':
			i = quoted(s, i) - 1
		case '\\':
			i++
		case ']':
			return i + 1
		}
	}
	return len(s)
}

// parenthesis returns the index of the one that closes the one at i.
func parenthesis(s string, i int) int {
	if i >= len(s) || s[i] != '(' {
		return -1
	}
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '"', '\'':
			i = quoted(s, i) - 1
		case '\\':
			i++
		case '[':
			i = bracketed(s, i) - 1
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// match finds the elements below top (top excluded) that s matches, in order.
func (d *document) match(top *html.Node, s *selector) []*html.Node {
	if s.live {
		d.reflect(top)
	}
	var out []*html.Node
	for n := next(top, top); n != nil; n = next(n, top) {
		if n.Type == html.ElementNode && s.Match(n) {
			out = append(out, n)
		}
	}
	return out
}

// reflect writes the live state into the attributes that selectors see, in all
// trees. scope is the element that :scope names, if any.
func (d *document) reflect(scope *html.Node) {
	d.each(func(n *html.Node) {
		if len(n.Attr) > 0 && n.Attr[len(n.Attr)-1].Key[0] == ' ' {
			i := len(n.Attr)
			for i > 0 && n.Attr[i-1].Key[0] == ' ' {
				i--
			}
			n.Attr = n.Attr[:i:i]
		}
		d.pseudoClasses(n, func(name string) {
			n.Attr = append(n.Attr, html.Attribute{Key: " " + name})
		})
	})
	if scope != nil && scope.Type == html.ElementNode {
		scope.Attr = append(scope.Attr, html.Attribute{Key: " scope"})
	} else if scope != nil {
		for c := scope.FirstChild; c != nil; c = c.NextSibling {
			if isElement(c, "html") {
				c.Attr = append(c.Attr, html.Attribute{Key: " scope"})
			}
		}
	}
}

// attributes returns the attributes that the source or a script gave n.
func attributes(n *html.Node) []html.Attribute {
	i := len(n.Attr)
	for i > 0 && strings.HasPrefix(n.Attr[i-1].Key, " ") {
		i--
	}
	return n.Attr[:i]
}

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

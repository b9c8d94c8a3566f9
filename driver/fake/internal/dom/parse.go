package dom

import (
	"errors"
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxDepth is how deep elements nest. Deeper ones become siblings, as in
// browsers. The parser itself refuses 512.
const maxDepth = 480

// ParseHTML never fails: what nests too deep is flattened.
func ParseHTML(source string, scripting bool) *html.Node {
	if root := tryParse(source, scripting); root != nil {
		return root
	}
	for limit := maxDepth; limit > 8; limit /= 2 {
		if root := tryParse(flatten(source, limit), scripting); root != nil {
			return root
		}
	}
	return tryParse(html.EscapeString(source), scripting)
}

// tryParse gives nil where the parser gives up, which it does by a panic.
func tryParse(source string, scripting bool) (root *html.Node) {
	defer func() {
		if recover() != nil {
			root = nil
		}
	}()
	root, err := html.ParseWithOptions(strings.NewReader(source), html.ParseOptionEnableScripting(scripting))
	if err != nil {
		return nil
	}
	return root
}

// flatten closes every element at once that would stand deeper than limit.
func flatten(source string, limit int) string {
	var sb strings.Builder
	sb.Grow(len(source) + len(source)/4)
	z := html.NewTokenizer(strings.NewReader(source))
	depth, over := 0, 0
	for {
		tt := z.Next()
		raw := z.Raw()
		switch tt {
		case html.ErrorToken:
			return sb.String()
		case html.StartTagToken:
			sb.Write(raw)
			name, _ := z.TagName()
			if voids[string(name)] {
				continue
			}
			if depth < limit {
				depth++
				continue
			}
			over++
			if !raws[string(name)] {
				sb.WriteString("</" + string(name) + ">")
			}
		case html.EndTagToken:
			if over > 0 {
				over--
				if name, _ := z.TagName(); raws[string(name)] {
					sb.Write(raw)
				}
				continue
			}
			if depth > 0 {
				depth--
			}
			sb.Write(raw)
		default:
			sb.Write(raw)
		}
	}
}

var raws = map[string]bool{"script": true, "style": true, "textarea": true, "title": true}

var voids = map[string]bool{"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true, "img": true, "input": true,
	"link": true, "meta": true, "param": true, "source": true, "track": true, "wbr": true}

// ParseFragment parses what a script puts below context.
func ParseFragment(source string, context *html.Node) (nodes []*html.Node, err error) {
	defer func() {
		if recover() != nil {
			nodes, err = nil, errors.New("fake: HTML is nested too deep")
		}
	}()
	if context == nil || context.Type != html.ElementNode || context.Namespace != "" {
		context = &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	}
	// The parser follows the context's ancestors and wants its atom to fit.
	bare := &html.Node{Type: html.ElementNode, Data: context.Data, DataAtom: AtomOf(context.Data)}
	return html.ParseFragment(strings.NewReader(source), bare)
}

func AtomOf(name string) atom.Atom { return atom.Lookup([]byte(name)) }

// Sources are the documents of a [Web] that were opened, by their source: one
// that is opened again is copied from the tree of an earlier parse, which is
// cheaper than another one. The Web bounds how many there are.
type Sources struct {
	mu sync.Mutex
	of map[sourceKey]func() *html.Node
}

// A sourceKey is a source with how it is parsed: noscript holds elements only
// where there are no scripts.
type sourceKey struct {
	source    string
	scripting bool
}

// Copy returns the tree of a source, the caller's own. A tree to copy is kept from the
// second time on: most sources are opened once.
func (s *Sources) Copy(source string, scripting bool) *html.Node {
	key := sourceKey{source, scripting}
	parse := func() *html.Node { return ParseHTML(source, scripting) }
	s.mu.Lock()
	parsed, again := s.of[key]
	if !again {
		if s.of == nil {
			s.of = make(map[sourceKey]func() *html.Node)
		}
		s.of[key] = sync.OnceValue(parse)
	}
	s.mu.Unlock()
	if !again {
		return parse()
	}
	return Clone(parsed())
}

package accessibility

import (
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Step is the part of a selector that is resolved within one root, by
// driver.Finder.Find.
type Step struct {
	driver.Selector

	// Else, if not nil, is what to try in place of this step and all behind
	// it, if this one matches nothing.
	Else []Step
}

// maxHops bounds how many roots a selector may lead through.
const maxHops = 32

// SplitSelector splits a selector text into steps. The first is resolved in
// the main document, each other in the root that the one before has found: the
// document of a frame's owner element, the shadow root of a host, otherwise
// the element itself. The last one's matches are the selector's.
//
// # What it reads
//
//   - xpath=…, or a text that begins with /, (, ./ or ../: an XPath.
//   - css=…, or any other text: a CSS selector.
//   - Either, joined by " >> " or " >>> ": each part is searched within what the
//     one before has found.
//
// Within an XPath, what follows a step that names iframe or frame is the next
// part: such elements have no children in their own document. It begins with
// "./" or ".//", which is the root's child or any descendant.
//
// "//" is the ordinary descendant axis, and also the way into a shadow root in a
// path such as [Snapshot.XPath] writes. Which one it is depends on the
// page: the ordinary reading is the step, and where it matches nothing, Else has the
// path split at every inner "//", each part first as the root's children ("./"),
// then as any descendant (".//").
//
// Errors wrap driver.ErrSelector.
func SplitSelector(text string) ([]Step, error) {
	parts, err := splitChain(text)
	if err != nil {
		return nil, err
	}
	var pieces []piece
	for i, part := range parts {
		more, err := splitPart(part, i > 0)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, more...)
	}
	hops := len(pieces)
	for _, p := range pieces {
		hops += len(p.inner)
	}
	if hops > maxHops {
		return nil, selectorError(text, "more than %d roots", maxHops)
	}
	var steps []Step
	for i := len(pieces) - 1; i >= 0; i-- {
		steps = pieces[i].steps(steps)
	}
	return steps, nil
}

// A piece is a selector for one root, or for several, if some of its "//" lead
// into shadow roots.
type piece struct {
	driver.Selector
	inner []string // the XPath split at each inner "//", the first part included; nil if there is none
}

// steps returns the steps for a piece, followed by those of the pieces behind it.
func (p *piece) steps(rest []Step) []Step {
	first := Step{Selector: p.Selector}
	if p.inner != nil {
		way := rest
		for i := len(p.inner) - 1; i > 0; i-- {
			deep := append([]Step{{Selector: driver.Selector{Kind: driver.XPath, Text: ".//" + p.inner[i]}}}, way...)
			child := Step{Selector: driver.Selector{Kind: driver.XPath, Text: "./" + p.inner[i]}, Else: deep}
			way = append([]Step{child}, way...)
		}
		head := driver.Selector{Kind: driver.XPath, Text: p.inner[0]}
		first.Else = append([]Step{{Selector: head}}, way...)
	}
	return append([]Step{first}, rest...)
}

func selectorError(text, format string, args ...any) error {
	short, cut := shorten(text, 200)
	if cut > 0 {
		short += "…"
	}
	return fmt.Errorf("accessibility: selector %q: %s: %w", short, fmt.Sprintf(format, args...), driver.ErrSelector)
}

// splitChain splits at " >> " and " >>> ".
func splitChain(text string) ([]string, error) {
	var parts []string
	sc := scanner{text: text}
	start := 0
	for sc.next() {
		if sc.depth > 0 || text[sc.at] != '>' || sc.at == 0 || !spaceByte(text[sc.at-1]) {
			continue
		}
		n := len(text[sc.at:]) - len(strings.TrimLeft(text[sc.at:], ">"))
		if end := sc.at + n; (n == 2 || n == 3) && (end == len(text) || spaceByte(text[end])) {
			parts = append(parts, strings.TrimSpace(text[start:sc.at]))
			start = end
			sc.at = end - 1
		}
	}
	if sc.open() {
		return nil, selectorError(text, "a quote or a bracket is not closed")
	}
	parts = append(parts, strings.TrimSpace(text[start:]))
	for _, p := range parts {
		if p == "" {
			return nil, selectorError(text, "empty")
		}
	}
	return parts, nil
}

// splitPart splits one part of a chain into pieces. inner reports that
// another part stands before it.
func splitPart(part string, inner bool) ([]piece, error) {
	if rest, ok := strings.CutPrefix(part, "css="); ok {
		if rest = strings.TrimSpace(rest); rest == "" {
			return nil, selectorError(part, "empty")
		}
		return []piece{{Selector: driver.Selector{Kind: driver.CSS, Text: rest}}}, nil
	}
	path, ok := strings.CutPrefix(part, "xpath=")
	path = strings.TrimSpace(path)
	switch {
	case ok && path == "":
		return nil, selectorError(part, "empty")
	case ok, path[0] == '/', path[0] == '(', strings.HasPrefix(path, "./"), strings.HasPrefix(path, "../"):
		return splitXPath(path, inner), nil
	}
	if kind, _, ok := strings.Cut(part, "="); ok && xpathName(kind) {
		return nil, selectorError(part, "unknown kind %q: it is css, xpath, or a locator's (role, label, placeholder, text, testid)", kind)
	}
	return []piece{{Selector: driver.Selector{Kind: driver.CSS, Text: part}}}, nil
}

// splitXPath splits an XPath behind every frame.
func splitXPath(path string, inner bool) []piece {
	var pieces []piece
	sc := scanner{text: path}
	start := 0
	var hops []int // inner "//" of the present piece
	step := 0      // where the present step begins
	end := func(at int) {
		text := path[start:at]
		if (inner || len(pieces) > 0) && text[0] == '/' {
			text = "." + text
		}
		p := piece{Selector: driver.Selector{Kind: driver.XPath, Text: text}}
		if len(hops) > 0 {
			from := start
			for _, h := range hops {
				p.inner = append(p.inner, path[from:h])
				from = h + 2
			}
			p.inner = append(p.inner, path[from:at])
			if len(p.inner[0]) > 0 && p.inner[0][0] == '/' && text[0] == '.' {
				p.inner[0] = "." + p.inner[0]
			}
		}
		pieces = append(pieces, p)
		hops = nil
	}
	union := false
	for sc.next() {
		if sc.depth > 0 {
			continue
		}
		if path[sc.at] == '|' {
			union = true
		}
		if path[sc.at] != '/' {
			continue
		}
		at := sc.at
		double := at+1 < len(path) && path[at+1] == '/'
		if at > start && frameStep(path[step:at]) {
			end(at)
			start = at
		} else if double && at > start && path[at-1] != '.' {
			hops = append(hops, at)
		}
		step = at + 1
		if double {
			sc.at++
			step++
		}
	}
	if union { // a union is no path
		return []piece{{Selector: driver.Selector{Kind: driver.XPath, Text: path}}}
	}
	end(len(path))
	return pieces
}

// frameStep reports whether a step names the owner element of a frame.
func frameStep(step string) bool {
	name, _, _ := strings.Cut(step, "[")
	if i := strings.LastIndex(name, "::"); i >= 0 {
		name = name[i+2:]
	}
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "iframe", "frame":
		return true
	}
	return false
}

// A scanner goes through a selector and knows quotes and brackets.
type scanner struct {
	text  string
	at    int // the present byte, after next
	began bool
	depth int
	quote byte
	wrong bool
}

// next moves to the next byte outside of quotes.
func (s *scanner) next() bool {
	if s.began {
		s.at++
	}
	s.began = true
	for ; s.at < len(s.text); s.at++ {
		b := s.text[s.at]
		switch {
		case s.quote != 0:
			if b == s.quote {
				s.quote = 0
			}
			continue
		case b == '"' || b == '\'':
			s.quote = b
			continue
		case b == '\\': // the next character stands for itself
			s.at++
			continue
		case b == '[' || b == '(':
			s.depth++
		case b == ']' || b == ')':
			if s.depth--; s.depth < 0 {
				s.wrong = true
			}
		}
		return true
	}
	return false
}

// open reports whether something was not closed, or closed and not open.
func (s *scanner) open() bool { return s.quote != 0 || s.depth != 0 || s.wrong }

func spaceByte(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

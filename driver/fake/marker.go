package fake

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// marker adds the ::marker of a list item.
func (v *view) marker(i int32) {
	b := &v.boxes[i]
	if b.style.Display != "list-item" {
		return
	}
	text := v.markerText(b)
	if text == "" {
		return
	}
	s := inherit(b.style)
	if !b.style.listInside {
		s.Display = "inline-block"
	}
	v.push(box{node: b.node, parent: i, host: b.host, shadow: b.shadow, kind: driver.PseudoNode, pseudo: "::marker", text: text,
		style: &s, skipped: b.skipped})
}

// markerText is what stands in front of a list item.
func (v *view) markerText(b *box) string {
	if bullet, ok := listBullets[b.style.listStyle]; ok {
		if isElement(b.node.Parent, "ol") {
			v.itemNumber(b.node)
		}
		return bullet
	}
	if s := b.style.listStyle; s[0] == '"' || s[0] == '\'' {
		return unescape(strings.Trim(s, s[:1]))
	}
	return ordinal(v.itemNumber(b.node), b.style.listStyle) + ". "
}

// listBullets are the list styles without a number.
var listBullets = map[string]string{
	"none": "", "disc": "• ", "circle": "◦ ", "square": "■ ", "disclosure-closed": "▸ ", "disclosure-open": "▾ ",
}

// nestedBullets are those of lists within none, one, and more lists.
var nestedBullets = [...]string{"disc", "circle", "square"}

// listInitial is the marker that a list or an item has by its name, its depth
// and its type attribute.
func listInitial(n *html.Node, s *style) {
	switch n.Data {
	case "ul", "menu", "dir":
		s.listStyle = nestedBullets[min(s.listDepth, 2)]
		s.listDepth = min(s.listDepth+1, 2)
	case "ol":
		s.listStyle = "decimal"
		s.listDepth = min(s.listDepth+1, 2)
	}
	switch t := attr(n, "type"); t {
	case "1":
		s.listStyle = "decimal"
	case "a":
		s.listStyle = "lower-alpha"
	case "A":
		s.listStyle = "upper-alpha"
	case "i":
		s.listStyle = "lower-roman"
	case "I":
		s.listStyle = "upper-roman"
	default:
		if t = lower(t); t == "none" || t == "disc" || t == "circle" || t == "square" {
			s.listStyle = t
		}
	}
}

// setList reads the list-style shorthand, or one of its parts.
func (s *style) setList(value string) {
	if value[0] == '"' || value[0] == '\'' {
		s.listStyle = value[:quoted(value, 0)]
		return
	}
	for _, word := range strings.Fields(value) {
		switch {
		case word == "inside" || word == "outside":
			s.listInside = word == "inside"
		case !strings.Contains(word, "("):
			s.listStyle = word
		}
	}
}

// itemNumber is the ordinal of a list item. Items are asked for in order.
func (v *view) itemNumber(n *html.Node) int {
	step := 1
	if isElement(n.Parent, "ol") && has(n.Parent, "reversed") {
		step = -1
	}
	count, counted := v.items[n.Parent]
	if !counted {
		if start, ok := number(attr(n.Parent, "start")); ok {
			count = int(start) - step
		} else if step < 0 {
			count = 1
			for c := n.Parent.FirstChild; c != nil; c = c.NextSibling {
				if isElement(c, "li") {
					count++
				}
			}
		}
		if v.items == nil {
			v.items = make(map[*html.Node]int)
		}
	}
	count += step
	if value, ok := number(attr(n, "value")); ok {
		count = int(value)
	}
	v.items[n.Parent] = count
	return count
}

// ordinal writes a number as a list style has it, and in digits where the style
// has no sign for it.
func ordinal(n int, how string) string {
	switch how {
	case "lower-alpha", "lower-latin":
		return alphabetic(n, 'a', 26)
	case "upper-alpha", "upper-latin":
		return alphabetic(n, 'A', 26)
	case "lower-roman":
		return strings.ToLower(roman(n))
	case "upper-roman":
		return roman(n)
	case "decimal-leading-zero":
		if n >= 0 && n < 10 {
			return "0" + strconv.Itoa(n)
		}
	}
	return strconv.Itoa(n)
}

func alphabetic(n int, first byte, letters int) string {
	if n < 1 {
		return strconv.Itoa(n)
	}
	var digits []byte
	for ; n > 0; n = (n - 1) / letters {
		digits = append([]byte{first + byte((n-1)%letters)}, digits...)
	}
	return string(digits)
}

func roman(n int) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	var sb strings.Builder
	for _, r := range []struct {
		value int
		sign  string
	}{
		{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"},
		{5, "V"}, {4, "IV"}, {1, "I"},
	} {
		for ; n >= r.value; n -= r.value {
			sb.WriteString(r.sign)
		}
	}
	return sb.String()
}

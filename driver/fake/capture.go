package fake

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/css"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/layout"
)

// capture writes one document down.
func (d *document) capture() driver.Document {
	v := d.render()
	out := driver.Document{Frame: d.frame.id, Doc: d.id, Ordinal: d.frame.ordinal, URL: d.address(), BaseURL: d.base().String(),
		Title: d.title(), Active: -1, ScrollX: d.Scroll.X, ScrollY: d.Scroll.Y, Content: v.Content}
	if h := d.First("html"); h != nil {
		out.Lang = dom.Attr(h, "lang")
	}
	if a := d.activeElement(); a != nil {
		out.Active = v.Index(a)
	}
	clickable := d.listening()
	out.Nodes = make([]driver.Node, len(v.Boxes))
	pseudo := driver.NodeID(0)
	var attrs []driver.Attr // of all elements, which saves an allocation for each
	for i := range v.Boxes {
		b, n := &v.Boxes[i], &out.Nodes[i]
		n.Parent, n.Host, n.Kind, n.Shadow = b.Parent, b.Host, b.Kind, b.Shadow
		if b.Rendered {
			n.Rendered, n.Box = true, b.Rect
			if b.Fixed {
				n.Box.X += d.Scroll.X
				n.Box.Y += d.Scroll.Y
			}
		}
		if b.Style != nil && !b.Skipped && b.Kind != driver.DocumentNode && b.Kind != driver.DoctypeNode {
			n.Style = &b.Style.Style
		}
		switch b.Kind {
		case driver.PseudoNode:
			// Pseudo-elements have numbers behind all others: no reference finds them.
			pseudo++
			n.ID, n.Name = pseudoNumbers+pseudo, b.Pseudo
			if b.Rendered {
				n.Shown = shown(b.Text, b.Style)
			}
			continue
		case driver.TextNode:
			n.Text = b.Node.Data
			if b.Rendered {
				n.Shown = shown(b.Node.Data, b.Style)
			}
		case driver.ElementNode:
			from := len(attrs)
			for _, a := range dom.Attributes(b.Node) {
				if a.Key == "value" && dom.IsElement(b.Node, "input") && form.InputType(b.Node) == "password" {
					a.Val = bullets(a.Val)
				}
				attrs = append(attrs, driver.Attr{Name: attrName(a), Value: a.Val})
			}
			n.Attrs = attrs[from:len(attrs):len(attrs)]
			d.captureElement(b, n)
			n.Clickable = n.Clickable || clickable[b.Node] || dom.Has(b.Node, "onclick") || dom.Has(b.Node, "onmousedown") || dom.Has(b.Node, "onmouseup")
		case driver.DoctypeNode:
			n.Name = b.Node.Data
		}
		n.ID = b.ID
	}
	return out
}

// pseudoNumbers is above any node's number.
const pseudoNumbers = 1 << 40

func attrName(a html.Attribute) string {
	if a.Namespace != "" {
		return a.Namespace + ":" + a.Key
	}
	return a.Key
}

// captureElement writes down what elements alone have.
func (d *document) captureElement(b *layout.Box, out *driver.Node) {
	n := b.Node
	out.Name = n.Data
	switch n.Namespace {
	case "":
	case "svg":
		out.Namespace = driver.SVG
	case "math":
		out.Namespace = driver.MathML
	default:
		out.Namespace = driver.OtherNamespace
	}
	rare := func() *driver.Rare {
		out.Rare = cmp.Or(out.Rare, new(driver.Rare))
		return out.Rare
	}
	if out.Namespace == driver.HTML {
		switch n.Data {
		case "input", "textarea", "select", "option":
			out.Value, out.HasValue = d.shownValue(n), true
			out.Checked = d.Checked(n)
			out.Selected = n.Data == "option" && d.Selected(n)
			if n.Data != "option" {
				if invalid := d.Validity(n); invalid != "" {
					rare().Invalid = invalid
				}
			}
		case "img":
			if d.Broken(n) {
				rare().Broken = true
			}
		case "video", "audio":
			if d.dead(n) {
				rare().Broken = true
			}
		}
	}
	out.Clickable = d.activatable(n)
	if c := d.Inputs[n]; c != nil {
		if c.Mixed || c.Modal || c.Popover || c.Member {
			r := rare()
			r.Mixed, r.Modal, r.PopoverOpen, r.FormAssociated = c.Mixed, c.Modal, c.Popover, c.Member
		}
		for _, name := range slices.Sorted(maps.Keys(c.Internals)) {
			if !dom.Has(n, name) {
				rare().Internals = append(rare().Internals, driver.Attr{Name: name, Value: c.Internals[name]})
			}
		}
	}
	if s := d.Shadows[n]; s != nil && s.Refers {
		rare().ReferenceTarget = d.ReferenceTarget(s)
	}
	if b.Scrolls() {
		if s := d.scrollState(n); s.MaxX > 0 || s.MaxY > 0 {
			rare().Scroll = &s
		}
	}
}

// activatable reports what a click activates by nature.
func (d *document) activatable(n *html.Node) bool {
	switch {
	case dom.IsElement(n, "input") && form.InputType(n) == "hidden":
		return false
	case dom.IsElement(n, "select"):
		return !d.Disabled(n)
	case dom.IsElement(n, "label"):
		return d.Labeled(n) != nil
	}
	return d.activates(n)
}

// shown is a text as its style shows it.
func shown(text string, s *css.Style) string {
	text = transformed(text, s.Transform)
	if sign, ok := securitySigns[s.Security]; ok {
		return strings.Repeat(sign, utf8.RuneCountInString(text))
	}
	return text
}

// securitySigns stand for the characters of a text that is kept from view.
var securitySigns = map[string]string{"disc": "•", "circle": "◦", "square": "■"}

// transformed applies text-transform.
func transformed(s, how string) string {
	switch how {
	case "uppercase":
		return strings.ToUpper(strings.ReplaceAll(s, "ß", "SS"))
	case "lowercase":
		return strings.ToLower(s)
	case "math-auto":
		if r, size := utf8.DecodeRuneInString(s); size == len(s) {
			return string(mathItalic(r))
		}
	case "capitalize":
		var sb strings.Builder
		sb.Grow(len(s))
		word := false
		for _, r := range s {
			if letter := unicode.IsLetter(r) || unicode.IsDigit(r); letter && !word {
				r = unicode.ToTitle(r)
				word = true
			} else if unicode.IsSpace(r) {
				word = false
			}
			sb.WriteRune(r)
		}
		return sb.String()
	}
	return s
}

// mathItalic is the letter that stands for one in formulas.
func mathItalic(r rune) rune {
	if r == 'h' {
		return 'ℎ'
	}
	for _, set := range []struct{ first, last, italic rune }{{'a', 'z', '𝑎'}, {'A', 'Z', '𝐴'}, {'α', 'ω', '𝛼'}, {'Α', 'Ω', '𝛢'}} {
		if set.first <= r && r <= set.last {
			return r - set.first + set.italic
		}
	}
	return r
}

// shownValue is a control's value as far as anybody may see it.
func (d *document) shownValue(n *html.Node) string {
	if n.Data == "input" && form.InputType(n) == "password" {
		return bullets(d.Value(n))
	}
	return d.Value(n)
}

func bullets(s string) string { return strings.Repeat("•", utf8.RuneCountInString(s)) }

func (d *document) state(n *html.Node) *driver.State {
	v := d.render()
	s := &driver.State{Connected: true, Focused: d.active == n && d.frame.page.focusedDocument() == d, Scroll: d.scrollState(n)}
	if n.Type != html.ElementNode {
		return s
	}
	s.Tag = n.Data
	s.Value = d.Value(n)
	s.Checked = d.Checked(n)
	s.Disabled = d.Disabled(n)
	s.ReadOnly = d.ReadOnly(n)
	s.Validity = d.Validity(n)
	s.Editable = form.Editable(n)
	s.Mixed = n.Data != "input" && dom.Lower(dom.Attr(n, "aria-checked")) == "mixed"
	s.Selected = dom.Lower(dom.Attr(n, "aria-selected")) == "true"
	s.Expanded, s.Pressed, s.AriaChecked = tristate(n, "aria-expanded"), tristate(n, "aria-pressed"), tristate(n, "aria-checked")
	if b := v.Find(n); b != nil {
		s.Visible = b.Rendered && !b.Rect.IsZero() && b.Style.Visibility == "visible"
	}
	if c := d.Inputs[n]; c != nil {
		s.Mixed = s.Mixed || c.Mixed
		s.Files = slices.Clone(c.Names)
	}
	switch n.Data {
	case "input":
		s.Type = form.InputType(n)
		s.Multiple = dom.Has(n, "multiple")
	case "select":
		s.Multiple = dom.Has(n, "multiple")
		for _, o := range form.Options(n) {
			opt := driver.OptionState{Value: d.Value(o), Label: form.OptionLabel(o), Selected: d.Selected(o), Disabled: d.Disabled(o)}
			if dom.IsElement(o.Parent, "optgroup") {
				opt.Group = dom.Attr(o.Parent, "label")
			}
			s.Options = append(s.Options, opt)
			if opt.Selected {
				s.Values = append(s.Values, opt.Value)
			}
		}
	case "option":
		s.Selected = d.Selected(n)
	case "details":
		s.Expanded = new(dom.Has(n, "open"))
	case "summary":
		if dom.IsElement(n.Parent, "details") && s.Expanded == nil {
			s.Expanded = new(dom.Has(n.Parent, "open"))
		}
	}
	if host := d.EditingHost(n); host != nil && !form.Editable(n) {
		s.Editable = true
		s.Value = dom.TextOf(n)
	} else if s.Value == "" && !form.Editable(n) {
		s.Value = cmp.Or(dom.Attr(n, "aria-valuetext"), dom.Attr(n, "aria-valuenow"))
	}
	if s.Values == nil && s.Value != "" {
		s.Values = []string{s.Value}
	}
	return s
}

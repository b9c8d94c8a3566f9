package accessibility

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// An Option is one of the options of a select.
type Option struct {
	Label    string
	Group    string // the label of the optgroup around it; empty if there is none
	Disabled bool   // by itself, or with its group
}

// optionLabels returns the labels alone.
func optionLabels(options []Option) []string {
	labels := make([]string, len(options))
	for i := range options {
		labels[i] = options[i].Label
	}
	return labels
}

// OptionLabels returns the labels of the options of a native select.
func (n *Node) OptionLabels() []string { return optionLabels(n.Options) }

// OptionLabels returns the labels of the options that a line shows.
func (it *Item) OptionLabels() []string { return optionLabels(it.Options) }

// fillOptions reads the options of a native select.
func fillOptions(node *Node, d *driver.Document, at int32) {
	nodes := d.Nodes
	var chosen []string
	group, groupEnd, off := "", int32(-1), false
	for i := int(at) + 1; i < len(nodes) && within(nodes, int32(i), at); i++ {
		if nodes[i].Kind != driver.ElementNode {
			continue
		}
		if groupEnd >= 0 && !within(nodes, int32(i), groupEnd) {
			group, groupEnd, off = "", -1, false
		}
		switch nodes[i].Name {
		case "optgroup":
			v, _ := nodes[i].Attr("label")
			_, off = nodes[i].Attr("disabled")
			group, groupEnd = tidy(v), int32(i)
		case "option":
			_, disabled := nodes[i].Attr("disabled")
			o := Option{Label: optionLabel(nodes, int32(i)), Group: group, Disabled: disabled || off}
			if nodes[i].Selected {
				chosen = append(chosen, o.Label)
			}
			node.Options = append(node.Options, o)
		}
	}
	if len(chosen) > 0 {
		node.Value = strings.Join(chosen, ", ")
	}
}

// within reports whether i is below top, given that everything between them is.
// It climbs no further than a select is deep.
func within(nodes []driver.Node, i, top int32) bool {
	for range 16 {
		up := nodes[i].Parent
		if up == top {
			return true
		}
		if up < top || up >= i {
			return false
		}
		i = up
	}
	return false
}

// optionLabel returns what an option shows.
func optionLabel(nodes []driver.Node, i int32) string {
	if v, ok := nodes[i].Attr("label"); ok && v != "" {
		return tidy(v)
	}
	text := ""
	for j := int(i) + 1; j < len(nodes) && within(nodes, int32(j), i); j++ {
		if nodes[j].Kind == driver.TextNode {
			if text == "" {
				text = nodes[j].Text
			} else {
				text += nodes[j].Text
			}
		}
	}
	return tidy(text)
}

// shownOptions fills in the options that a line shows, most at most.
func (s *Snapshot) shownOptions(it *Item, room, options []Option, most, aside int) {
	show := func(text string) string {
		short, cut := shorten(s.mask(text), aside)
		if cut > 0 {
			short += "…"
		}
		return short
	}
	if len(options) > most {
		it.MoreOptions = len(options) - most/2
		options = options[:most/2]
	}
	it.Options = append(room, options...)
	for i := range it.Options {
		it.Options[i].Label = show(it.Options[i].Label)
		it.Options[i].Group = show(it.Options[i].Group)
	}
}

// appendOptions writes the options of a select: those of a group in parentheses
// behind its label and a colon.
func appendOptions(dst []byte, options []Option, more int) []byte {
	dst = append(dst, " (options:"...)
	group := ""
	for i, o := range options {
		if o.Group != group && group != "" {
			dst = append(dst, ')')
		}
		if i > 0 {
			dst = append(dst, " |"...)
		}
		dst = append(dst, ' ')
		if o.Group != group && o.Group != "" {
			dst = appendOption(dst, o.Group)
			dst = append(dst, ": ("...)
		}
		group = o.Group
		dst = appendOption(dst, o.Label)
		if o.Disabled {
			dst = append(dst, " (disabled)"...)
		}
	}
	if group != "" {
		dst = append(dst, ')')
	}
	if more > 0 {
		if len(options) > 0 {
			dst = append(dst, " |"...)
		}
		dst = append(dst, " … "...)
		dst = appendCount(dst, more)
		dst = append(dst, " more"...)
	}
	return append(dst, ')')
}

// appendOption writes a label, in quotes where it could be taken for a group's.
func appendOption(dst []byte, label string) []byte {
	return appendAtom(dst, label, strings.HasSuffix(label, ":"))
}

// options reads what appendOptions writes.
func (p *lineParser) options(it *Item) {
	p.expect(":")
	group := ""
	for p.err == nil {
		p.expect(" ")
		if p.accept("… ") {
			it.MoreOptions = p.count()
			p.expect(" more")
			return
		}
		label, more := p.option()
		if more {
			if group != "" || label == "" {
				p.fail("a group in a group, or without a label")
			}
			group = label
			label, _ = p.option()
		}
		o := Option{Label: label, Group: group}
		o.Disabled = p.accept(" (disabled)")
		it.Options = append(it.Options, o)
		if group != "" && p.accept(")") {
			group = ""
		}
		if !p.accept(" |") {
			return
		}
	}
}

// option reads a label, and the parenthesis of the group that it is of.
func (p *lineParser) option() (label string, group bool) {
	if strings.HasPrefix(p.rest, `"`) {
		label, _ = p.quoted()
		return label, p.accept(": (")
	}
	n := strings.IndexAny(p.rest, "|()")
	if n < 0 {
		p.fail("unclosed parenthesis")
		return "", false
	}
	label = p.rest[:n]
	if p.rest[n] == '(' && strings.HasSuffix(label, ": ") {
		p.rest = p.rest[n+1:]
		return strings.TrimSuffix(label, ": "), true
	}
	if p.rest[n] != ')' {
		label = strings.TrimSuffix(label, " ")
	}
	p.rest = p.rest[len(label):]
	return label, false
}

package accessibility

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// optionLabels returns the labels alone.
func optionLabels(options []Option) []string {
	labels := make([]string, len(options))
	for i := range options {
		labels[i] = options[i].Label
	}
	return labels
}

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

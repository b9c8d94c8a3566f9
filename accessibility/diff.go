package accessibility

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Changes are the difference between two snapshots of a page. Nodes belong to
// the snapshots that they come from.
type Changes struct {
	Before, After *Snapshot

	// NewDocument reports that the main frame shows another document, so that
	// nothing of the old one is left.
	NewDocument bool

	Added   []*Node  // in After, in its order
	Removed []*Node  // in Before, in its order
	Changed []Change // in the order of After
}

// A Change is a node whose line has changed.
type Change struct{ Before, After *Node }

// Diff compares two snapshots. A node is the same if it was made of the same
// element or text; it has changed if its line has, but for its indentation.
// Moving alone is no change. Either snapshot may be nil.
func Diff(before, after *Snapshot) *Changes {
	c := &Changes{Before: before, After: after}
	var from, to []Node
	if before != nil {
		from = before.Nodes
	}
	if after != nil {
		to = after.Nodes
	}
	docs := c.documents()
	var index map[nodeKey]int32
	if before != nil && len(docs) > 0 {
		index = before.index()
	}
	kept := make([]bool, len(from))
	var a, b Item
	var left, right []byte
	for i := range to {
		n := &to[i]
		doc, ok := docs[n.doc]
		k := int32(-1)
		if ok {
			if k, ok = index[nodeKey{doc, n.Source.Node}]; ok && kept[k] {
				ok = false // the same id twice
			}
		}
		if !ok {
			c.Added = append(c.Added, n)
			continue
		}
		kept[k] = true
		old := &from[k]
		if equalNodes(old, n) {
			continue
		}
		a.show(old, &before.opts, false)
		b.show(n, &after.opts, false)
		a.Depth, b.Depth = 0, 0
		left, right = appendItem(left[:0], &a), appendItem(right[:0], &b)
		if string(left) != string(right) || old.Name != n.Name || old.Value != n.Value {
			c.Changed = append(c.Changed, Change{old, n})
		}
	}
	for i := range from {
		if !kept[i] {
			c.Removed = append(c.Removed, &from[i])
		}
	}
	return c
}

// documents maps documents of After to the same ones of Before, and notes
// whether the main one is another.
func (c *Changes) documents() map[int32]int32 {
	m := map[int32]int32{}
	if c.Before == nil || c.After == nil {
		return m
	}
	to := c.After.Capture.Documents
	for i := range to {
		if k, ok := c.Before.document(driver.NodeRef{Frame: to[i].Frame, Doc: to[i].Doc}); ok {
			m[int32(i)] = k
		} else if i == 0 && len(c.Before.Capture.Documents) > 0 {
			c.NewDocument = true
		}
	}
	return m
}

// equalNodes reports whether two nodes surely have the same line, at little cost. Of
// others the lines have to be compared.
func equalNodes(a, b *Node) bool {
	if a.Cells != nil || b.Cells != nil || a.Options != nil || b.Options != nil || a.Scroll != nil || b.Scroll != nil ||
		a.Counts != nil || b.Counts != nil {
		return false
	}
	return a.Role == b.Role && a.Name == b.Name && a.Value == b.Value && a.States == b.States && a.Ref == b.Ref && a.URL == b.URL &&
		a.Description == b.Description && a.Placeholder == b.Placeholder && a.InvalidMessage == b.InvalidMessage &&
		a.Heading == b.Heading && a.Min == b.Min && a.Max == b.Max && a.Interactive == b.Interactive && a.Header == b.Header &&
		a.Password == b.Password && a.Covered == b.Covered && a.Link == b.Link
}

// Empty reports whether nothing is different.
func (c *Changes) Empty() bool {
	return !c.NewDocument && len(c.Added) == 0 && len(c.Removed) == 0 && len(c.Changed) == 0
}

// String writes all changes.
func (c *Changes) String() string { return c.Outline(0) }

// Outline writes the changes, one line each, in the form of an outline's lines:
// "+ " before what is new, indented as it is nested; "~ " before what has
// changed; "- " before what is gone, the top of what is gone together alone.
// maxTokens bounds it by the estimate of [Tokens], 0 is no limit; what is left
// out is counted. Without changes it is empty.
func (c *Changes) Outline(maxTokens int) string {
	lines := c.lines(false)
	if text := strings.Join(lines, ""); maxTokens <= 0 || Tokens(text) <= maxTokens {
		return text
	}
	return fit(c.lines(true), maxTokens)
}

// lines writes a line for each change that is worth one.
func (c *Changes) lines(brief bool) []string {
	var lines []string
	if c.NewDocument {
		lines = append(lines, "another document\n")
	}
	var it Item
	write := func(s *Snapshot, mark string, n *Node, depth int) {
		it.show(n, &s.opts, brief)
		it.Depth = depth
		lines = append(lines, string(append(appendItem([]byte(mark), &it), '\n')))
	}
	for _, ch := range c.Changed {
		write(c.After, "~ ", ch.After, 0)
	}
	added := make(map[int32]int, len(c.Added)) // depths, by index
	for _, n := range c.Added {
		depth := 0
		if up, ok := added[n.Parent]; ok && n.Parent >= 0 {
			depth = min(up+1, MaxDepth)
		}
		added[n.index] = depth
		write(c.After, "+ ", n, depth)
	}
	if c.NewDocument { // all of the old one is gone
		return lines
	}
	end := int32(-1)
	for _, n := range c.Removed {
		if n.index < end {
			continue
		}
		end = n.End
		write(c.Before, "- ", n, 0)
	}
	return lines
}

// fit joins lines, as many of the first as there is room for.
func fit(lines []string, maxTokens int) string {
	total := 0
	for _, l := range lines {
		total += weigh(l)
	}
	limit := maxTokens * unit
	kept, rest := len(lines), ""
	for total > limit && kept > 0 {
		kept--
		total -= weigh(lines[kept]) + weigh(rest)
		rest = string(appendCount([]byte("… "), len(lines)-kept)) + " more changes\n"
		total += weigh(rest)
	}
	if total > limit {
		return ""
	}
	return strings.Join(lines[:kept], "") + rest
}

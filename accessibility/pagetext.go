package accessibility

import "strings"

// Text returns what the page says, as text for a reader: names of elements
// and text in reading order, a line for each block, nothing shortened and
// nothing added but the values of controls behind their names.
func (s *Snapshot) Text() string {
	var b strings.Builder
	size := 0
	for i := range s.Nodes {
		size += len(s.Nodes[i].Name) + len(s.Nodes[i].Value) + 1
	}
	b.Grow(size)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Name == "" && n.Value == "" || n.Role == "document" && n.Parent < 0 {
			continue
		}
		if b.Len() > 0 {
			if n.broken || n.Role != "text" && n.Role != "link" {
				b.WriteByte('\n')
			} else if !n.tight {
				b.WriteByte(' ')
			}
		}
		b.WriteString(n.Name)
		if n.Value != "" && n.Value != n.Name {
			if n.Name != "" {
				b.WriteString(": ")
			}
			b.WriteString(n.Value)
		}
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

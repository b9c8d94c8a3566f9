package accessibility

import (
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// XPath returns the deep XPath of a node's [Node.Target], as
//
//	xpath=/html[1]/body[1]/iframe[1]/html[1]/body[1]/my-card[1]//div[1]/button[1]
//
// Every step has its index. Behind the owner element of a frame the path goes
// on with the frame's own document; "//" leads from a shadow host into its
// shadow root. [SplitSelector] takes it apart again. Elements outside HTML, and
// those whose name XPath cannot write, are named as *[name()='svg'][1] and *[7].
//
// The path counts in the tree that the page's author wrote, in which a slotted
// element is a child of its host. Two things are not in a capture: children of a
// host that no slot takes, and the order of those in different slots. Beside such
// siblings an index can be wrong, so a caller that relies on a path has to
// resolve it once and compare.
func (s *Snapshot) XPath(n *Node) string {
	path, _ := s.PathTo(n.Target)
	return path
}

// PathTo returns the deep XPath of a captured node, shown or not. Text stands
// for the element around it.
func (s *Snapshot) PathTo(ref driver.NodeRef) (string, bool) {
	doc, ok := s.document(ref)
	if !ok {
		return "", false
	}
	at, ok := s.captured(doc, ref.Node)
	if !ok {
		return "", false
	}
	var steps []string // from the node up
	for {
		d := &s.Capture.Documents[doc]
		for at = holder(d, at); d.Nodes[at].Kind == driver.ElementNode; {
			step, up, shadow := lightStep(d, at)
			steps = append(steps, step)
			if shadow {
				steps = append(steps, "/") // the second slash of the hop
			}
			if up < 0 {
				break
			}
			at = up
		}
		if doc, at, ok = owner(s.Capture, doc); !ok {
			break
		}
	}
	var b strings.Builder
	b.WriteString("xpath=")
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i] != "/" {
			b.WriteByte('/')
		}
		b.WriteString(steps[i])
	}
	if len(steps) == 0 {
		b.WriteByte('/')
	}
	return b.String(), true
}

// lightStep returns an element's step, its parent in the light tree (-1 for
// none), and whether the way there leads out of a shadow root.
func lightStep(d *driver.Document, at int32) (step string, up int32, shadow bool) {
	up, shadow = lightParent(d, at)
	n := &d.Nodes[at]
	named := xpathName(n.Name)
	place := 1
	for i := max(up, 0) + 1; i < at; i++ { // siblings before it stand there in the flat tree, too
		m := &d.Nodes[i]
		if m.Kind != driver.ElementNode || m.Host != n.Host {
			continue
		}
		if named && (m.Name != n.Name || n.Namespace == driver.HTML && m.Namespace != driver.HTML) {
			continue
		}
		if p, s := lightParent(d, i); p == up && s == shadow {
			place++
		}
	}
	index := "[" + strconv.Itoa(place) + "]"
	switch {
	case !named:
		return "*" + index, up, shadow
	case n.Namespace != driver.HTML:
		return "*[name()='" + n.Name + "']" + index, up, shadow
	}
	return n.Name + index, up, shadow
}

// lightParent returns an element's parent in the tree that the author wrote:
// a slotted element's is the host of the shadow tree that its slot is in. It is
// -1 for the top of a document. shadow reports that the parent is a host
// and the element is at the top of its shadow root.
func lightParent(d *driver.Document, at int32) (up int32, shadow bool) {
	n := &d.Nodes[at]
	up = n.Parent
	if up < 0 || up >= at {
		return -1, false
	}
	switch host := d.Nodes[up].Host; {
	case n.Host == up:
		return up, true
	case n.Host != host && host >= 0 && host < up: // slotted
		return host, false
	}
	return up, false
}

// xpathName reports whether an element's name can be written as a step.
func xpathName(name string) bool {
	for i := range len(name) {
		switch b := name[i]; {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b == '_':
		case i > 0 && (b >= '0' && b <= '9' || b == '-'):
		default:
			return false
		}
	}
	return name != ""
}

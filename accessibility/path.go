package accessibility

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// DeepPath reports whether a selector has the form of [Snapshot.XPath]. A fingerprint
// beside it says what the element is, and the path only where it stood.
func DeepPath(selector string) bool { return deepPath.MatchString(selector) }

var deepPath = regexp.MustCompile(`^xpath=(/html\[1\]|//[\w-]+\[(@id|normalize-space\(\))='[^']*'\]|//(` + strings.Join(landmarks, "|") + `)(/|$))`)

// landmarks are the elements that are landmarks, or stand for one thing, by their name.
var landmarks = []string{"main", "nav", "header", "footer", "aside", "form", "search", "dialog"}

// anchors are what tells elements of one document apart from all others in it: how
// many have an id, are a landmark of that name, and are a heading with that text, by
// the step that names them; and by element, the heading right in it.
type anchors struct {
	count map[string]int
	head  map[int32]string
}

func anchorsOf(d *driver.Document) anchors {
	a := anchors{count: map[string]int{}, head: map[int32]string{}}
	if d.XML {
		return a
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		for _, step := range anchorSteps(n) {
			a.count[step]++
		}
		// A heading of one text, by its name, with the text as XPath compares it.
		if n.Kind != driver.TextNode || n.Host >= 0 || i == 0 || n.Parent != int32(i-1) {
			continue
		}
		h := &d.Nodes[n.Parent]
		alone := i+1 == len(d.Nodes) || d.Nodes[i+1].Parent < n.Parent
		text := collapse(n.Text)
		if len(h.Name) == 2 && h.Name[0] == 'h' && h.Name[1] >= '1' && h.Name[1] <= '6' && alone && h.Namespace == driver.HTML && h.Parent >= 0 && anchorWord(text) {
			step := h.Name + "[normalize-space()='" + text + "']"
			a.count[step]++
			a.head[h.Parent] = step
		}
	}
	return a
}

// anchorWord reports whether an id or a text can stand in an anchor.
func anchorWord(text string) bool {
	return text != "" && len(text) <= 40 && !strings.ContainsAny(text, "0123456789'\"\\:%")
}

// anchorSteps are the steps that name an element by its id, and as a landmark.
func anchorSteps(n *driver.Node) (steps []string) {
	if n.Kind != driver.ElementNode || n.Host >= 0 || n.Namespace != driver.HTML || !xpathName(n.Name) {
		return nil
	}
	if id, ok := n.Attr("id"); ok && anchorWord(id) {
		steps = append(steps, n.Name+"[@id='"+id+"']")
	}
	if slices.Contains(landmarks, n.Name) {
		steps = append(steps, n.Name)
	}
	return steps
}

// of returns the beginning of a path at an element, "" if it is no anchor.
func (a anchors) of(d *driver.Document, at int32) string {
	for _, step := range anchorSteps(&d.Nodes[at]) {
		if a.count[step] == 1 {
			return step
		}
	}
	if step := a.head[at]; step != "" && a.count[step] == 1 && d.Nodes[at].Host < 0 {
		return step + "/.."
	}
	return ""
}

// A pathStep is one step of a deep XPath.
type pathStep struct {
	element *driver.Node
	place   int32
	shadow  bool // leads out of a shadow host into its shadow root
	xml     bool // stands in an XML document

	anchor string // in the place of the rest: how the element is found in its document
}

func (s pathStep) append(path []byte) []byte {
	path = append(path, '/')
	if s.anchor != "" {
		return append(append(path, '/'), s.anchor...)
	}
	if s.shadow {
		path = append(path, '/')
	}
	n := s.element
	switch {
	case !xpathName(n.Name):
		path = append(path, '*')
	case n.Namespace != driver.HTML || s.xml:
		path = append(append(append(path, "*[name()='"...), n.Name...), "']"...)
	default:
		path = append(path, n.Name...)
	}
	path = strconv.AppendInt(append(path, '['), int64(s.place), 10)
	return append(path, ']')
}

// A locator finds the nodes of a capture by their ids, and their places among
// their siblings. It searches, until the searches together have cost more than
// tables do; from then on it looks both up, so that the paths of all nodes of a
// page take time linear in the page. It is safe for concurrent use.
type locator struct {
	capture *driver.Capture
	scanned atomic.Int64 // nodes that searches have looked at
	patient int64        // how many nodes may be, before there are tables

	ids    func() []map[driver.NodeID]int32 // of each document; the first of two nodes wins
	places func() [][]int32                 // of each document: of each element, from 1

	anchors func() []anchors // of each document
}

// searchesBeforeTables is how many times the searches may look at all of a
// page. Most snapshots are asked for a handful of paths.
const searchesBeforeTables = 4

func newLocator(c *driver.Capture) *locator {
	l := &locator{capture: c}
	for i := range c.Documents {
		l.patient += searchesBeforeTables * int64(len(c.Documents[i].Nodes))
	}
	l.ids, l.places, l.anchors = ofEach(c, idTable), ofEach(c, placeTable), ofEach(c, anchorsOf)
	return l
}

// ofEach makes a table of each document, when it is first asked for.
func ofEach[T any](c *driver.Capture, table func(*driver.Document) T) func() []T {
	return sync.OnceValue(func() []T {
		all := make([]T, len(c.Documents))
		for i := range all {
			all[i] = table(&c.Documents[i])
		}
		return all
	})
}

// find returns the index of a node in its document. 0 names the document node.
func (l *locator) find(doc int32, id driver.NodeID) (int32, bool) {
	nodes := l.capture.Documents[doc].Nodes
	if id == 0 {
		return 0, len(nodes) > 0
	}
	if l.scanned.Load() >= l.patient {
		i, ok := l.ids()[doc][id]
		return i, ok
	}
	for i := range nodes {
		if nodes[i].ID == id {
			l.scanned.Add(int64(i) + 1)
			return int32(i), true
		}
	}
	l.scanned.Add(int64(len(nodes)))
	return 0, false
}

// place returns the number in an element's step.
func (l *locator) place(doc, at int32) int32 {
	if l.scanned.Load() >= l.patient {
		return l.places()[doc][at]
	}
	d := &l.capture.Documents[doc]
	up, _ := lightParent(d, at)
	l.scanned.Add(int64(at - max(up, 0)))
	return placeOf(d, at)
}

func idTable(d *driver.Document) map[driver.NodeID]int32 {
	table := make(map[driver.NodeID]int32, len(d.Nodes))
	for i := len(d.Nodes) - 1; i >= 0; i-- {
		table[d.Nodes[i].ID] = int32(i)
	}
	return table
}

// placeOf counts which of its siblings an element is, among those that its step
// could mean: of its name if XPath can write that, else all.
func placeOf(d *driver.Document, at int32) int32 {
	up, shadow := lightParent(d, at)
	n := &d.Nodes[at]
	named := xpathName(n.Name)
	place := int32(1)
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
	return place
}

// placeTable is placeOf for all elements of a document.
func placeTable(d *driver.Document) []int32 {
	type siblings struct {
		up, host int32 // which tell whether the way up leads out of a shadow root, too
		name     string
		html     bool // only those of HTML
	}
	odd, foreign := false, false // elements without a name for XPath, and outside HTML
	for i := range d.Nodes {
		if n := &d.Nodes[i]; n.Kind == driver.ElementNode {
			odd = odd || !xpathName(n.Name)
			foreign = foreign || n.Namespace != driver.HTML
		}
	}
	counts := map[siblings]int32{}
	places := make([]int32, len(d.Nodes))
	for i := range d.Nodes {
		n := &d.Nodes[i]
		if n.Kind != driver.ElementNode {
			continue
		}
		up, _ := lightParent(d, int32(i))
		all := siblings{up: up, host: n.Host}
		named := siblings{up: up, host: n.Host, name: n.Name}
		html := siblings{up: up, host: n.Host, name: n.Name, html: true}
		mine := html
		switch {
		case !xpathName(n.Name):
			mine = all
		case n.Namespace != driver.HTML:
			mine = named
		}
		places[i] = counts[mine] + 1
		if i == 0 {
			continue // a document node stands there, if the capture is sound
		}
		if odd {
			counts[all]++
		}
		if foreign && n.Name != "" {
			counts[named]++
		}
		if n.Namespace == driver.HTML {
			counts[html]++
		}
	}
	return places
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

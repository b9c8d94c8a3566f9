package accessibility

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility/internal/htmlcapture"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// comparePaths compares the paths by tables with those by searching, for every
// node of a capture.
func comparePaths(t *testing.T, c *driver.Capture) {
	t.Helper()
	searching, looking := newSnapshot(c, nil), newSnapshot(c, nil)
	searching.nodes.patient = 1 << 62
	looking.nodes.patient = 0
	for d := range c.Documents {
		doc := &c.Documents[d]
		refs := []driver.NodeRef{{Frame: doc.Frame, Doc: doc.Doc}, {Frame: doc.Frame, Doc: doc.Doc, Node: -7}}
		for i := range doc.Nodes {
			refs = append(refs, doc.Ref(int32(i)))
		}
		for _, ref := range refs {
			got, ok := looking.PathTo(ref)
			want, found := searching.PathTo(ref)
			if got != want || ok != found {
				t.Fatalf("PathTo(%v) = %q, %v by tables, %q, %v by searching", ref, got, ok, want, found)
			}
		}
	}
}

func TestPathsByTablesAsBySearching(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 15))
		c := randomCapture(r, r.IntN(120)+1)
		for d := range c.Documents {
			for i := range c.Documents[d].Nodes {
				if r.IntN(5) == 0 {
					c.Documents[d].Nodes[i].Namespace = driver.SVG
				}
			}
		}
		comparePaths(t, c)
	}
	comparePaths(t, htmlcapture.Of(t, nested))
}

// TestPathsAreLinear: the paths of all nodes, however flat the page and
// however far back they stand, look at each node a bounded number of times.
func TestPathsAreLinear(t *testing.T) {
	for _, size := range []int{2000, 20_000} {
		s := Build(htmlcapture.Of(t, strings.Repeat("<p>a<p>b<a href=/>c</a>", size/3)), nil)
		nodes := int64(len(s.Capture.Documents[0].Nodes))
		for i := range s.Nodes {
			s.XPath(&s.Nodes[i])
			s.Nearest(s.Nodes[i].Source)
		}
		if got, most := s.nodes.scanned.Load(), (searchesBeforeTables+1)*nodes; got > most {
			t.Errorf("%d nodes: searches looked at %d nodes, want at most %d", nodes, got, most)
		}
	}
}

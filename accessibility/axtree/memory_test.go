package axtree_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// TestMemoryWebPlatformTests is [TestWebPlatformTests] with the pages opened in
// memory. It needs no Chrome: Chromium's answers are in the vectors. The list of
// exceptions is that of the pages captured in Chrome: the browser in memory adds
// none. The vectors that need nothing but HTML have no exceptions at all.
func TestMemoryWebPlatformTests(t *testing.T) {
	vectors := readVectors(t)
	var plain []vector
	for _, v := range vectors {
		if len(v.Needs) == 0 {
			plain = append(plain, v)
		}
	}
	t.Run("html", func(t *testing.T) { judgeInMemory(t, plain, map[string]string{}) })
	t.Run("all", func(t *testing.T) { judgeInMemory(t, vectors, readExceptions(t, "testdata/wpt-exceptions.txt")) })
}

func judgeInMemory(t *testing.T, vectors []vector, known map[string]string) {
	t.Helper()
	if len(vectors) == 0 {
		t.Fatal("no vectors")
	}
	web := fake.Web{}
	for _, v := range vectors {
		web[addressOf(&v)] = v.HTML
	}
	judge(t, vectors, captureAll(t, openMemory(t, web), vectors, func(ctx context.Context, page driver.Page, v *vector) error {
		_, err := page.Navigate(ctx, addressOf(v), nil)
		return err
	}), known, yardstick{leastAgreement, t.Errorf})
}

func addressOf(v *vector) string { return "http://vectors.test/" + v.ID }

// TestMemoryOracle is [TestOracle] with the corpus opened in memory: the
// objects computed from there are compared with the tree of Chrome, which has
// opened the same corpus. The list of exceptions is the same as well.
func TestMemoryOracle(t *testing.T) {
	files, err := filepath.Glob("testdata/oracle/*.html")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	corpus := http.FileServer(http.Dir("testdata/oracle"))
	site := httptest.NewServer(corpus)
	defer site.Close()
	scripts := map[string]func(*fake.Document){"*": func(*fake.Document) {}} // noscript stays hidden, as in Chrome
	browser := openChrome(t)
	chrome, memory := browser.Pages()[0], openMemory(t, fake.New(fake.Options{Handler: corpus, Scripts: scripts})).Pages()[0]
	c := oracle(t, browser)
	for _, file := range files {
		name := filepath.Base(file)
		there, here := captureOf(t, chrome, site.URL+"/"+name), captureOf(t, memory, site.URL+"/"+name)
		if len(here.Documents) != len(there.Documents) {
			t.Fatalf("%s has %d documents, want %d", name, len(here.Documents), len(there.Documents))
		}
		tree := axtree.Compute(here)
		for i := range here.Documents {
			numbers := pair(t, name, &there.Documents[i], &here.Documents[i])
			var want []axNode
			for _, n := range chromeTree(t, chrome, there.Documents[i].Frame) {
				id, ok := numbers[n.Node]
				if !ok {
					continue // within a control
				}
				if id < 0 && !n.Ignored {
					t.Errorf("%s: nothing in memory is the %s %q of a pseudo-element", name, n.Role.text(), n.Name.text())
				}
				n.Node = id
				want = append(want, n)
			}
			c.frame(name, tree, memory.Frames()[i], want)
		}
	}
	c.end()
}

// openMemory opens a browser in memory.
func openMemory(t *testing.T, d driver.Driver) driver.Browser {
	t.Helper()
	b, err := d.Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// captureOf opens an address and captures the page.
func captureOf(t *testing.T, page driver.Page, url string) *driver.Capture {
	t.Helper()
	if _, err := page.Navigate(t.Context(), url, nil); err != nil {
		t.Fatal(err)
	}
	c, err := page.Capture(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// pair maps the nodes of one capture of a document to those of another, by their
// order. It fails the test if elements or texts differ.
func pair(t *testing.T, file string, from, to *driver.Document) map[driver.NodeID]driver.NodeID {
	t.Helper()
	a, b := places(from), places(to)
	for i := range min(len(a), len(b)) {
		if x, y := a[i], b[i]; x.Kind != y.Kind || x.Name != y.Name || x.Text != y.Text {
			t.Fatalf("%s: node %d is %q %q, want %q %q", file, i, y.Name, y.Text, x.Name, x.Text)
		}
	}
	if len(a) != len(b) {
		t.Fatalf("%s has %d elements and texts, want %d", file, len(b), len(a))
	}
	numbers := map[driver.NodeID]driver.NodeID{from.Nodes[0].ID: to.Nodes[0].ID}
	for i := range a {
		numbers[a[i].ID] = b[i].ID
	}
	pseudos := pseudoElements(to)
	for place, id := range pseudoElements(from) {
		if other, ok := pseudos[place]; ok {
			numbers[id] = other
		} else {
			numbers[id] = -id // one that only Chrome has
		}
	}
	return numbers
}

// places are the elements and texts of a document, in order.
func places(d *driver.Document) []*driver.Node {
	var list []*driver.Node
	for i := range d.Nodes {
		if n := &d.Nodes[i]; n.Kind == driver.ElementNode || n.Kind == driver.TextNode {
			list = append(list, n)
		}
	}
	return list
}

// pseudoElements are the pseudo-elements by name and number of their element.
func pseudoElements(d *driver.Document) map[string]driver.NodeID {
	found := make(map[string]driver.NodeID)
	number := make(map[int32]int)
	for i := range d.Nodes {
		switch n := &d.Nodes[i]; n.Kind {
		case driver.ElementNode:
			number[int32(i)] = len(number)
		case driver.PseudoNode:
			found[fmt.Sprint(number[n.Parent], n.Name)] = n.ID
		}
	}
	return found
}

package axtree_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
)

// The rules of this package are those of Chromium 156. Of its answers,
// leastOracle is the share of the objects of the corpus that must equal ours in
// every respect, and each difference has to be listed. What other versions answer
// differs by their own rules (148 keeps the space of a label in a name, gives an
// orphaned option its role, and has no reference targets), so of theirs a little
// less is asked, and their differences are logged. What we compute is the same with
// all of them.
const (
	followedVersion = "156"
	leastOracle     = 0.99
	leastOther      = 0.98
)

// A yardstick is how strictly a browser's answers are held against ours.
type yardstick struct {
	least  float64                            // the share that must agree
	report func(format string, values ...any) // takes what differs, or is listed and does not
}

// measure returns the yardstick for a browser, of whose answers a share must agree
// if its version is the one that is followed.
func measure(t *testing.T, browser driver.Browser, least float64) yardstick {
	if _, version, _ := strings.Cut(browser.Version(), "/"); strings.HasPrefix(version, followedVersion+".") {
		return yardstick{least, t.Errorf}
	}
	t.Logf("%s is not the version whose rules are followed, %s: its differences are no errors", browser.Version(), followedVersion)
	return yardstick{leastOther, t.Logf}
}

// oracle returns a comparison with the answers of a browser.
func oracle(t *testing.T, browser driver.Browser) *comparison {
	return &comparison{t: t, known: readExceptions(t, "testdata/oracle-exceptions.txt"), yardstick: measure(t, browser, leastOracle)}
}

// TestOracle compares every object of the corpus in testdata/oracle with the
// accessibility tree of the Chrome that is running: whether it is shown, role,
// name, description, value, states. Known differences are listed in
// testdata/oracle-exceptions.txt; the list is as strict as that of
// [TestWebPlatformTests].
func TestOracle(t *testing.T) {
	files, err := filepath.Glob("testdata/oracle/*.html")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	browser := openChrome(t)
	site := httptest.NewServer(http.FileServer(http.Dir("testdata/oracle")))
	defer site.Close()
	page := browser.Pages()[0]
	c := oracle(t, browser)
	for _, file := range files {
		name := filepath.Base(file)
		if _, err := page.Navigate(t.Context(), site.URL+"/"+name, nil); err != nil {
			t.Fatal(err)
		}
		capture, err := page.Capture(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		tree := axtree.Compute(capture)
		for _, f := range page.Frames() {
			c.frame(name, tree, f, chromeTree(t, page, f.ID))
		}
	}
	c.end()
}

// An axNode is an object as Accessibility.getFullAXTree gives it.
type axNode struct {
	Ignored     bool     `json:"ignored"`
	Role        *axValue `json:"role"`
	Name        *axValue `json:"name"`
	Description *axValue `json:"description"`
	Value       *axValue `json:"value"`
	Properties  []struct {
		Name  string  `json:"name"`
		Value axValue `json:"value"`
	} `json:"properties"`
	Node driver.NodeID `json:"backendDOMNodeId"`
}

type axValue struct {
	Value any `json:"value"`
}

func (v *axValue) text() string {
	if v == nil {
		return ""
	}
	return text(v.Value)
}

func chromeTree(t *testing.T, page driver.Page, frame driver.FrameID) []axNode {
	t.Helper()
	var reply struct {
		Nodes []axNode `json:"nodes"`
	}
	params := map[string]any{"frameId": frame}
	if err := cdp.Send(t.Context(), page, frame, "Accessibility.getFullAXTree", params, &reply); err != nil {
		t.Fatal(err)
	}
	return reply.Nodes
}

// A comparison counts the objects that equal Chrome's.
type comparison struct {
	t     *testing.T
	known map[string]string

	yardstick

	agreed, total, elements int
}

// end logs how many objects agree, and fails the test if they are too few.
func (c *comparison) end() {
	c.t.Helper()
	for key := range c.known {
		c.report("%s is listed as an exception, and is none", key)
	}
	c.t.Logf("%d of %d objects (%d elements) agree in everything (%.2f %%)", c.agreed, c.total, c.elements, 100*float64(c.agreed)/float64(c.total))
	if c.elements < 400 {
		c.t.Errorf("the corpus has %d elements, want 400", c.elements)
	}
	if float64(c.agreed) < c.least*float64(c.total) {
		c.t.Errorf("that is less than %v", c.least)
	}
}

// frame compares one frame's objects, both ways.
func (c *comparison) frame(file string, tree *axtree.Tree, f driver.Frame, want []axNode) {
	chrome := map[driver.NodeID]*axNode{}
	for i := range want {
		if n := &want[i]; n.Role.text() != "InlineTextBox" {
			chrome[n.Node] = n
		}
	}
	tags := map[string]int{}
	for i := range tree.Objects {
		o := &tree.Objects[i]
		d := &tree.Capture.Documents[o.Doc]
		if d.Frame != f.ID {
			continue
		}
		n := &d.Nodes[o.Node]
		tag := n.Name
		if n.Kind == driver.TextNode {
			tag = "#text"
		}
		tags[tag]++
		key := fmt.Sprintf("%s %s %d", file, tag, tags[tag])
		if f.Ordinal > 0 {
			key = fmt.Sprintf("%s frame %s %d", file, tag, tags[tag])
		}
		a := chrome[n.ID]
		if a == nil && o.Ignored || n.Kind == driver.PseudoNode && (a == nil || a.Ignored) {
			continue // Chrome has no object for it either
		}
		c.total++
		if n.Kind == driver.ElementNode {
			c.elements++
		}
		diff := "shown, and Chromium has no object of it"
		if a != nil {
			diff = c.diff(o, a)
		}
		reason, listed := c.known[key]
		switch {
		case diff == "":
			c.agreed++
			if listed {
				c.report("%s: listed as an exception (%s), and agrees", key, reason)
			}
		case !listed:
			c.report("%s: %s", key, diff)
		}
		delete(c.known, key)
	}
}

// diff describes how an object differs from Chrome's; "" if it does not.
func (c *comparison) diff(o *axtree.Object, a *axNode) string {
	if o.Ignored != a.Ignored {
		return fmt.Sprintf("ignored = %v, want %v (%s %q)", o.Ignored, a.Ignored, a.Role.text(), a.Name.text())
	}
	if o.Ignored {
		return ""
	}
	props := map[string]any{}
	for _, p := range a.Properties {
		props[p.Name] = p.Value.Value
	}
	t := tally{}
	t.add("", "role", o.Role, chromiumRole(a.Role.text()))
	t.add("", "name", o.Name, a.Name.text())
	t.add("", "description", o.Description, a.Description.text())
	if !sameNumber(o.Value, a.Value.text()) {
		t.add("", "value", o.Value, a.Value.text())
	}
	t.states("", o, props)
	all := ""
	for _, counted := range t {
		for _, e := range counted.examples {
			all += e + "; "
		}
	}
	return all
}

// sameNumber reports whether two texts are the same, or the same number in the
// single precision that Chrome computes with.
func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	x, err := strconv.ParseFloat(a, 64)
	if err != nil {
		return false
	}
	y, err := strconv.ParseFloat(b, 64)
	return err == nil && math.Abs(x-y) <= 1e-6*math.Abs(y)
}

// TestOracleExceptionsAreFew bounds the lists of exceptions.
func TestOracleExceptionsAreFew(t *testing.T) {
	for path, most := range map[string]int{"testdata/wpt-exceptions.txt": 20, "testdata/oracle-exceptions.txt": 12} {
		if list := readExceptions(t, path); len(list) > most {
			t.Errorf("%s has %d lines, at most %d are allowed", path, len(list), most)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

package accessibility

import (
	"flag"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/accessibility/internal/htmlcapture"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// randomCapture makes a capture that may contradict itself in every way that
// its types allow.
func randomCapture(r *rand.Rand, size int) *driver.Capture {
	names := []string{"html", "body", "div", "a", "button", "input", "label", "select", "option", "table", "tr", "td", "th", "ul", "li", "h1", "slot", "iframe", "svg", "textarea", "br", "form", "fieldset", "legend", "p", "x-a", "", "ſ\"'"}
	attrs := []string{"id", "for", "href", "role", "aria-label", "aria-labelledby", "aria-owns", "aria-describedby", "aria-hidden", "tabindex", "type", "contenteditable", "list", "title", "placeholder", "alt", "name"}
	values := []string{"", "a", "b", "button", "row", "cell", "listitem", "heading", "table", "true", "0", "a b c", "checkbox", "radio", "\n[0-1] button: x", "../%zz", "https://x.test", "none", "textbox", "\xff", "grid", "treeitem"}
	texts := []string{"", " ", "\n", "text", "a\u202e", " lead", "trail ", "…", "\xff", "x | y"}
	style := []*driver.Style{nil, {Display: "block"}, {Display: "inline", Cursor: "pointer"}, {Display: "inline-block"}, {Display: "table-cell"}, {Display: "contents", Visibility: "hidden"}}
	index := func() int32 { return int32(r.IntN(size+4)) - 2 }
	pick := func(s []string) string { return s[r.IntN(len(s))] }
	c := &driver.Capture{Viewport: driver.Size{Width: 800, Height: 600}}
	for d := range 1 + r.IntN(3) {
		doc := driver.Document{Frame: driver.FrameID(pick(values)), Doc: "d", Ordinal: r.IntN(3), URL: pick(values), BaseURL: pick(values),
			OwnerDocument: int32(r.IntN(4)) - 1, Owner: index(), Active: index(), ScrollY: r.Float64() * 9, Content: driver.Size{Height: 1e4 * r.Float64()}}
		if d == 0 && r.IntN(2) == 0 {
			doc.OwnerDocument = -1
		}
		for i := range r.IntN(size + 1) {
			n := driver.Node{ID: driver.NodeID(r.IntN(size + 1)), Parent: int32(max(i-1-r.IntN(3), 0)), Host: -1, Kind: driver.NodeKind(r.IntN(6)), Name: pick(names),
				Text: pick(texts), Shown: pick(texts), Value: pick(texts), HasValue: r.IntN(3) == 0, Checked: r.IntN(3) == 0, Clickable: r.IntN(5) == 0,
				Rendered: r.IntN(9) > 0, Style: style[r.IntN(len(style))], Selected: r.IntN(4) == 0}
			if r.IntN(3) > 0 && n.Kind != driver.TextNode {
				n.Kind = driver.ElementNode
			}
			if r.IntN(12) == 0 {
				n.Parent = index()
			}
			if r.IntN(6) == 0 {
				n.Host = index()
			}
			if i == 0 && r.IntN(3) > 0 {
				n.Kind, n.Parent = driver.DocumentNode, -1
			}
			for range r.IntN(4) {
				n.Attrs = append(n.Attrs, driver.Attr{Name: pick(attrs), Value: pick(values)})
			}
			if r.IntN(10) == 0 {
				n.Rare = &driver.Rare{Invalid: pick(texts), Scroll: &driver.ScrollState{Y: r.Float64() * 9, MaxY: math.NaN()}, References: map[string][]driver.NodeID{"aria-labelledby": {driver.NodeID(r.IntN(size + 1))}}}
			}
			doc.Nodes = append(doc.Nodes, n)
		}
		c.Documents = append(c.Documents, doc)
	}
	return c
}

// randomTree makes a tree that contradicts itself and its capture.
func randomTree(r *rand.Rand, size int) *axtree.Tree {
	t := &axtree.Tree{Capture: randomCapture(r, size)}
	var roles []Role
	for _, role := range []string{"generic", "none", "", "row", "cell", "table", "button", "link", "list", "listitem", "heading", "textbox", "text", "group", "evil role", "image", "rootwebarea"} {
		roles = append(roles, Role(role))
	}
	names := []string{"", "a", "text", " x ", "x | y", "lead text trail"}
	for i := range r.IntN(size * 2) {
		t.Objects = append(t.Objects, axtree.Object{Doc: int32(r.IntN(4)) - 1 + int32(r.IntN(2)), Node: int32(r.IntN(size+2)) - 1, Parent: int32(r.IntN(size)) - 1,
			End: int32(i + r.IntN(size/2+1) - 1), Role: roles[r.IntN(len(roles))], Name: names[r.IntN(len(names))], Value: names[r.IntN(len(names))],
			Description: names[r.IntN(len(names))], Ignored: r.IntN(4) == 0, Hidden: r.IntN(6) == 0,
			States: &States{Editable: r.IntN(9) == 0, Checked: Tristate(r.IntN(4)), Level: r.IntN(8) - 1, Focusable: r.IntN(3) == 0}})
	}
	return t
}

// checkHostile checks what is promised of every snapshot, for one of any capture.
func checkHostile(t *testing.T, s *Snapshot) {
	t.Helper()
	text := s.Outline()
	if s.opts.MaxTokens > 0 && Tokens(text) > s.opts.MaxTokens {
		t.Fatalf("%d tokens, want at most %d", Tokens(text), s.opts.MaxTokens)
	}
	o, err := ParseOutline(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if o.String() != text {
		t.Fatal("not the same again")
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		s.Lookup(n.Ref)
		s.Nearest(n.Source)
		if path := s.XPath(n); path != "" && path != "xpath=/" {
			if _, err := SplitSelector(path); err != nil && !strings.Contains(err.Error(), "more than") {
				t.Fatalf("SplitSelector(XPath) = %v", err)
			}
		}
	}
	_ = s.Text()
	s.Search("text a")
	var nodes []int32
	for i := range s.Nodes {
		nodes = append(nodes, int32(i))
	}
	for i, part := range s.Apart(nodes) {
		s.HeadOfRow(&s.Nodes[i])
		for levels, ok := 0, true; ok; levels++ {
			if first, end := s.Range(part, nodes[i]); first > nodes[i] || end < s.Nodes[i].End {
				t.Fatalf("a part around node %d holds %d to %d", i, first, end)
			}
			s.Beginning(part, &s.Nodes[i])
			s.Out(part, &s.Nodes[i])
			s.Data(part, &s.Nodes[i])
			s.Siblings(part)
			if part, ok = s.Around(part); levels > 10_000 {
				t.Fatal("parts around parts without end")
			}
		}
	}
}

// FuzzBuild: for any capture, Build does not fail, and its outline can be parsed.
func FuzzBuild(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, uint16(10+seed*7), uint16(seed*20))
	}
	f.Fuzz(func(t *testing.T, seed uint64, size, limit uint16) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := randomCapture(r, int(size)%300+1)
		opts := &Options{MaxTokens: int(limit), URLs: seed%2 == 0, MainFrame: seed%3 == 0}
		if len(c.Documents[0].Nodes) > 0 && seed%4 == 0 {
			opts.Scope = []driver.NodeRef{c.Documents[0].Ref(int32(r.IntN(len(c.Documents[0].Nodes))))}
			opts.Ignore = []driver.NodeRef{c.Documents[0].Ref(int32(r.IntN(len(c.Documents[0].Nodes))))}
		}
		s := Build(c, opts)
		checkHostile(t, s)
		if again := Build(c, opts); again.Outline() != s.Outline() {
			t.Fatal("another outline the second time")
		}
		other := Build(randomCapture(r, int(size)%300+1), nil)
		_ = Diff(s, other).Outline(50)
		if !Diff(s, s).Empty() && len(c.Documents) == 1 {
			ids := map[driver.NodeID]int{}
			for i := range c.Documents[0].Nodes {
				ids[c.Documents[0].Nodes[i].ID]++
			}
			for i := range s.Nodes {
				if ids[s.Nodes[i].Source.Node] > 1 {
					return // the same number twice: ambiguous
				}
			}
			t.Fatalf("a snapshot differs from itself:\n%s", Diff(s, s))
		}
	})
}

// FuzzPrune does the same for arbitrary trees.
func FuzzPrune(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(seed, uint16(10+seed*5), uint16(seed*20))
	}
	f.Fuzz(func(t *testing.T, seed uint64, size, limit uint16) {
		tree := randomTree(rand.New(rand.NewPCG(seed, 2)), int(size)%300+2)
		checkHostile(t, build(tree, &Options{MaxTokens: int(limit)}, new(arena)))
	})
}

// deepest is deep enough for quadratic time to be noticed.
var deepest = flag.Int("deepest", 30_000, "how deep elements are nested in TestDeep; a tenth of it where they are dear")

// TestDeep nests many elements, of a kind that has no line, of one that has, and of
// tables.
func TestDeep(t *testing.T) {
	for k, names := range [][]string{{"div"}, {"ul", "li"}, {"table", "tr", "td"}, {"button"}, {"b"}, {"label"}, {"x-a"}} {
		n := int32(*deepest)
		if k >= 2 {
			n /= 10
		}
		c := &driver.Capture{Viewport: driver.Size{Width: 800, Height: 600}, Documents: []driver.Document{{Frame: "f", Doc: "d", OwnerDocument: -1, Owner: -1, Active: -1}}}
		d := &c.Documents[0]
		d.Nodes = append(d.Nodes, driver.Node{ID: 1, Parent: -1, Host: -1, Kind: driver.DocumentNode, Rendered: true})
		for i := range n {
			name := names[int(i)%len(names)]
			display := "block"
			if len(names) == 3 {
				display = []string{"table", "table-row", "table-cell"}[i%3]
			}
			d.Nodes = append(d.Nodes, driver.Node{ID: driver.NodeID(i + 2), Parent: i, Host: -1, Kind: driver.ElementNode, Name: name, Rendered: true,
				Style: &driver.Style{Display: display, Visibility: "visible"}, Box: driver.Rect{Width: 9, Height: 9}})
		}
		d.Nodes = append(d.Nodes, driver.Node{ID: driver.NodeID(n + 2), Parent: n, Host: -1, Kind: driver.TextNode, Text: "bottom", Shown: "bottom", Rendered: true})
		s := Build(c, nil)
		if got := s.Text(); !strings.Contains(got, "bottom") {
			t.Errorf("%v: the text at the bottom is lost: %q", names, shortened(got))
		}
		if got := len(s.Outline()); got > int(n)*(2*MaxDepth+40) {
			t.Errorf("%v: the outline has %d characters", names, got)
		}
		if _, err := ParseOutline(s.Outline()); err != nil {
			t.Errorf("%v: %v", names, err)
		}
		path, _ := s.PathTo(d.Ref(n))
		if got := strings.Count(path, "/"); got != int(n) {
			t.Errorf("%v: the path has %d steps, want %d", names, got, n)
		}
		if got := Tokens(Build(c, &Options{MaxTokens: 100}).Outline()); got > 100 {
			t.Errorf("%v: %d tokens", names, got)
		}
	}
}

// TestLongText: a text of 100 MB makes a line of bounded length, which counts what
// it does not show, and is complete in Text.
func TestLongText(t *testing.T) {
	chrometest.Long(t)
	const size = 100 << 20
	long := strings.Repeat("0123456789abcde ", size/16)
	c := htmlcapture.Of(t, "<p>text<a href=/x>link</a><input aria-label=A>")
	d := &c.Documents[0]
	for i := range d.Nodes {
		switch n := &d.Nodes[i]; {
		case n.Kind == driver.TextNode && n.Text == "text":
			n.Text, n.Shown = long, long
		case n.Name == "input":
			n.Value, n.HasValue = long[:size/100], true
		}
	}
	s := Build(c, nil)
	text := s.Outline()
	if len(text) > 10_000 {
		t.Errorf("the outline has %d characters", len(text))
	}
	if !strings.Contains(text, "… 104,855,599 more characters") {
		t.Errorf("the outline does not say what is missing: %s", shortened(text))
	}
	if got := len(s.Text()); got < size-100 {
		t.Errorf("Text has %d characters", got)
	}
	if got := Tokens(Build(c, &Options{MaxTokens: 300}).Outline()); got > 300 || got < 100 {
		t.Errorf("%d tokens, want at most 300, and some", got)
	}
}

func shortened(s string) string {
	short, _ := shorten(s, 300)
	return short
}

// TestEmptyCapture: an empty capture gives an empty outline.
func TestEmptyCapture(t *testing.T) {
	for _, c := range []*driver.Capture{{}, {Documents: []driver.Document{{}}}, {Documents: []driver.Document{{Nodes: []driver.Node{{}}}}}} {
		s := Build(c, &Options{Scope: []driver.NodeRef{{}}, MaxTokens: 3})
		checkHostile(t, s)
		if _, ok := s.Lookup("0-0x"); ok {
			t.Error("a ref that is none is found")
		}
		if _, ok := s.Nearest(driver.NodeRef{Frame: "f"}); ok {
			t.Error("a node that is none is found")
		}
	}
}

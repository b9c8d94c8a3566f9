package accessibility

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/accessibility/internal/htmlcapture"
	"github.com/wayfinder-engine/wayfinder/driver"
)

func TestOptionsOfBuild(t *testing.T) {
	c := htmlcapture.Of(t, `<title>T</title><main><p>before</p><div id=a><p>in a</p><b id=b>in b</b></div><nav id=c><a href="x?y#z">L</a></nav></main><iframe title=F srcdoc="<p>framed"></iframe>`)
	ref := func(id string) driver.NodeRef {
		for i := range c.Documents[0].Nodes {
			if v, _ := c.Documents[0].Nodes[i].Attr("id"); v == id {
				return c.Documents[0].Ref(int32(i))
			}
		}
		t.Fatalf("no %s", id)
		return driver.NodeRef{}
	}
	frame := c.Documents[1].Root()
	for _, tt := range []struct {
		name string
		opts Options
		want string
	}{
		{"scope", Options{Scope: []driver.NodeRef{ref("a")}}, "text: in a\ntext: in b\n"},
		{"two scopes", Options{Scope: []driver.NodeRef{ref("c"), ref("b")}}, "text: in b\nnavigation\n  link: L\n"},
		{"scope in scope", Options{Scope: []driver.NodeRef{ref("a"), ref("b")}}, "text: in a\ntext: in b\n"},
		{"ignore", Options{Ignore: []driver.NodeRef{ref("a"), ref("c"), frame}}, "document: T\n  main\n    text: before\n  iframe: F\n"},
		{"ignore in scope", Options{Scope: []driver.NodeRef{ref("a")}, Ignore: []driver.NodeRef{ref("b")}}, "text: in a\n"},
		{"frame as scope", Options{Scope: []driver.NodeRef{frame}}, "text: framed\n"},
		{"document by zero", Options{Scope: []driver.NodeRef{{Frame: frame.Frame, Doc: frame.Doc}}}, "text: framed\n"},
		{"main frame", Options{MainFrame: true, Ignore: []driver.NodeRef{ref("a"), ref("c")}}, "document: T\n  main\n    text: before\n  iframe: F\n"},
		{"nothing", Options{Scope: []driver.NodeRef{{Frame: "x", Doc: "y", Node: 1}}}, ""},
		{"urls", Options{URLs: true, Scope: []driver.NodeRef{ref("c")}}, "navigation\n  link: L url=\"https://shop.test/dir/x?y#z\"\n"},
	} {
		s := Build(c, &tt.opts)
		checkSnapshot(t, s)
		var got strings.Builder
		for line := range strings.Lines(s.Outline()) {
			indent, rest, _ := strings.Cut(line, "[")
			_, rest, _ = strings.Cut(rest, "] ")
			got.WriteString(indent + rest)
		}
		if got.String() != tt.want {
			t.Errorf("%s: outline =\n%s\nwant\n%s", tt.name, got.String(), tt.want)
		}
	}
}

// TestWith: With gives the snapshot that Build would have made with the options,
// and does not change the first one.
func TestWith(t *testing.T) {
	c := htmlcapture.Of(t, shopPage(500))
	whole := Build(c, nil)
	before := whole.Outline()
	for _, opts := range []Options{
		{}, {MaxTokens: 300}, {MaxTokens: 1 << 30, URLs: true}, {Mask: strings.ToUpper}, {MaxTokens: 200, URLs: true, Mask: strings.ToUpper},
	} {
		got, want := whole.With(opts), Build(c, &opts)
		if diff := cmp.Diff(want.Outline(), got.Outline()); diff != "" {
			t.Errorf("With(%+v).Outline() (-built +got):\n%s", opts, diff)
		}
		for i := range want.Nodes {
			if _, ok := got.Lookup(want.Nodes[i].Ref); !ok {
				t.Fatalf("With(%+v).Lookup(%q) finds nothing", opts, want.Nodes[i].Ref)
			}
		}
		checkSnapshot(t, got)
	}
	if whole.Outline() != before {
		t.Error("the first snapshot's outline has changed")
	}
	scoped := Build(c, &Options{Scope: []driver.NodeRef{whole.Nodes[len(whole.Nodes)/2].Source}})
	if got := scoped.With(Options{URLs: true}); len(got.Nodes) != len(scoped.Nodes) {
		t.Errorf("With gives %d nodes, want the %d of the scope", len(got.Nodes), len(scoped.Nodes))
	}
}

// TestCellsAreNamed: the ref of a cell on a row's line is the row's and a number.
func TestCellsAreNamed(t *testing.T) {
	snap := Build(htmlcapture.Of(t, `<!DOCTYPE html><table><tr><th>Name<th>Price<tr><td>Kettle<td>30<td><button>Remove</button></table>
		<div role=grid aria-label=Days><div role=row><span role=gridcell id=d1>1</span><span role=gridcell>2</span></div></div>`), nil)
	outline := snap.Outline()
	if strings.Contains(outline, "gridcell") || strings.Contains(outline, ":1]") {
		t.Errorf("cells have lines of their own:\n%s", outline)
	}
	want := map[string]string{"Name": "columnheader th", "Price": "columnheader th", "Kettle": "cell td", "30": "cell td", "1": "gridcell span", "2": "gridcell span"}
	for i := range snap.Nodes {
		row := &snap.Nodes[i]
		for c, cell := range row.Cells {
			ref := row.Ref.Cell(c + 1)
			n, ok := snap.Lookup(ref)
			if !ok || !ref.Valid() {
				t.Errorf("Lookup(%s) found nothing", ref)
				continue
			}
			again, ok := snap.Find(n.Source)
			if !ok || again.Ref != n.Ref || again.Name != n.Name {
				t.Errorf("Find(%v) = %v, want %s", n.Source, again, n.Ref)
			}
			if path := snap.XPath(n); !strings.HasPrefix(path, snap.XPath(row)+"/") {
				t.Errorf("XPath(%s) = %s, want one below the row's", ref, path)
			}
			if cell.Below {
				continue
			}
			if n.Parent != int32(i) || n.Ref != ref || string(n.Role)+" "+n.Tag != want[n.Name] {
				t.Errorf("Lookup(%s) = %s, %s %q <%s> in %d", ref, n.Ref, n.Role, n.Name, n.Tag, n.Parent)
			}
			delete(want, n.Name)
		}
		for _, ref := range []Ref{row.Ref + ":0", row.Ref.Cell(len(row.Cells) + 1), row.Ref + ":01", row.Ref + ":1:1", row.Ref + ":"} {
			if n, ok := snap.Lookup(ref); ok {
				t.Errorf("Lookup(%s) = %v", ref, n)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("no cell says %v:\n%s", want, outline)
	}
}

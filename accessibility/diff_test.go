package accessibility

import (
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility/internal/htmlcapture"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// TestDiff compares pages whose nodes are numbered in document order, so that what
// stands before a difference has the same ids in both.
func TestDiff(t *testing.T) {
	page := func(body string) *Snapshot { return Build(htmlcapture.Of(t, "<!DOCTYPE html>"+body), nil) }
	for _, tt := range []struct{ name, before, after, want string }{
		{"nothing", "<button>A</button>", "<button>A</button>", ""},
		{"state", "<input type=checkbox aria-label=A>", "<input type=checkbox aria-label=A checked>", "~ [0-6] checkbox: A (checked)\n"},
		{"text", "<p>before", "<p>after", "~ [0-7] text: after\n"},
		{"value", "<input aria-label=A value=x>", "<input aria-label=A value=y>", "~ [0-6] textbox: A value=\"y\"\n"},
		{"added", "<p>a</p>", "<p>a</p><ul><li>b<li>c <button>d</button></ul>",
			"+ [0-8] list\n+   [0-9] listitem: b\n+   [0-11] listitem\n+     [0-12] text: c\n+     [0-13] button: d\n"},
		{"removed together", "<p>a</p><ul><li>b<li>c</ul>", "<p>a</p>", "- [0-8] list\n"},
		{"cell", "<table><tr><th>a<th>b<tr><td>c<td>d</table>", "<table><tr><th>a<th>b<tr><td>c<td>e</table>", "~ [0-13] row: c | e\n"},
		{"option", "<select aria-label=A><option>x<option>y</select>", "<select aria-label=A><option>x<option>z</select>",
			"~ [0-6] combobox: A (options: x | z) value=\"x\"\n"},
		{"scroll", "<div data-scroll=0,100><p>a</div>", "<div data-scroll=50,100><p>a</div>", "~ [0-6] generic (scrollable 50%)\n"},
	} {
		c := Diff(page(tt.before), page(tt.after))
		if got := c.String(); got != tt.want {
			t.Errorf("%s: Diff = %q, want %q", tt.name, got, tt.want)
		}
		if c.Empty() != (tt.want == "") {
			t.Errorf("%s: Empty = %v", tt.name, c.Empty())
		}
	}
}

// TestDiffOfDocuments: equal node numbers in another document are other nodes.
func TestDiffOfDocuments(t *testing.T) {
	before, c := Build(htmlcapture.Of(t, "<button>A</button>"), nil), htmlcapture.Of(t, "<button>A</button>")
	c.Documents[0].Doc = "another"
	after := Build(c, nil)
	d := Diff(before, after)
	if !d.NewDocument || len(d.Added) != len(after.Nodes) || len(d.Removed) != len(before.Nodes) || len(d.Changed) != 0 {
		t.Errorf("Diff = %d added, %d removed, %d changed, new document %v", len(d.Added), len(d.Removed), len(d.Changed), d.NewDocument)
	}
	if got, want := d.String(), "another document\n+ [0-1] document\n+   [0-5] button: A\n"; got != want {
		t.Errorf("Diff = %q, want %q", got, want)
	}
	if d := Diff(nil, after); d.NewDocument || len(d.Added) != len(after.Nodes) {
		t.Errorf("Diff(nil, s) = %+v", d)
	}
	if d := Diff(after, nil); len(d.Removed) != len(after.Nodes) {
		t.Errorf("Diff(s, nil) = %+v", d)
	}
	if d := Diff(nil, nil); !d.Empty() || d.String() != "" {
		t.Errorf("Diff(nil, nil) = %+v", d)
	}
}

func TestDiffBounded(t *testing.T) {
	c := htmlcapture.Of(t, shopPage(2000))
	d := Diff(nil, Build(c, nil))
	for _, limit := range []int{1, 4, 5, 6, 50, 1000} {
		text := d.Outline(limit)
		if got := Tokens(text); got > limit {
			t.Errorf("Outline(%d) has %d tokens", limit, got)
		}
		if limit >= 50 && !strings.HasSuffix(text, " more changes\n") {
			t.Errorf("Outline(%d) does not say what is missing: %q", limit, text[max(0, len(text)-80):])
		}
	}
}

func TestSearch(t *testing.T) {
	s := Build(htmlcapture.Of(t, `<h1>Save your work</h1><p>You can save it or not save it.</p><button>Save</button><button>Save as draft</button>
<button>Autosave</button><a href=/x>SAVE AS</a><input aria-label=Größe placeholder=saved><select aria-label=Mode><option>Save mode<option>b</select>
<button>Straße</button>`), nil)
	for _, tt := range []struct {
		query string
		want  []string
	}{
		{"save", []string{"Save", "SAVE AS", "Save as draft", "Save your work", "You can save it or not save it.", "Autosave", "Mode", "Größe"}},
		{"save as", []string{"SAVE AS", "Save as draft"}},
		{"DRAFT save", []string{"Save as draft"}},
		{"GRÖSSE", nil},
		{"GRÖßE", []string{"Größe"}},
		{"", nil},
		{" ,. ", nil},
		{"nowhere", nil},
	} {
		var got []string
		for _, n := range s.Search(tt.query) {
			got = append(got, n.Name)
		}
		if len(got) > len(tt.want) && len(tt.want) > 0 && strings.Contains(tt.query, " ") {
			got = got[:len(tt.want)] // then those with only one of the words
		}
		if strings.Join(got, "|") != strings.Join(tt.want, "|") {
			t.Errorf("Search(%q) = %q, want %q", tt.query, got, tt.want)
		}
	}
}

func TestText(t *testing.T) {
	long := strings.Repeat("word ", 5000) + "end"
	s := Build(htmlcapture.Of(t, `<title>T</title><h1>Head</h1><p>One <b>two</b> <a href=/x>three</a>, four.</p><div>Block</div><label>Name <input value=Ada></label>
<table><tr><th>a<td>b</table><p>`+long+`</p><p hidden>secret</p><textarea aria-label=Note>line one
line two</textarea>`), &Options{MaxTokens: 20})
	want := "Head\nOne two three, four.\nBlock\nName: Ada\na | b\n" + long + "\nNote: line one\nline two\n"
	if got := s.Text(); got != want {
		t.Errorf("Text = %q, want %q", strings.ReplaceAll(got, long, "LONG"), strings.ReplaceAll(want, long, "LONG"))
	}
}

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

package accessibility

import (
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility/internal/htmlcapture"
)

// TestDiff compares pages whose nodes are numbered in document order, so that nodes
// before a difference have the same ids in both.
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

// TestDiffOfDocuments: the same node number in another document is another node.
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

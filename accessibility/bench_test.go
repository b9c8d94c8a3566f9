package accessibility

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/accessibility/internal/htmlcapture"
)

// shopPage makes a page of about n elements of the kinds that pages are made
// of: navigation, forms, tables, nested divs, long links, hidden parts, ARIA, SVG.
func shopPage(n int) string {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	words := strings.Fields("account basket blue cart cheap city classic cotton delivery double easy extra fashion fine garden green holiday house kitchen large leather light modern natural new office order outdoor paper premium price product quality red return sale season small special spring standard steel summer travel value vintage warm water white winter wood")
	say := func(k int) string {
		var b strings.Builder
		for i := range k {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(words[r.IntN(len(words))])
		}
		return b.String()
	}
	var b strings.Builder
	count := 6
	put := func(elements int, format string, args ...any) {
		fmt.Fprintf(&b, format, args...)
		b.WriteByte('\n')
		count += elements
	}
	put(6, "<!DOCTYPE html><html lang=en><head><title>Shop</title></head><body><main>")
	for i := 0; count < n; i++ {
		switch i % 8 {
		case 0:
			put(2, "<nav aria-label='Part %d'><ul>", i)
			for range 6 {
				put(2, "<li><a href='/category/%s/%d?ref=%s'>%s</a></li>", say(1), r.IntN(999), strings.Repeat("x", 80), say(2))
			}
			put(0, "</ul></nav>")
		case 1:
			put(3, "<form><fieldset><legend>%s</legend>", say(2))
			for j := range 4 {
				put(3, "<div><label for=i%d-%d>%s</label><input id=i%d-%d value='%s'></div>", i, j, say(2), i, j, say(1))
			}
			put(2, "<label><input type=checkbox> %s</label>", say(4))
			put(9, "<select aria-label='%s'><option>%s<option>%s<option>%s<option>%s<option>%s</select><textarea aria-label='%s'></textarea><button>%s</button></fieldset></form>",
				say(1), say(1), say(1), say(1), say(1), say(1), say(1), say(1))
		case 2:
			put(6, "<table><thead><tr><th>Number</th><th>Name</th><th>Price</th></tr></thead><tbody>")
			for j := range 8 {
				put(5, "<tr><td>%d</td><td>%s</td><td>%d.99</td><td><a href='/o/%d'>Open</a></td></tr>", j, say(3), r.IntN(100), j)
			}
			put(0, "</tbody></table>")
		case 3:
			put(12, "<div><div><div class=a><div><div><p>%s <b>%s</b> %s</p><p><a href='https://shop.test/%s'>%s</a></p></div></div><span>%s</span></div></div><h2>%s</h2></div>", say(12), say(2), say(6), strings.Repeat("long/", 40), say(8), say(3), say(4))
		case 4:
			put(6, "<div style='display:none'><p>%s</p><ul><li>%s</li><li>%s</li></ul></div>", say(9), say(3), say(3))
		case 5:
			put(8, "<div role=tablist><div role=tab aria-selected=true tabindex=0>%s</div><div role=tab tabindex=-1>%s</div></div><div role=tabpanel aria-label='%s'><div role=button tabindex=0 aria-pressed=true>%s</div><div role=switch aria-checked=false tabindex=0>%s</div></div>",
				say(1), say(1), say(1), say(2), say(2))
		case 6:
			put(5, "<a href='/%s'><svg width=16 height=16><g><path d='M0 0h16'/></g></svg><span>%s</span></a>", say(1), say(2))
			put(5, "<button aria-label='%s'><svg width=16 height=16><g><path d='M0 0h16'/></g></svg></button>", say(1))
		case 7:
			put(2, "<section aria-label='%s'><h3>%s</h3>", say(2), say(3))
			for j := range 4 {
				put(5, "<article><h4><a href='/p/%d'>%s</a></h4><p>%s</p><span>%d.99</span></article>", j, say(3), say(10), r.IntN(90))
			}
			put(0, "</section>")
		}
	}
	b.WriteString("</main></body></html>")
	return b.String()
}

// TestOutlineSize keeps outlines of ordinary pages small.
func TestOutlineSize(t *testing.T) {
	for _, tt := range []struct{ elements, most int }{{960, 20_000}, {9943, 220_000}, {49946, 1_100_000}} {
		c := htmlcapture.Of(t, shopPage(tt.elements))
		elements := 0
		for i := range c.Documents[0].Nodes {
			if c.Documents[0].Nodes[i].Name != "" {
				elements++
			}
		}
		s := Build(c, nil)
		if got := len(s.Outline()); got > tt.most {
			t.Errorf("outline of %d elements has %d characters, want at most %d", elements, got, tt.most)
		}
		t.Logf("%d elements: %d lines, %d characters, %d tokens", elements, len(s.Nodes), len(s.Outline()), Tokens(s.Outline()))
		checkSnapshot(t, s)
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{960, 9943, 49946} {
		c := htmlcapture.Of(b, shopPage(n))
		b.Run(fmt.Sprintf("%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Build(c, nil).Outline()
			}
		})
	}
}

// BenchmarkPrune is Build and Outline without Compute.
func BenchmarkPrune(b *testing.B) {
	tree := axtree.Compute(htmlcapture.Of(b, shopPage(49946)))
	b.ReportAllocs()
	for b.Loop() {
		build(tree, nil, new(arena)).Outline()
	}
}

func BenchmarkMaxTokens(b *testing.B) {
	tree := axtree.Compute(htmlcapture.Of(b, shopPage(49946)))
	b.ReportAllocs()
	for b.Loop() {
		build(tree, &Options{MaxTokens: 8000}, new(arena)).Outline()
	}
}

func BenchmarkDiff(b *testing.B) {
	c := htmlcapture.Of(b, shopPage(49946))
	before, after := Build(c, nil), Build(c, nil)
	b.ReportAllocs()
	for b.Loop() {
		Diff(before, after)
	}
}

func BenchmarkParseOutline(b *testing.B) {
	text := Build(htmlcapture.Of(b, shopPage(49946)), nil).Outline()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseOutline(text); err != nil {
			b.Fatal(err)
		}
	}
}

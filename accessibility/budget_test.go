package accessibility

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility/internal/htmlcapture"
)

// TestMaxTokens: for any limit, the outline stays within it, counts what is
// missing, and can be parsed.
func TestMaxTokens(t *testing.T) {
	c := htmlcapture.Of(t, shopPage(3000))
	whole := Build(c, nil)
	all := Tokens(whole.Outline())
	for _, limit := range []int{1, 2, 5, 10, 20, 50, 100, 333, 1000, 3000, 7000, all - 1, all, all + 1, 1 << 40} {
		s := Build(c, &Options{MaxTokens: limit})
		checkSnapshot(t, s)
		text := s.Outline()
		if limit >= all && text != whole.Outline() {
			t.Errorf("MaxTokens %d cuts an outline of %d", limit, all)
		}
		o, err := ParseOutline(text)
		if err != nil {
			t.Fatal(err)
		}
		shown, missing := 0, 0
		below := map[Ref]int{}
		for _, it := range o.Items {
			if it.Omitted == nil {
				shown++
				continue
			}
			missing++
			below[it.Omitted.Ref] = it.Omitted.Count
		}
		if shown < len(whole.Nodes) && missing == 0 && limit > 10 {
			t.Errorf("MaxTokens %d: %d of %d lines and not a word about the rest", limit, shown, len(whole.Nodes))
		}
		if limit >= 100 && limit < all && Tokens(text) < limit-limit/4-60 {
			t.Errorf("MaxTokens %d leaves room: only %d used", limit, Tokens(text))
		}
		for ref := range below {
			if _, ok := s.Lookup(ref); ref != "" && !ok {
				t.Errorf("MaxTokens %d: what is missing is to be had with %q, which is not there", limit, ref)
			}
		}
		if len(s.Nodes) != len(whole.Nodes) {
			t.Errorf("MaxTokens %d takes nodes away", limit)
		}
	}
}

// TestMaxTokensKeepsWhatMatters: the tail of a long table goes before the form
// behind it, and text before controls.
func TestMaxTokensKeepsWhatMatters(t *testing.T) {
	var b strings.Builder
	b.WriteString("<h1>Orders</h1><table aria-label=Orders>")
	for i := range 400 {
		fmt.Fprintf(&b, "<tr><td>%d<td>Some words about it<td><a href=/o/%d>Open %d</a>", i, i, i)
	}
	b.WriteString("</table><p>Some text that is of less use than a button is to who wants to press one.</p><form><input aria-label=Search><button>Go</button></form>")
	s := Build(htmlcapture.Of(t, b.String()), &Options{MaxTokens: 600})
	checkSnapshot(t, s)
	o, err := ParseOutline(s.Outline())
	if err != nil {
		t.Fatal(err)
	}
	var rows, more int
	names := map[string]bool{}
	last := ""
	for _, it := range o.Items {
		names[it.Name] = true
		if it.Role == "row" {
			rows++
			last = it.Cells[0].Text
		}
		if it.Omitted != nil && it.Omitted.Noun == "rows" {
			more = it.Omitted.Count
		}
	}
	if rows < 5 || rows+more != 400 || last != fmt.Sprint(rows-1) {
		t.Errorf("%d rows up to %q and %d more, want the first of 400\n%s", rows, last, more, s.Outline())
	}
	for _, name := range []string{"Orders", "Search", "Go", "Open 0", "Open 1"} {
		if !names[name] {
			t.Errorf("%q is gone\n%s", name, s.Outline())
		}
	}
	if names["Open 399"] {
		t.Errorf("the tail stays\n%s", s.Outline())
	}
}

// TestTokensAdd: the weight of a text is the sum of its lines' weights.
func TestTokensAdd(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	alphabet := []rune("  aZ9[]-:…é日🙂\"\\|\t")
	for range 2000 {
		var whole string
		sum := 0
		for range r.IntN(5) {
			line := ""
			for range r.IntN(30) {
				line += string(alphabet[r.IntN(len(alphabet))])
			}
			line += "\n"
			whole += line
			sum += weigh(line)
		}
		if got := weigh(whole); got != sum {
			t.Fatalf("weigh(%q) = %d, want %d", whole, got, sum)
		}
	}
	if Tokens("") != 0 || Tokens("1") != 1 {
		t.Errorf("Tokens(\"\"), Tokens(\"1\") = %d, %d, want 0, 1", Tokens(""), Tokens("1"))
	}
}

// TestTokens compares the estimate with the tokens of outlines' lines (the higher
// count of cl100k and o200k): it is never below nine tenths of it.
func TestTokens(t *testing.T) {
	for _, tt := range []struct {
		text string
		real int
	}{
		{"[0-1] document: Checkout\n", 9},
		{"      [0-19] link: \"Cart (2)\" (current: page) url=\"https://shop.test/b\"\n", 26},
		{"        [0-45] textbox: Name (required)\n", 12},
		{"      [0-114] row: A-1 | 2026-01-01 | ↓\n", 22},
		{"      [0-123] row: \"A | 2\" | \"↓\" | ↓\n", 21},
		{"    [0-182] text: 9.99\n", 13},
		{"  [0-8] text: 日本語のテキストはここにあります。価格は千円です。\n", 31},
		{"  [0-10] text: Привет, это обычный русский текст о доставке товаров.\n", 29},
		{"  [0-12] text: مرحبا بكم في متجرنا على الإنترنت\n", 33},
		{"  [0-14] text: 😀🎉👍🏽 שלום עולם\n", 29},
	} {
		if got := Tokens(tt.text); 10*got < 9*tt.real || got > 2*tt.real {
			t.Errorf("Tokens(%q) = %d, want about %d", tt.text, got, tt.real)
		}
	}
}

// TestWhole: no text, value or list of options is shortened.
func TestWhole(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("lamp ", 1000))
	html := "<p>" + long + "</p><input aria-label=Note value='" + long + "' placeholder='" + long + "'><select aria-label=Size>" + strings.Repeat("<option>M", 50) + "</select>"
	short := Build(htmlcapture.Of(t, html), nil)
	whole := short.With(Options{Whole: true})
	if !strings.Contains(short.Outline(), "more characters") || strings.Contains(whole.Outline(), "… ") {
		t.Errorf("the whole outline is\n%.500s", whole.Outline())
	}
	if n := strings.Count(whole.Outline(), "lamp"); n < 2000 {
		t.Errorf("%d words in the whole outline, want 2,000 and more", n)
	}
	if o, err := ParseOutline(whole.Outline()); err != nil || o.String() != whole.Outline() {
		t.Errorf("the whole outline does not read back: %v", err)
	}
	if text := whole.With(Options{Whole: true, MaxTokens: 300}).Outline(); Tokens(text) > 300 {
		t.Errorf("%d tokens in 300", Tokens(text))
	}
}

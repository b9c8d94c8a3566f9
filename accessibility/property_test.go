package accessibility_test

import (
	"flag"
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// Generated pages are as many as a run of every day can bear. Ask for more by these.
var (
	pagesInMemory = flag.Uint64("pages", 400, "how many pages are generated for the browser in memory")
	pagesInChrome = flag.Uint64("pages.chrome", 40, "how many pages are generated for Chrome")
	pagesFrom     = flag.Uint64("pages.from", 0, "the seed of the first generated page")
)

// A pageWriter writes pages at random. Whatever it writes it marks with a word of
// its own, and notes whether a person sees it: it knows nothing of outlines.
type pageWriter struct {
	r     *rand.Rand
	b     strings.Builder
	seen  []string // shown once
	gone  []string // never shown
	words int
}

// word returns a new word.
func (w *pageWriter) word(visible bool) string {
	w.words++
	s := fmt.Sprintf("w%dx", w.words)
	if visible {
		w.seen = append(w.seen, s)
	} else {
		w.gone = append(w.gone, s)
	}
	return s
}

// hidingWays keep what they hold, in place of %s, from everybody, or from those who
// use assistive technology.
var hidingWays = []string{
	`<div hidden>%s</div>`, `<div style="display:none">%s</div>`, `<div style="visibility:hidden">%s</div>`,
	`<div style="transform:scale(0)">%s</div>`, `<div style="height:0;overflow:hidden">%s</div>`, `<div style="font-size:1px"><p>%s</p></div>`,
	`<div aria-hidden="true">%s</div>`, `<details><summary>SUMMARY</summary>%s</details>`, `<template>%s</template>`, `<div inert>%s</div>`,
	`<dialog>%s</dialog>`,
}

// wrappings hold what they hold in view.
var wrappings = []string{
	`<div>%s</div>`, `<section>%s</section>`, `<article>%s</article>`, `<div class=card>%s</div>`, `<ul><li>%s</li></ul>`, `<nav>%s</nav>`,
	`<form>%s</form>`, `<table><tr><td>%s</td></tr></table>`, `<div style="overflow:auto;height:400px">%s</div>`, `<fieldset>%s</fieldset>`,
	`<details open><summary>SUMMARY</summary>%s</details>`, `<blockquote>%s</blockquote>`, `<div role=group>%s</div>`, `<main>%s</main>`,
}

// pageParts are pieces of a page, with WORD in place of each word.
var pageParts = []string{
	`<p>WORD</p>`, `<p>WORD <b>WORD</b> WORD</p>`, `<h2>WORD</h2>`, `<h3><a href="/x">WORD</a></h3>`, `<a href="/x">WORD</a>`,
	`<a href="mailto:a@b.test">WORD <span>WORD</span></a>`, `<button>WORD</button>`, `<button aria-label="WORD">×</button>`,
	`<label>WORD <input></label>`, `<label>WORD <input type=checkbox></label>`, `<input placeholder="WORD">`, `<input value="WORD" aria-label="WORD">`,
	`<input type=password aria-label="WORD">`, `<textarea aria-label="WORD">WORD</textarea>`,
	`<label>WORD <select><option>WORD<optgroup label="WORD"><option>WORD<option disabled>WORD</optgroup></select></label>`,
	`<img src="data:," alt="WORD" width=50 height=50>`, `<p>WORD<sup>2</sup> <del>WORD</del> <ins>WORD</ins></p>`,
	`<p>WORD <math><mfrac><mn>1</mn><mi>WORD</mi></mfrac></math></p>`, `<p><ruby>WORD<rt>WORD</rt></ruby></p>`,
	`<dl><dt>WORD<dd>WORD</dl>`, `<ol><li>WORD<li>WORD <a href="/y">WORD</a></ol>`,
	`<table><caption>WORD</caption><tr><th>WORD<th>WORD<tr><td>WORD<td><button>WORD</button></table>`,
	`<table><tr><th colspan=2>WORD<tr><td rowspan=2>WORD<td>WORD<tr><td>WORD</table>`,
	`<div role=grid aria-label="WORD"><div role=row><span role=columnheader tabindex=-1>WORD</span></div><div role=row tabindex=-1><span role=gridcell tabindex=-1>WORD</span></div></div>`,
	`<div class=card><button>WORD</button><h3>WORD</h3><p>WORD</p></div><div class=card><button>WORD</button><h3>WORD</h3><p>WORD</p></div>`,
	`<div role=tablist><div role=tab aria-selected=true tabindex=0>WORD</div></div>`, `<p onclick="x()">WORD</p>`,
	`<span style="position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0)">WORD</span>`,
	`<svg width=80 height=30><text x=0 y=20>WORD</text></svg>`, `<progress aria-label="WORD" max=9 value=3></progress>`,
	`<div contenteditable>WORD</div>`, `<p>WORD</p>WORD<p>WORD</p>`, `<figure><img src="data:," alt="WORD" width=40 height=40><figcaption>WORD</figcaption></figure>`,
	`<details><p>hidden</p></details><p>WORD<sub>i</sub> WORD<sup>3</sup></p>`, `<a href="/z"><img src="data:," alt="WORD" width=20 height=20> WORD</a>`,
	`<div><template shadowrootmode=open><b>WORD</b> <slot></slot></template><i>WORD</i></div>`, `<ul><li>WORD<ul><li>WORD<li>WORD</ul></ul>`,
	`<a href="/w" target=_blank>WORD</a> <meter aria-label="WORD" max=5 value=2></meter>`, `<button><span>−</span></button> WORD <button>+</button>`,
	`<div class=c><div>WORD</div><button>WORD</button><div><div class=c><div>WORD</div><button>WORD</button></div></div></div>`,
	`<div style="opacity:.5">WORD</div><div dir=rtl>WORD <bdi>WORD</bdi></div>`, `<label><output>WORD</output> WORD</label>`,
	`<h2 contenteditable>WORD</h2>`, `<table><tr><td contenteditable>WORD<td>WORD<tr><td>WORD<td contenteditable>WORD WORD</table>`,
	`<ul><li contenteditable>WORD<li>WORD</ul><p contenteditable>WORD <b>WORD</b></p>`, `<a href="/e" contenteditable>WORD</a><blockquote contenteditable>WORD</blockquote>`,
	`<section aria-label="WORD" contenteditable>WORD</section><figure><figcaption contenteditable>WORD</figcaption></figure>`,
	`<label for=none>WORD</label>`, `<p><output>WORD</output></p>`, `<iframe srcdoc="&lt;p&gt;WORD&lt;/p&gt;" width=300 height=80></iframe>`,
}

// fill puts words into a part.
func (w *pageWriter) fill(part string, visible bool) string {
	for strings.Contains(part, "WORD") {
		part = strings.Replace(part, "WORD", html.EscapeString(w.word(visible)), 1)
	}
	return part
}

// summary puts a word into a part that has a summary.
func (w *pageWriter) summary(part string, visible bool) string {
	if !strings.Contains(part, "SUMMARY") {
		return part
	}
	return strings.Replace(part, "SUMMARY", w.word(visible), 1)
}

// content writes parts within one another.
func (w *pageWriter) content(depth int, visible bool) string {
	var b strings.Builder
	for range 1 + w.r.IntN(3) {
		switch k := w.r.IntN(10); {
		case depth > 0 && k < 3:
			outer := w.summary(wrappings[w.r.IntN(len(wrappings))], visible)
			b.WriteString(strings.Replace(outer, "%s", w.content(depth-1, visible), 1))
		case depth > 0 && k < 4:
			outer := w.summary(hidingWays[w.r.IntN(len(hidingWays))], visible)
			inner := w.fill([]string{`<p>WORD</p>`, `WORD <b>WORD</b>`, `<a href=/x>WORD</a>`}[w.r.IntN(3)], false)
			b.WriteString(strings.Replace(outer, "%s", inner, 1))
		default:
			b.WriteString(w.fill(pageParts[w.r.IntN(len(pageParts))], visible))
		}
	}
	return b.String()
}

// generated returns a page, what a person sees of it, and what nobody does.
func generated(seed uint64) (source string, seen, gone []string) {
	w := &pageWriter{r: rand.New(rand.NewPCG(seed, 14))}
	for range 4 {
		w.b.WriteString(w.content(3, true))
	}
	return "<!doctype html><title>Generated</title><body>" + w.b.String(), w.seen, w.gone
}

var markedWord = regexp.MustCompile(`w\d+x`)

// checkGenerated checks that the outline of a page has each word that a person sees
// exactly once, and none that nobody sees.
func checkGenerated(t *testing.T, page driver.Page, address string, seed uint64) {
	t.Helper()
	source, seen, gone := generated(seed)
	if _, err := page.Navigate(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	capture, err := page.Capture(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	outline := accessibility.Build(capture, nil).Outline()
	if _, err := accessibility.ParseOutline(outline); err != nil {
		t.Errorf("seed %d: ParseOutline: %v", seed, err)
	}
	// A select shows its choice beside its options, a field in a table the header
	// that names it: both are the same thing said of another.
	plain := regexp.MustCompile(`(\(options: .*) value="[^"]*"`).ReplaceAllString(outline, "$1")
	count := map[string]int{}
	for _, word := range markedWord.FindAllString(plain, -1) {
		count[word]++
	}
	failed := false
	for _, word := range seen {
		if count[word] != 1 {
			t.Errorf("seed %d: the outline has %q %d times, want once", seed, word, count[word])
			failed = true
		}
	}
	for _, word := range gone {
		if count[word] != 0 {
			t.Errorf("seed %d: the outline has %q, which nobody sees", seed, word)
			failed = true
		}
	}
	if failed {
		t.Logf("%s\n%s", source, outline)
	}
}

// TestGeneratedPages: every text and control that a person sees is in the outline
// exactly once, and nothing that nobody sees is.
func TestGeneratedPages(t *testing.T) {
	browser, err := fake.New(fake.Options{Handler: http.HandlerFunc(serveGenerated)}).Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	for seed := *pagesFrom; seed < *pagesFrom+*pagesInMemory; seed++ {
		checkGenerated(t, browser.Pages()[0], fmt.Sprintf("http://generated.test/%d", seed), seed)
		if t.Failed() {
			return
		}
	}
}

func serveGenerated(w http.ResponseWriter, r *http.Request) {
	var seed uint64
	if _, err := fmt.Sscanf(r.URL.Path, "/%d", &seed); err != nil {
		http.NotFound(w, r)
		return
	}
	source, _, _ := generated(seed)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, source)
}

// TestGeneratedPagesInChrome is the same for a few of them in Chrome.
func TestGeneratedPagesInChrome(t *testing.T) {
	page := openChrome(t)
	site := httptest.NewServer(http.HandlerFunc(serveGenerated))
	defer site.Close()
	for seed := *pagesFrom; seed < *pagesFrom+*pagesInChrome; seed++ {
		checkGenerated(t, page, fmt.Sprintf("%s/%d", site.URL, seed), seed)
		if t.Failed() {
			return
		}
	}
}

package cdp

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func capture(t testing.TB, p *page) *driver.Capture {
	t.Helper()
	c, err := p.Capture(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Documents {
		checkDocument(t, c, int32(i))
	}
	return c
}

// checkDocument holds a document against the contract of a capture.
func checkDocument(t testing.TB, c *driver.Capture, at int32) {
	t.Helper()
	d := &c.Documents[at]
	if d.Frame == "" || d.Doc == "" || len(d.Nodes) == 0 || d.Nodes[0].Kind != driver.DocumentNode {
		t.Errorf("document %d is incomplete: %s %s", at, d.Frame, d.Doc)
	}
	if at > 0 && (d.OwnerDocument < 0 || d.OwnerDocument >= at || d.Owner <= 0) {
		t.Errorf("document %d: owner %d in document %d", at, d.Owner, d.OwnerDocument)
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		if n.ID == 0 || (i == 0) != (n.Parent == -1) || int(n.Parent) >= i || int(n.Host) >= i {
			t.Fatalf("document %d, node %d: %+v", at, i, n)
		}
		if n.Shadow != driver.Light && n.Host < 0 || n.Shadow == driver.Light && n.Host >= 0 {
			t.Errorf("document %d, node %d: shadow %v with host %d", at, i, n.Shadow, n.Host)
		}
	}
}

// byID returns the index of the element with that id attribute.
func byID(t testing.TB, d *driver.Document, id string) int32 {
	t.Helper()
	for i := range d.Nodes {
		if v, ok := d.Nodes[i].Attr("id"); ok && v == id {
			return int32(i)
		}
	}
	t.Fatalf("no element with id %q", id)
	return -1
}

// element returns the first element of that name for which has holds.
func element(t *testing.T, d *driver.Document, name string, has ...driver.Attr) int32 {
	t.Helper()
next:
	for i := range d.Nodes {
		if d.Nodes[i].Kind != driver.ElementNode || d.Nodes[i].Name != name {
			continue
		}
		for _, a := range has {
			if v, ok := d.Nodes[i].Attr(a.Name); !ok || v != a.Value {
				continue next
			}
		}
		return int32(i)
	}
	t.Fatalf("no element %s %v", name, has)
	return -1
}

// ref captures the page and returns the element with that id in any document.
func ref(t testing.TB, p *page, id string) driver.NodeRef {
	t.Helper()
	c := capture(t, p)
	for k := range c.Documents {
		d := &c.Documents[k]
		for i := range d.Nodes {
			if v, ok := d.Nodes[i].Attr("id"); ok && v == id {
				return d.Ref(int32(i))
			}
		}
	}
	t.Fatalf("no element with id %q", id)
	return driver.NodeRef{}
}

func TestCapture(t *testing.T) {
	html, err := os.ReadFile("internal/snapshot/testdata/snapshot.html")
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, string(html))
	c := capture(t, p)
	if len(c.Documents) != 4 {
		t.Fatalf("%d documents, want 4", len(c.Documents))
	}
	d := &c.Documents[0]
	if d.Title != "T" || d.Frame != driver.FrameID(p.ID()) || d.Ordinal != 0 || d.Doc != p.Frames()[0].Doc {
		t.Errorf("document: %q %s %d %s", d.Title, d.Frame, d.Ordinal, d.Doc)
	}
	if c.Viewport != (driver.Size{Width: 1280, Height: 720}) || c.Scale != 1 {
		t.Errorf("viewport %v at %v", c.Viewport, c.Scale)
	}
	if n := d.Nodes[byID(t, d, "d")]; n.Rare == nil || !n.Rare.Modal {
		t.Errorf("the dialog is not modal: %+v", n.Rare)
	}
}

func TestCaptureShadow(t *testing.T) {
	html, err := os.ReadFile("internal/snapshot/testdata/snapshot.html")
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, string(html))
	d := &capture(t, p).Documents[0]
	host := map[string]string{} // text → id or name of the host
	for i := range d.Nodes {
		n := &d.Nodes[i]
		if n.Kind != driver.TextNode {
			continue
		}
		host[n.Text] = "-"
		if n.Host >= 0 {
			h := &d.Nodes[n.Host]
			id, _ := h.Attr("id")
			host[n.Text] = fmt.Sprintf("%s#%s %v", h.Name, id, n.Shadow)
		}
	}
	for text, want := range map[string]string{
		"slotted":          "-",
		"light2":           "-",
		"[":                "div#h2 2",
		"nested open":      "my-x# 1",
		"closed one":       "div#inner 2",
		"closed in closed": "div# 2",
	} {
		if host[text] != want {
			t.Errorf("host of %q = %q, want %q", text, host[text], want)
		}
	}
	if slotted := d.Nodes[element(t, d, "slot", driver.Attr{Name: "name", Value: "a"})]; d.Nodes[slotted.Host].Name != "div" {
		t.Errorf("host of the slot: %+v", slotted)
	}
}

// Trees within trees of their kind, slots that pass on slots, and much in them.
func TestCaptureNestedShadow(t *testing.T) {
	for _, mode := range []string{"open", "closed"} {
		p := open(t, `<!doctype html><x-a id=a><b>light</b></x-a><script>
const rows = '<div><span>row</span></div>'.repeat(300);
const a = document.getElementById('a').attachShadow({mode: '`+mode+`'});
a.innerHTML = rows + '<x-b id=b><slot id=outer></slot></x-b><x-b id=empty></x-b>';
for (const host of a.querySelectorAll('x-b')) {
  const b = host.attachShadow({mode: '`+mode+`'});
  b.innerHTML = '<p id=p>in b</p><slot id=inner><i>fallback</i></slot>';
  b.querySelector('p').attachShadow({mode: '`+mode+`'}).innerHTML = '<u>in p</u>';
}
</script>`)
		d := &capture(t, p).Documents[0]
		var got []string
		for i := range d.Nodes {
			n := &d.Nodes[i]
			if n.Kind != driver.ElementNode || n.Name == "div" || n.Name == "span" || n.Host < 0 && n.Name != "b" {
				continue
			}
			host := "-"
			if n.Host >= 0 {
				host = d.Nodes[n.Host].Name
			}
			got = append(got, d.Nodes[n.Parent].Name+">"+n.Name+"@"+host)
		}
		want := "x-a>x-b@x-a x-b>p@x-b p>u@p x-b>slot@x-b slot>slot@x-a slot>b@- x-a>x-b@x-a x-b>p@x-b p>u@p x-b>slot@x-b slot>i@x-b"
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s:\n got %s\nwant %s", mode, s, want)
		}
	}
}

func TestCaptureFacts(t *testing.T) {
	p := open(t, `<!doctype html><title>f</title>
<input type=checkbox id=mixed><input id=required required><div popover id=pop>pop</div><img id=broken src="/none"><img id=good src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">
<div id=scroller style="height:50px;overflow:auto"><div style="height:500px">tall</div></div>
<div id=visible style="height:50px"><div style="height:100px">over</div></div>
<div id=labelled></div><div id=label>the label</div><audio id=media src="/none"></audio>
<input id=focused><div id=host></div>
<script>
mixed.indeterminate = true; pop.showPopover(); labelled.ariaLabelledByElements = [label];
scroller.scrollTop = 30; focused.focus();
host.attachShadow({mode:'closed'}).innerHTML = '<input type=checkbox id=inner>';
</script>`)
	d := &capture(t, p).Documents[0]
	rare := func(id string) driver.Rare {
		if r := d.Nodes[byID(t, d, id)].Rare; r != nil {
			return *r
		}
		return driver.Rare{}
	}
	if !rare("mixed").Mixed || !rare("pop").PopoverOpen || !rare("broken").Broken || rare("good").Broken || !rare("media").Broken {
		t.Errorf("mixed %v, popover %v, broken %v %v %v", rare("mixed"), rare("pop"), rare("broken"), rare("good"), rare("media"))
	}
	if rare("required").Invalid == "" || rare("focused").Invalid != "" {
		t.Errorf("invalid: %q, %q", rare("required").Invalid, rare("focused").Invalid)
	}
	if s := rare("scroller").Scroll; s == nil || s.Y != 30 || s.MaxY != 450 || s.View.Height != 50 {
		t.Errorf("scroll: %+v", s)
	}
	if rare("visible").Scroll != nil {
		t.Error("an element that does not clip is said to scroll")
	}
	want := d.Nodes[byID(t, d, "label")].ID
	if refs := rare("labelled").References["aria-labelledby"]; len(refs) != 1 || refs[0] != want {
		t.Errorf("references: %v, want %v", refs, want)
	}
	if d.Active != byID(t, d, "focused") {
		t.Errorf("active = %d, want %d", d.Active, byID(t, d, "focused"))
	}
}

// What custom elements say of themselves through ElementInternals.
func TestCaptureInternals(t *testing.T) {
	p := open(t, `<!doctype html><x-a id=a>one</x-a><x-b id=b>two</x-b><x-a id=own role=link aria-label=mine>three</x-a><x-a></x-a><x-a>4</x-a><x-a id=fifth>5</x-a><script>
customElements.define('x-a', class extends HTMLElement { constructor() { super(); const i = this.attachInternals(); i.role = 'button'; i.ariaLabel = 'label'; } });
customElements.define('x-b', class extends HTMLElement {});
</script>`)
	d := &capture(t, p).Documents[0]
	said := []driver.Attr{{Name: "aria-label", Value: "label"}, {Name: "role", Value: "button"}}
	for id, want := range map[string][]driver.Attr{"a": said, "b": nil, "own": nil, "fifth": said} {
		var got []driver.Attr
		if r := d.Nodes[byID(t, d, id)].Rare; r != nil {
			got = r.Internals
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}

// Chromium 148 reports what ElementInternals says of a value in words; 156 reports
// an empty text, and the capture has nothing then.
func TestCaptureInternalsValueText(t *testing.T) {
	p := open(t, `<!doctype html><x-s id=s></x-s><script>
customElements.define('x-s', class extends HTMLElement { constructor() { super(); const i = this.attachInternals(); i.role = 'slider'; i.ariaValueNow = '5'; i.ariaValueMin = '1'; i.ariaValueMax = '9'; i.ariaValueText = 'five'; } });
</script>`)
	d := &capture(t, p).Documents[0]
	n := &d.Nodes[byID(t, d, "s")]
	for name, want := range map[string]string{"role": "slider", "aria-valuenow": "5", "aria-valuemin": "1", "aria-valuemax": "9"} {
		if got, _ := n.ARIA(name); got != want {
			t.Errorf("ARIA(%q) = %q, want %q", name, got, want)
		}
	}
	if got, said := n.ARIA("aria-valuetext"); said && got != "five" {
		t.Errorf("ARIA(aria-valuetext) = %q, want five, or nothing", got)
	}
}

func TestCaptureScale(t *testing.T) {
	p := open(t, `<!doctype html><body style="margin:0"><div id=box style="width:100px;height:50px"></div>`)
	if err := p.Emulate(t.Context(), &driver.Emulation{Scale: 2}); err != nil {
		t.Fatal(err)
	}
	c := capture(t, p)
	d := &c.Documents[0]
	if box := d.Nodes[byID(t, d, "box")].Box; box.Width != 100 || box.Height != 50 || c.Scale != 2 {
		t.Errorf("box %v at scale %v", box, c.Scale)
	}
}

func TestCaptureSameProcessFrames(t *testing.T) {
	pages := site{}
	var frames strings.Builder
	for i := range 20 {
		fmt.Fprintf(&frames, `<iframe name=n%d src="/%d"></iframe>`, i, i)
		pages[fmt.Sprintf("/%d", i)] = fmt.Sprintf(`<title>frame %d</title><button id=b%d>%d</button>`, i, i, i)
	}
	pages["/"] = "<!doctype html><title>20</title>" + frames.String()
	c := capture(t, visit(t, pages.serve(t)+"/"))
	if len(c.Documents) != 21 {
		t.Fatalf("%d documents, want 21", len(c.Documents))
	}
	for i := range 20 {
		d := &c.Documents[i+1]
		name, _ := c.Documents[0].Nodes[d.Owner].Attr("name")
		if want := fmt.Sprintf("frame %d", i); d.Title != want || name != fmt.Sprintf("n%d", i) {
			t.Errorf("document %d: %q in %q, want %q", i+1, d.Title, name, want)
		}
	}
}

func TestCaptureCrossProcessFrames(t *testing.T) {
	pages := site{}
	at := pages.serve(t)
	other := elsewhere(at)
	pages["/deep"] = `<title>deep</title><p id=deep>deep`
	var frames strings.Builder
	for i := range 5 {
		fmt.Fprintf(&frames, `<p>before %d</p><iframe id=f%d src="%s/%d"></iframe>`, i, i, other, i)
		pages[fmt.Sprintf("/%d", i)] = fmt.Sprintf(`<title>frame %d</title><input id=i%d><iframe src="%s/deep"></iframe>`, i, i, at)
	}
	pages["/"] = "<!doctype html><title>5</title>" + frames.String()
	p := visit(t, at+"/")
	c := capture(t, p)
	if len(c.Documents) != 11 {
		t.Fatalf("%d documents, want 11: %v", len(c.Documents), c.Notes)
	}
	for i := range 5 {
		d, deep := &c.Documents[1+2*i], &c.Documents[2+2*i]
		id, _ := c.Documents[0].Nodes[d.Owner].Attr("id")
		if d.Title != fmt.Sprintf("frame %d", i) || id != fmt.Sprintf("f%d", i) {
			t.Errorf("document %d: %q in %q", 1+2*i, d.Title, id)
		}
		if deep.Title != "deep" || deep.OwnerDocument != int32(1+2*i) || d.Nodes[deep.Owner].Name != "iframe" {
			t.Errorf("document %d: %q in document %d", 2+2*i, deep.Title, deep.OwnerDocument)
		}
	}
	own := 0
	for _, f := range p.Frames() {
		if f.OwnProcess {
			own++
		}
	}
	if own < 5 {
		t.Errorf("%d frames in processes of their own, want at least 5: the test shows nothing", own)
	}
}

// A frame that goes from document to document all the time must not keep the
// page from being captured.
func TestCaptureWhileFrameReloads(t *testing.T) {
	const outer = `<!doctype html><title>outer</title><p id=steady>steady</p><iframe src="%s"></iframe>`
	in := site{"/in": `<p>in</p><script>setTimeout(() => location.reload(), 1)</script>`}
	at := in.serve(t)
	for _, src := range []string{at, elsewhere(at)} {
		p := visit(t, site{"/": fmt.Sprintf(outer, src+"/in")}.serve(t)+"/")
		for range 8 {
			c := capture(t, p)
			byID(t, &c.Documents[0], "steady")
			revision(t, p)
			activity(t, p)
		}
	}
}

func TestCaptureDeep(t *testing.T) {
	const depth = 1600
	p := open(t, `<!doctype html><title>deep</title><body><script>
let at = document.body;
for (let i = 0; i < `+fmt.Sprint(depth)+`; i++) at = at.appendChild(document.createElement('div'));
at.id = 'bottom';
</script>`)
	d := &capture(t, p).Documents[0]
	levels := 0
	for i := byID(t, d, "bottom"); i > 0; i = d.Nodes[i].Parent {
		levels++
	}
	if levels < depth {
		t.Errorf("%d levels, want at least %d", levels, depth)
	}
}

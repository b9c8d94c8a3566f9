package fake_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// useAll makes every call that reads a page.
func useAll(t testing.TB, p driver.Page) *driver.Capture {
	t.Helper()
	c := capture(t, p)
	checkForm(t, c)
	for _, sel := range []driver.Selector{{Text: "div:not(.x) > *"}, {Kind: driver.XPath, Text: "//div/span"}} {
		refs, err := p.Find(t.Context(), driver.NodeRef{}, sel)
		if err != nil {
			t.Errorf("Find(%v): %v", sel, err)
		}
		if len(refs) > 0 {
			if _, err := p.Locate(t.Context(), refs[len(refs)-1], &driver.LocateOptions{Scroll: true}); err != nil {
				t.Errorf("Locate: %v", err)
			}
		}
	}
	if _, err := p.HitTest(t.Context(), driver.Point{X: 100, Y: 100}); err != nil {
		t.Errorf("HitTest: %v", err)
	}
	if err := p.Input(t.Context(), driver.KeyDown{Key: "Tab"}, driver.Wheel{At: driver.Point{X: 5, Y: 5}, DeltaY: 50}); err != nil {
		t.Errorf("Input: %v", err)
	}
	return c
}

// checkForm holds a capture against what its documentation promises.
func checkForm(t testing.TB, c *driver.Capture) {
	t.Helper()
	for di := range c.Documents {
		d := &c.Documents[di]
		seen := make(map[driver.NodeID]bool, len(d.Nodes))
		for i := range d.Nodes {
			n := &d.Nodes[i]
			if seen[n.ID] || n.ID == 0 {
				t.Fatalf("node %d of %s: number %d twice, or none", i, d.URL, n.ID)
			}
			seen[n.ID] = true
			if i == 0 != (n.Parent == -1) || int(n.Parent) >= i {
				t.Fatalf("node %d of %s: parent %d", i, d.URL, n.Parent)
			}
			if i > 0 && n.Parent != int32(i-1) {
				// Preorder without gaps: the parent is the node before or one above it.
				a := int32(i - 1)
				for a >= 0 && a != n.Parent {
					a = d.Nodes[a].Parent
				}
				if a < 0 {
					t.Fatalf("node %d of %s: not in preorder", i, d.URL)
				}
			}
			if !n.Rendered && (n.Shown != "" || n.Box != driver.Rect{}) {
				t.Fatalf("node %d of %s: not rendered, and shown %q at %v", i, d.URL, n.Shown, n.Box)
			}
		}
	}
}

func TestHostilePages(t *testing.T) {
	chrometest.NoRace(t)
	for name, page := range map[string]string{
		"empty":             "",
		"broken":            "<table><div><p></b></i><select><table><svg><p><math><mi></p></table>&nosuch;<a<b<c x=\"",
		"nul":               "\x00<p>\x00a\xff\xfe</p>",
		"many elements":     strings.Repeat("<div><span>x</span></div>", 100_000),
		"deep":              strings.Repeat("<div>", 10_000) + "x",
		"deep inline":       strings.Repeat("<b><i>", 5_000) + "x",
		"deep tables":       strings.Repeat("<table><tr><td>", 3_000) + "x",
		"deep lists":        strings.Repeat("<ul><li>", 5_000) + "x",
		"deep flex":         "<style>div{display:flex}</style>" + strings.Repeat("<div>", 10_000) + "x",
		"many list items":   "<ol>" + strings.Repeat("<li>x", 50_000),
		"many radios":       "<form>" + strings.Repeat("<input type=radio name=r checked>", 1_000),
		"many options":      "<select>" + strings.Repeat("<option>x", 20_000),
		"many shadows":      strings.Repeat("<div><template shadowrootmode=open><slot></slot></template>x</div>", 5_000),
		"deep shadows":      strings.Repeat("<div><template shadowrootmode=open>", 200) + "x",
		"many rules":        "<style>" + strings.Repeat("div p:nth-child(2n) .a > b{display:none}", 2_000) + "</style>" + strings.Repeat("<p><b>", 100),
		"broken style":      "<style>@media{{{a{b:c}}; p{display:none; : ; x} @import '",
		"long text":         "<p>" + strings.Repeat("word ", 2_000_000),
		"long preformatted": "<pre>" + strings.Repeat("word\n", 200_000),
		"huge numbers":      `<div style="width:1e300px;height:-5px;z-index:99999999999"><table><td colspan=99999999><ol start=1e99><li>x`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, p := open(t, fake.Web{"https://a.test/": page}, "https://a.test/")
			useAll(t, p)
		})
	}
}

func TestDeepTextIsStillThere(t *testing.T) {
	chrometest.NoRace(t)
	_, p := open(t, fake.Web{"https://a.test/": strings.Repeat("<div>", 10_000) + "<button>deep down</button>"}, "https://a.test/")
	if got := shown(capture(t, p)); got != "deep down|" {
		t.Errorf("shows %q", got)
	}
	click(t, p, "button")
}

// One text of 100 MB: more than a response may have by default, fine where it may.
// A machine may take its time for it: the clock stands still meanwhile.
func TestHugeText(t *testing.T) {
	chrometest.NoRace(t)
	synctest.Test(t, testHugeText)
}

func testHugeText(t *testing.T) {
	page := "<p>" + strings.Repeat("0123456789", 10<<20)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(page))
	})
	_, p := open(t, fake.New(fake.Options{Handler: h}), "")
	_, err := p.Navigate(t.Context(), "https://a.test/", nil)
	if !errors.Is(err, driver.ErrTooLarge) {
		t.Errorf("Navigate: error %v, want ErrTooLarge", err)
	}
	_, p = open(t, fake.New(fake.Options{Handler: h, MaxBytes: 200 << 20}), "https://a.test/")
	c := capture(t, p)
	if h := c.Documents[0].Content.Height; h < 1_000_000 {
		t.Errorf("the page is %v pixels high", h)
	}
}

func TestCircularFrames(t *testing.T) {
	web := fake.Web{
		"https://a.test/":     `<iframe src=/></iframe>`,
		"https://a.test/wide": strings.Repeat(`<iframe src=/wide></iframe>`, 20),
		"https://a.test/n":    `<iframe src="/n?x"></iframe>`,
	}
	for path, want := range map[string]int{"/": 3, "/wide": 421, "/n": 4} {
		_, p := open(t, web, "https://a.test"+path)
		if got := len(p.Frames()); got > 1000 || got < 2 || path == "/" && got != want {
			t.Errorf("%s has %d frames, want about %d", path, got, want)
		}
		checkForm(t, capture(t, p))
	}
	// Addresses that are all different stop at the depth.
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<iframe src="%sx"></iframe>`, r.URL.Path)
	})
	_, p := open(t, fake.New(fake.Options{Handler: h}), "https://a.test/")
	if got := len(p.Frames()); got < 5 || got > 30 {
		t.Errorf("endless frames: %d", got)
	}
}

func TestHandlersThatMisbehave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/panic":
				panic("no")
			case "/never":
				<-r.Context().Done()
			case "/loop":
				http.Redirect(w, r, "/loop", http.StatusFound)
			default:
				w.Header().Set("Content-Type", "text/html")
				w.Write([]byte("<a href=/never>never</a>"))
			}
		})
		b, p := open(t, fake.New(fake.Options{Handler: h}), "https://a.test/")
		var ne *driver.NavigationError
		if _, err := p.Navigate(t.Context(), "https://a.test/panic", nil); !errors.As(err, &ne) || ne.Reason != driver.ReasonReset {
			t.Errorf("a panic: error %v, want reason reset", err)
		}
		if _, err := p.Navigate(t.Context(), "https://a.test/loop", nil); !errors.As(err, &ne) || !strings.Contains(err.Error(), "TOO_MANY_REDIRECTS") {
			t.Errorf("a loop: error %v, want too many redirects", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start := time.Now()
		if _, err := p.Navigate(ctx, "https://a.test/never", nil); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 5*time.Second {
			t.Errorf("never, after %v: error %v, want the deadline's", time.Since(start), err)
		}
		// The page is usable while the answer is awaited, and a context without
		// a deadline is bounded.
		if got := shown(capture(t, p)); got != "never|" {
			t.Errorf("shows %q", got)
		}
		start = time.Now()
		click(t, p, "a")
		if got := time.Since(start); got > time.Second {
			t.Errorf("the click waited %v", got)
		}
		start = time.Now()
		if _, err := p.Navigate(t.Context(), "https://a.test/never", nil); err == nil || time.Since(start) > time.Minute {
			t.Errorf("never without a deadline, after %v: error %v", time.Since(start), err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestInvalidSelectors(t *testing.T) {
	_, p := open(t, fake.Web{"https://a.test/": "<p>x"}, "https://a.test/")
	for _, sel := range []driver.Selector{{Text: ""}, {Text: "p:"}, {Text: ":contains(x)"}, {Text: "p[a#=x]"}, {Text: "a,,b"}, {Text: "p::before"},
		{Kind: driver.XPath, Text: ""}, {Kind: driver.XPath, Text: "//["}, {Kind: driver.XPath, Text: "count(//p)"}, {Kind: driver.XPath, Text: "///"}} {
		if refs, err := p.Find(t.Context(), driver.NodeRef{}, sel); !errors.Is(err, driver.ErrSelector) {
			t.Errorf("Find(%v) = %v, %v, want ErrSelector", sel, refs, err)
		}
	}
}

func FuzzCapture(f *testing.F) {
	for _, s := range []string{"<p>x", "<table><tr><td><select><option>a<optgroup>b", "<style>p::before{content:'x' attr(id)}</style><p id=i>",
		"<div><template shadowrootmode=closed><slot name=a></slot></template><b slot=a>x</b></div>", "<dialog open><form method=dialog><button>x",
		"<iframe srcdoc='<p>in'></iframe>", "<details><summary>s</summary>x", "<ol start=3><li value=9>x", "<svg><rect x=1/><title>t</title></svg>",
		"<input type=range min=9 max=1 step=0 value=x><input type=week value=2020-W53 min=x>", "<div style='position:absolute;top:1px;inset:1px 2px'>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, page string) {
		_, p := open(t, fake.Web{"https://a.test/": "<!doctype html>" + page}, "")
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if _, err := p.Navigate(ctx, "https://a.test/", nil); err != nil {
			t.Fatal(err)
		}
		checkForm(t, capture(t, p))
		if _, err := p.HitTest(ctx, driver.Point{X: 20, Y: 20}); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := p.Input(ctx, driver.KeyDown{Key: "Tab"}, driver.InsertText{Text: "7"}, driver.KeyDown{Key: "ArrowDown"}); err != nil {
				t.Fatal(err)
			}
		}
		checkForm(t, capture(t, p))
	})
}

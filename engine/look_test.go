package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

func excerptPage() string {
	var b strings.Builder
	b.WriteString(`<h1>Orders of ann@shop.test</h1><nav aria-label="Main"><a href="/home">Home</a></nav><main aria-label="Orders"><p>Code: s3cr3t-code</p>`)
	for i := range 60 {
		fmt.Fprintf(&b, "<p>Order %d is on its way to you</p>", i)
	}
	return b.String() + `</main>`
}

func TestExcerpts(t *testing.T) {
	page := openShop(t, excerptPage(), nil)
	session := page.Session()
	snap, err := page.Snapshot(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	// The value becomes known after the page was read.
	if _, err := page.Observe(t.Context(), "", &engine.ObserveOptions{Variables: map[string]engine.Variable{"code": {Value: "s3cr3t-code"}}}); err != nil {
		t.Fatal(err)
	}
	outline, err := session.OutlineOf(snap, engine.Excerpt{})
	if err != nil || strings.Contains(outline, "s3cr3t") || !strings.Contains(outline, "%code%") || strings.Contains(outline, "/home") {
		t.Errorf("OutlineOf = %v\n%s", err, outline)
	}
	if urls, err := session.OutlineOf(snap, engine.Excerpt{URLs: true}); err != nil || !strings.Contains(urls, "/home") {
		t.Errorf("OutlineOf with addresses = %v\n%s", err, urls)
	}
	nav := snap.Search("Main")[0]
	if line := session.LineOf(snap, nav); !strings.Contains(line, "navigation: Main") {
		t.Errorf("LineOf = %s", line)
	}
	if line := session.LineOf(snap, snap.Search("code")[0]); strings.Contains(line, "s3cr3t") {
		t.Errorf("LineOf = %s", line)
	}
	part, err := session.OutlineOf(snap, engine.Excerpt{Ref: nav.Ref})
	if err != nil || strings.Contains(part, "Order 1") || !strings.Contains(part, "["+string(nav.Ref)+"] navigation: Main") || !strings.Contains(part, "link: Home") {
		t.Errorf("OutlineOf a part = %v\n%s", err, part)
	}
	if text, err := session.TextOf(snap, engine.Excerpt{Ref: nav.Ref}); err != nil || !strings.Contains(text, "Home") || strings.Contains(text, "Order") {
		t.Errorf("TextOf a part = %q, %v", text, err)
	}
	for _, max := range []int{40, 100, 300} {
		if outline, err := session.OutlineOf(snap, engine.Excerpt{MaxTokens: max}); err != nil || accessibility.Tokens(outline) > max {
			t.Errorf("an outline of %d tokens has %d, %v", max, accessibility.Tokens(outline), err)
		}
	}
	if _, err := session.OutlineOf(snap, engine.Excerpt{Ref: "9-9"}); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("OutlineOf what is not there = %v, want %v", err, engine.ErrNotFound)
	}
	if got := session.Hide("is it s3cr3t-code?"); got != "is it %code%?" {
		t.Errorf("Hide = %q", got)
	}
}

// Who reads on from where a text stopped has read all of it, whatever the room.
func TestTextInParts(t *testing.T) {
	page := openShop(t, excerptPage(), nil)
	session := page.Session()
	snap, err := page.Snapshot(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := session.TextOf(snap, engine.Excerpt{})
	if err != nil {
		t.Fatal(err)
	}
	for _, max := range []int{40, 100, 250, 100_000} {
		var read strings.Builder
		for from := 0; ; {
			text, err := session.TextOf(snap, engine.Excerpt{MaxTokens: max, From: from})
			if err != nil || accessibility.Tokens(text) > max {
				t.Fatalf("a text of %d tokens has %d, %v", max, accessibility.Tokens(text), err)
			}
			body, more, cut := strings.Cut(text, "… ")
			read.WriteString(body)
			if !cut {
				break
			}
			var left int
			if _, err := fmt.Sscanf(more, "%d more lines, from line %d on", &left, &from); err != nil {
				t.Fatalf("%q: %v", more, err)
			}
		}
		if strings.TrimSpace(read.String()) != strings.TrimSpace(whole) {
			t.Errorf("in parts of %d tokens:\n%s\nwant\n%s", max, read.String(), whole)
		}
	}
	text, err := session.TextOf(snap, engine.Excerpt{MaxTokens: 20, From: 10_000})
	if err != nil || text != "" {
		t.Errorf("beyond the end = %q, %v", text, err)
	}
}

// A line that is longer than all of the room is shortened, and the rest goes on.
func TestTextOfOneLongLine(t *testing.T) {
	page := openShop(t, `<p>`+strings.Repeat("word ", 500)+`</p><p>after</p>`, nil)
	snap, err := page.Snapshot(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := page.Session().TextOf(snap, engine.Excerpt{MaxTokens: 60})
	if err != nil || accessibility.Tokens(text) > 60 || !strings.HasPrefix(text, "word word") || !strings.Contains(text, "1 more lines, from line 1 on") {
		t.Errorf("TextOf = %q (%d tokens), %v", text, accessibility.Tokens(text), err)
	}
}

// What a page takes from a person by interactivity: inert is not in its outline, as
// what it takes by the attribute.
func TestOutlineLeavesOutInert(t *testing.T) {
	const page = `<!DOCTYPE html><title>Inert</title><style>.off { interactivity: inert }</style>
<div class="off"><button>Pay</button> at once</div><button class="off">Send</button><div inert><button>Buy</button></div><button>Read</button>`
	onEach(t, fake.New(fake.Options{Web: fake.Web{shopAddress: page}}), page, noOptions, func(t *testing.T, p *engine.Page) {
		snap, err := p.Snapshot(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		outline := snap.Outline()
		for _, gone := range []string{"Pay", "Send", "Buy", "at once"} {
			if strings.Contains(outline, gone) {
				t.Errorf("%q is in\n%s", gone, outline)
			}
		}
		if !strings.Contains(outline, "button: Read") {
			t.Errorf("the button that can be used is not in\n%s", outline)
		}
	})
}

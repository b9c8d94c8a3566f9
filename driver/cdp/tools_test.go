package cdp

import (
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// What is kept of a page's tools is bounded, and a Chrome without the feature says
// how to get it.
func TestPageTools(t *testing.T) {
	address := site{"/": `<script>for (let i = 0; i < 1500; i++) document.modelContext?.registerTool({name: 't' + i, description: 'd', execute: () => i});
		document.modelContext?.registerTool({name: 'huge', description: 'z'.repeat(2e6), execute: () => 1})</script>`}.serve(t)
	b, err := testChrome(t).Open(t.Context(), &driver.BrowserOptions{PageTools: true})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p := b.Pages()[0].(*page)
	goTo(t, p, address)
	tools, err := p.Tools(t.Context())
	if chromeMajor(t, b.Version()) < firstWithTools {
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "from 156 on") {
			t.Errorf("Tools() of a Chrome without WebMCP: %v, want since when there is one", err)
		}
		t.Skip("the rest needs WebMCP: ", err)
	}
	if err != nil || len(tools) != driver.MaxTools {
		t.Fatalf("Tools() = %d tools, %v, want %d", len(tools), err, driver.MaxTools)
	}
	r, err := p.CallTool(t.Context(), tools[999].ToolRef, "{}")
	if err != nil || r.Output != "999" {
		t.Errorf("CallTool(t999) = %+v, %v", r, err)
	}

	off, err := Launch{}.Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer off.Close()
	q := off.Pages()[0].(*page)
	q.browser.opts.PageTools = true // as if somebody else had started it without the feature
	goTo(t, q, address)
	if _, err := q.Tools(t.Context()); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "--enable-features=WebMCP") {
		t.Errorf("Tools() without the feature: %v, want how to switch it on", err)
	}
}

// Only a Chrome that is older than WebMCP is said to be; any other has it switched off.
func TestNoTools(t *testing.T) {
	for version, want := range map[string]string{
		"HeadlessChrome/148.0.7778.167": "version 148, and WebMCP is there from 156 on",
		"Chrome/155.0.1.1":              "version 155",
		"HeadlessChrome/156.0.8078.79":  "--enable-features=WebMCP",
		"Chrome/1560.1":                 "--enable-features=WebMCP",
		"":                              "--enable-features=WebMCP",
		"Other":                         "--enable-features=WebMCP",
	} {
		if err := noTools(version); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), want) {
			t.Errorf("noTools(%q) = %v, want %q", version, err, want)
		}
	}
}

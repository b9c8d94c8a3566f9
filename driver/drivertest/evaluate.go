package drivertest

import (
	"encoding/json"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

var evaluateCases = rows(Case{Doc: "Page.Evaluate"},
	rule("evaluate/value", "Evaluate returns the expression's value as JSON; undefined is null.").
		on("<p>x").
		opens(func(t *trial) {
			for expression, want := range map[string]string{"1 + 1": "2", "'a' + '\"'": `"a\""`, "({a: [1, null, true]})": `{"a":[1,null,true]}`, "undefined": "null", "null": "null", "document.querySelector('p').textContent": `"x"`} {
				t.equal(expression, evaluate(t, expression, nil), want)
			}
		}),
	rule("evaluate/promise", "A promise is awaited.").checks(func(t *trial) {
		t.equal("the value", evaluate(t, "new Promise(done => setTimeout(() => done(7), 5))", nil), "7")
	}),
	rule("evaluate/exception", "A thrown exception, a rejected promise and a syntax error are errors with the exception's text.").checks(func(t *trial) {
		for _, expression := range []string{"(() => { throw new Error('the ' + 'word') })()", "Promise.reject(new Error('the ' + 'word'))"} {
			_, err := t.page.Evaluate(t.ctx, expression, nil)
			t.must(err != nil && strings.Contains(err.Error(), "the word"), "Evaluate(%s): error %v, want one with the text", expression, err)
		}
		_, err := t.page.Evaluate(t.ctx, "1 +", nil)
		t.must(err != nil, "Evaluate of what is no expression gave no error")
	}),
	rule("evaluate/arguments", "Args make the expression a function that is called with them; Node is passed before them.").at("EvaluateOptions.Args").
		on("<p id=p>x</p>").
		opens(func(t *trial) {
			t.equal("the value", evaluate(t, "(a, b) => a.n + b", &driver.EvaluateOptions{Args: []any{map[string]int{"n": 2}, 3}}), "5")
			t.equal("no arguments", evaluate(t, "() => 4", &driver.EvaluateOptions{Args: []any{}}), "4")
			t.equal("a node", evaluate(t, "(node, s) => node.id + s", &driver.EvaluateOptions{Node: t.find("#p"), Args: []any{"!"}}), `"p!"`)
		}),
	rule("evaluate/node-frame", "With Node the function runs in the node's frame.").at("EvaluateOptions.Node").
		with(pages{"/": framed, "/in": inner}).
		opens(func(t *trial) {
			for _, selector := range []string{"#f", "#g"} {
				t.equal("the path", evaluate(t, "node => node.id + location.pathname", &driver.EvaluateOptions{Node: t.find(selector, "#b")}), `"b/in"`)
			}
		}),
	rule("evaluate/frame", "Frame says where the expression runs, whatever process it is in.").at("EvaluateOptions.Frame").
		with(pages{"/": framed, "/in": inner}).
		opens(func(t *trial) {
			for i, f := range t.frames(t.page) {
				want := []string{`"/"`, `"/in"`, `"/in"`}[i]
				t.equal("the path", evaluate(t, "location.pathname", &driver.EvaluateOptions{Frame: f.ID}), want)
			}
			t.fails("Evaluate in a frame that is not there", errOf(t.page.Evaluate(t.ctx, "1", &driver.EvaluateOptions{Frame: "nosuch"})), driver.ErrDetached)
		}),
	rule("evaluate/worlds", "The isolated world shares the DOM with the page, and no script state; Main is the page's own.").at("World").
		on("<p id=p>x</p>").
		opens(func(t *trial) {
			mainWorld := &driver.EvaluateOptions{World: driver.Main}
			evaluate(t, "window.mark = 1", mainWorld)
			t.equal("the page's mark in the isolated world", evaluate(t, "typeof window.mark", nil), `"undefined"`)
			t.equal("the page's mark in its own", evaluate(t, "window.mark", mainWorld), "1")
			evaluate(t, "document.title = 'new'; window.mark = 2", nil)
			t.equal("the title", evaluate(t, "document.title", mainWorld), `"new"`)
			t.equal("the page's mark", evaluate(t, "window.mark", mainWorld), "1")
		}),
	rule("evaluate/no-trace", "What a driver does leaves no trace in the page: no global, no attribute.").at("Isolated").
		on("<input id=i><p>x</p>").
		checks(func(t *trial) {
			mainWorld := &driver.EvaluateOptions{World: driver.Main}
			t.open("/")
			globals := evaluate(t, "Object.getOwnPropertyNames(window).length", mainWorld)
			html := evaluate(t, "document.documentElement.outerHTML", mainWorld)
			t.click("#i")
			t.capture()
			t.revision()
			t.activity()
			t.equal("globals", evaluate(t, "Object.getOwnPropertyNames(window).length", mainWorld), globals)
			t.equal("document", evaluate(t, "document.documentElement.outerHTML", mainWorld), html)
		}),
	rule("evaluate/init-script", "An init script runs in every document from the next navigation on, before the document's own scripts, in the main world.").at("Page.AddInitScript").alone().
		with(pages{"/": `<script>window.seen = window.early</script><iframe id=f src=/in></iframe>`, "/in": "<p>in"}).
		checks(func(t *trial) {
			t.ok("AddInitScript", t.page.AddInitScript(t.ctx, "window.early = location.pathname"))
			mainWorld := driver.EvaluateOptions{World: driver.Main}
			for range 2 {
				t.open("/")
				t.equal("what the page's script saw", evaluate(t, "window.seen", &mainWorld), `"/"`)
				inFrame := mainWorld
				inFrame.Frame = t.frames(t.page)[1].ID
				t.equal("in the frame", evaluate(t, "window.early", &inFrame), `"/in"`)
			}
		}),
	rule("evaluate/init-options", "BrowserOptions.InitScripts run in every document of every page.").at("BrowserOptions.InitScripts").
		on("<p>x").
		under(func(_ *trial, o *driver.BrowserOptions) {
			o.InitScripts = []string{"window.a = 1", "window.b = window.a + 1"}
		}).
		checks(func(t *trial) {
			for _, p := range []driver.Page{t.page, t.newPage()} {
				t.page = p
				t.open("/")
				t.equal("b", evaluate(t, "window.b", &driver.EvaluateOptions{World: driver.Main}), "2")
			}
		}),
	rule("evaluate/environment", "Locale, time zone and touch of an Emulation are what scripts see.").at("Emulation").
		on("<p>x").
		under(func(_ *trial, o *driver.BrowserOptions) {
			o.Locale, o.TimeZone, o.Touch, o.UserAgent = "de-CH", "Asia/Tokyo", true, "Conformance/1"
		}).
		opens(func(t *trial) {
			mainWorld := &driver.EvaluateOptions{World: driver.Main}
			t.equal("locale", evaluate(t, "Intl.DateTimeFormat().resolvedOptions().locale", mainWorld), `"de-CH"`)
			t.equal("time zone", evaluate(t, "Intl.DateTimeFormat().resolvedOptions().timeZone", mainWorld), `"Asia/Tokyo"`)
			t.equal("touch", evaluate(t, "navigator.maxTouchPoints > 0", mainWorld), "true")
			t.equal("user agent", evaluate(t, "navigator.userAgent", mainWorld), `"Conformance/1"`)
		}),
	rule("evaluate/storage-state", "StorageState has the local storage of every origin with an open document, and restores it.").at("Browser.StorageState").
		on("<p>x").
		opens(func(t *trial) {
			mainWorld := &driver.EvaluateOptions{World: driver.Main}
			evaluate(t, "localStorage.setItem('k', 'v')", mainWorld)
			s, err := t.browser.StorageState(t.ctx)
			t.ok("StorageState", err)
			t.equal("Origins", s.Origins, []driver.OriginStorage{{Origin: t.site.Origin, LocalStorage: []driver.StorageEntry{{Name: "k", Value: "v"}}}})
			b := t.openBrowser(&driver.BrowserOptions{StorageState: s})
			t.page = b.Pages()[0]
			t.open("/")
			t.equal("the value in another browser", evaluate(t, "localStorage.getItem('k')", mainWorld), `"v"`)
		}),
	rule("evaluate/permission", "What an origin was given is granted to it, and to no other.").at("BrowserOptions.Permissions").
		on("<p>x").
		under(func(t *trial, o *driver.BrowserOptions) {
			o.Permissions = map[string][]string{t.site.Origin: {"geolocation"}}
			o.Geolocation = &driver.Geolocation{Latitude: 47.5, Longitude: 7.5}
		}).
		checks(func(t *trial) {
			const state = "navigator.permissions.query({name: 'geolocation'}).then(p => p.state)"
			main := &driver.EvaluateOptions{World: driver.Main}
			t.open("/")
			t.equal("state", evaluate(t, state, main), `"granted"`)
			t.equal("place", evaluate(t, "new Promise((ok, no) => navigator.geolocation.getCurrentPosition(p => ok(p.coords.latitude), e => no(e.message)))", main), "47.5")
			t.visit(t.elsewhere("/"))
			t.must(evaluate(t, state, main) != `"granted"`, "another origin has it, too")
		}),
)

// evaluate runs an expression and returns its value as compact JSON.
func evaluate(t *trial, expression string, opts *driver.EvaluateOptions) string {
	data, err := t.page.Evaluate(t.ctx, expression, opts)
	t.ok("Evaluate "+expression, err)
	if !json.Valid(data) {
		t.errorf("Evaluate(%s) = %q, which is no JSON", expression, data)
	}
	return string(data)
}

// Package fake is a browser in memory. It is no mock: it parses HTML, computes
// styles and a layout, follows links, sends forms, keeps cookies and a history,
// and runs in microseconds, without a process, a port or a goroutine of its own.
//
// The whole of it is a map literal:
//
//	web := fake.Web{
//		"https://shop.test/":     `<a href="/cart">Cart</a>`,
//		"https://shop.test/cart": `<h1>Your cart</h1>`,
//	}
//	browser, err := web.Open(ctx, &driver.BrowserOptions{})
//
// A [Web] answers by address. Where a page must compute something, [Options]
// takes an [net/http.Handler], and with a Transport it goes to the network.
//
// # Scripts in Go
//
// Nothing here runs JavaScript. What a page's own script would do is done by Go
// functions, by address:
//
//	fake.New(fake.Options{Web: web, Scripts: map[string]func(*fake.Document){
//		"https://shop.test/": func(d *fake.Document) {
//			d.On("click", "#add", func(e *fake.Event) {
//				d.After(300*time.Millisecond, func() { // as if the server took its time
//					d.Find("#count").SetText("1")
//				})
//			})
//		},
//	}})
//
// So late rendering, re-rendering, single-page navigation, dialogs and races are
// a few lines each. A [Document] and its [Element]s are used within such
// functions alone; [Change] is the way in from a test.
//
// # Time
//
// After counts on the clock of package time. Within [testing/synctest] that is
// virtual: a minute passes at once, and in the same way each time. What is due at
// one moment happens in the order in which it was asked for, before any call
// that comes at that moment reads the page.
//
// # What it is like
//
// The same calls give the same bytes, on every machine. Identifiers are counted.
// It is picky on purpose: node numbers begin at 1 in every document, so that
// two frames' numbers collide; every navigation makes a new document, and a
// reference into an old one is stale; only Back and Forward may bring a
// document back, which is the same one then.
//
// Every character is 8 pixels wide and every line 18 high. Blocks stack, inline
// content wraps, tables and flex rows share their width, absolute and fixed boxes,
// z-index, scroll containers and the top layer are where they would be: enough
// for hit-tests, for covering, and for scrolling. Floats stand in the line in which
// they occur; grids with several columns and fonts are not there. Rules in @scope hold
// everywhere, and those for :host and ::slotted nowhere. The arrow keys leave a number
// field as it is, shadow roots delegate no focus, and Tab goes to the
// first stop from a focused element that Tab does not visit.
//
// A navigation that the map answers is over when the call that caused it
// returns. One that a handler or the network answers is waited for a quarter of a
// second by Input, and otherwise comes while the page is used.
//
// What it can't do is [errors.ErrUnsupported] in an OpError: pictures of the page,
// init scripts, and expressions that [Options] does not register.
package fake

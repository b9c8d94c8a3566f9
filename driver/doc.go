// Package driver is the contract between Wayfinder and a browser.
//
// It holds interfaces, identifiers and plain data, and no logic. A program
// that only uses Wayfinder never needs it: package engine re-exports what an
// embedder names. Whoever writes a driver reads this package from top to
// bottom and proves the result with package driver/drivertest.
//
// # The three levels
//
// A [Driver] is a configuration: which browser, started or reached how. Open
// gives a [Browser], one isolated profile with its own cookies, storage and
// cache. A browser holds [Page]s, one for each tab or window.
//
// # Identity
//
// A node is named by a [NodeRef], never by a bare number: the frame it is in,
// the document that the frame showed, and the node's number there. The middle
// part is what makes a click safe. Browsers keep old documents alive in a
// back/forward cache and continue accepting their node numbers, so a number alone
// may name a button of a page that is no longer shown. A driver compares Doc
// with the document that the frame shows now before it touches anything, and
// answers [ErrStale] where they differ.
//
// # Coordinates
//
// All lengths are CSS pixels as float64. A [Point] says which frame's viewport
// it is measured in; a [Rect] is in the viewport of the main frame, except
// where a field says otherwise. Device pixels appear nowhere.
//
// # Contexts
//
// A context ends the call that it was passed to and nothing else: the page
// stays open and usable. A call whose context has ended returns an error that
// wraps ctx.Err(). No driver stores a context beyond the call. Every call is
// bounded even under a context without a deadline: a driver applies a limit of
// its own (cdp: 30 s a command), so nothing waits for ever on a browser that
// has stopped answering.
//
// # Concurrency
//
// Every method of every type here may be called from several goroutines at
// once. Calls on two pages do not wait for each other. A driver does not put
// the calls on one page in an order; who needs one (package engine does) keeps
// it himself.
//
// # Wrappers
//
// A driver may wrap another one, to add failures (package faults), to keep what
// was done (package recording), or to count. Its browsers and pages then have a
// method Unwrap, which returns what they wrap: they are a [BrowserWrapper] and
// [PageWrapper]. A function for one driver's pages alone, such as a command of
// its protocol, looks through wrappers by [PageAs] and [BrowserAs] instead of
// asserting the type of what it was given. A wrapper of a browser also passes
// [Hider.Hide] on.
//
// # Errors
//
// Errors are *[OpError] values that wrap one of the sentinels of this package
// where one applies. Branch with errors.Is. What a driver cannot do is
// [errors.ErrUnsupported] inside an OpError.
package driver

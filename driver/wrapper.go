package driver

// A PageWrapper is a [Page] of a driver that wraps another driver's pages, as
// the packages faults and recording do. Whoever needs what only one driver's
// pages can do looks through it by [PageAs].
type PageWrapper interface {
	Page

	// Unwrap returns the page that is wrapped.
	Unwrap() Page
}

// A BrowserWrapper is a [Browser] of a driver that wraps another driver's
// browsers. See [BrowserAs].
type BrowserWrapper interface {
	Browser

	// Unwrap returns the browser that is wrapped.
	Unwrap() Browser
}

// PageAs returns p, or the first page below its wrappers, that is a T. T is a
// type or an interface that some driver's pages have beyond [Page].
func PageAs[T any](p Page) (T, bool) {
	for {
		if found, ok := p.(T); ok {
			return found, true
		}
		w, ok := p.(PageWrapper)
		if !ok {
			var none T
			return none, false
		}
		p = w.Unwrap()
	}
}

// BrowserAs is [PageAs] for browsers.
func BrowserAs[T any](b Browser) (T, bool) {
	for {
		if found, ok := b.(T); ok {
			return found, true
		}
		w, ok := b.(BrowserWrapper)
		if !ok {
			var none T
			return none, false
		}
		b = w.Unwrap()
	}
}

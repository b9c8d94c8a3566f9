package cdp

import "github.com/wayfinder-engine/wayfinder/driver"

// Endpoint returns the address at which others can attach to the Chrome of a
// browser of this package; it is empty where there is none: [Launch].Port was
// not set, or the browser is another driver's.
func Endpoint(b driver.Browser) string {
	if own, ok := b.(*browser); ok {
		return own.chrome.Endpoint()
	}
	return ""
}

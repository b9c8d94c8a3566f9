package fake

import (
	"github.com/wayfinder-engine/wayfinder/driver"
)

func redirects(status int) bool {
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308
}

func (f *frame) redirect(nav *navigation, status int, location string) bool {
	f.endRequest(nav, false)
	nav.status = 0
	to, err := parseURL(nav.url, location)
	if err != nil {
		f.fail(nav, &driver.NavigationError{URL: location, Reason: driver.ReasonAddress, Detail: "net::ERR_INVALID_REDIRECT"})
		return false
	}
	if nav.redirects++; nav.redirects > maxRedirects {
		f.fail(nav, &driver.NavigationError{URL: nav.url.String(), Reason: driver.ReasonOther, Detail: "net::ERR_TOO_MANY_REDIRECTS"})
		return false
	}
	if to.Fragment == "" {
		to.Fragment = nav.url.Fragment
	}
	if status == 303 && nav.method != "HEAD" || (status == 301 || status == 302) && nav.method == "POST" {
		nav.method, nav.body, nav.contentType = "GET", "", ""
	}
	nav.url = to
	return true
}

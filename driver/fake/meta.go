package fake

import (
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// meta obeys <meta http-equiv=refresh>.
func (d *document) meta() {
	if !d.parsed && !containsFold(d.source, "refresh") {
		return
	}
	d.parse()
	for n := d.root; n != nil; n = next(n, d.root) {
		if !isElement(n, "meta") || lower(attr(n, "http-equiv")) != "refresh" {
			continue
		}
		wait, rest, _ := strings.Cut(strings.ReplaceAll(attr(n, "content"), ",", ";"), ";")
		seconds, err := strconv.ParseFloat(trim(wait), 64)
		if err != nil || seconds < 0 {
			return
		}
		rest = trim(rest)
		if len(rest) > 4 && strings.EqualFold(rest[:3], "url") {
			rest = strings.Trim(trim(strings.TrimPrefix(trim(rest[3:]), "=")), `"'`)
		}
		u, err := d.resolve(rest)
		if err != nil {
			return
		}
		d.frame.page.after(d, time.Duration(seconds*float64(time.Second)), func() {
			d.frame.start(&navigation{url: u, source: d, replace: seconds < 1})
		})
		return
	}
}

// linked is the text of a style sheet that a link element names, as far as it
// has come.
func (d *document) linked(n *html.Node) string {
	rel := " " + lower(attr(n, "rel")) + " "
	if !strings.Contains(rel, " stylesheet ") || strings.Contains(rel, " alternate ") || has(n, "disabled") {
		return ""
	}
	u, err := d.resolve(attr(n, "href"))
	if err != nil {
		return ""
	}
	if r := d.resources[u.String()]; r != nil && r.status < 300 {
		return r.body
	}
	if text, ok := d.frame.page.browser.driver.entry("GET", u); ok {
		if r, err := readResponse(text); err == nil && r.status < 300 {
			return r.body
		}
	}
	return ""
}

package wayfindertest

import (
	"regexp"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

var (
	// leadingRef is the ref of an outline's line, and askRef the one in a line
	// that says what is left out. No page can write either: see accessibility.ParseOutline.
	leadingRef = regexp.MustCompile(`(?m)^( *)\[\d+-\d+\] `)
	askRef     = regexp.MustCompile(`(?m)^( *….*ask with ref )\d+-\d+`)

	askRefAnywhere = regexp.MustCompile(`(ask with ref )\d+-\d+`)

	// quotedRef is a ref within the text of an error.
	quotedRef = regexp.MustCompile(`\[\d+-\d+\] `)

	loopback = regexp.MustCompile(`(127\.0\.0\.1|localhost|\[::1\]):\d+`)
)

// plainOutline is an outline without its refs, which differ between browsers.
func plainOutline(outline string) string {
	outline = leadingRef.ReplaceAllString(outline, "$1")
	return withoutPorts(askRef.ReplaceAllString(outline, "${1}…"))
}

// withoutPorts gives the servers of tests one port: theirs is another in every run.
func withoutPorts(text string) string { return loopback.ReplaceAllString(text, "$1:port") }

// withoutRefs is a request's text without refs and ports.
func withoutRefs(text string) string {
	return plain(askRefAnywhere.ReplaceAllString(text, "${1}…"))
}

// plain is a message without what differs from run to run.
func plain(text string) string { return withoutPorts(quotedRef.ReplaceAllString(text, "")) }

// unified is what two texts differ in, as a unified diff; empty if nothing. A
// file may have come with other line ends.
func unified(fromName, from, toName, to string) string {
	clean := func(text string) string {
		return strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n") + "\n"
	}
	return udiff.Unified(fromName, toName, clean(from), clean(to))
}

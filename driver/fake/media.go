package fake

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// mediaMatches evaluates a media query list as far as it is about width,
// height and the kind of medium. What it does not know does not match.
func mediaMatches(query string, view driver.Size) bool {
	for _, q := range strings.Split(query, ",") {
		ok, not := true, false
		for _, part := range strings.Split(strings.TrimSpace(q), " and ") {
			part = strings.TrimSpace(part)
			if rest, found := strings.CutPrefix(part, "not "); found {
				not, part = true, rest
			}
			part = strings.TrimPrefix(part, "only ")
			ok = ok && mediaFeature(part, view)
		}
		if ok != not {
			return true
		}
	}
	return false
}

func mediaFeature(part string, view driver.Size) bool {
	switch part {
	case "all", "screen", "", "(hover)", "(hover: hover)", "(hover:hover)", "(pointer: fine)", "(prefers-color-scheme: light)", "(any-hover: hover)":
		return true
	}
	name, value, _ := strings.Cut(strings.Trim(part, "()"), ":")
	l, ok := parseLength(strings.TrimSpace(value))
	if !ok {
		return part == "(orientation: landscape)" && view.Width >= view.Height || part == "(orientation: portrait)" && view.Width < view.Height
	}
	n, _ := l.of(0, view)
	switch strings.TrimSpace(name) {
	case "min-width":
		return view.Width >= n
	case "max-width":
		return view.Width <= n
	case "min-height":
		return view.Height >= n
	case "max-height":
		return view.Height <= n
	}
	return false
}

package schema

import (
	"net/url"
	"strconv"
	"strings"
)

// pointerPath reads the JSON pointer in an address's fragment as a path.
// Without the document, a part of digits is taken for a position.
func pointerPath(address string) []any {
	_, fragment, _ := strings.Cut(address, "#")
	path := []any{}
	if !strings.HasPrefix(fragment, "/") {
		return path
	}
	for _, part := range strings.Split(fragment[1:], "/") {
		part = unescapePointer(part)
		if i, err := strconv.Atoi(part); err == nil && i >= 0 {
			path = append(path, i)
			continue
		}
		path = append(path, part)
	}
	return path
}

// unescapePointer undoes the escapes of one part of a pointer in a fragment.
func unescapePointer(part string) string {
	if s, err := url.PathUnescape(part); err == nil {
		part = s
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
}

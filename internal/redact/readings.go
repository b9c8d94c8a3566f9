package redact

import "slices"

// Readings are a text as it is, and what stands behind its escapes and within its
// Base64, layer by layer, as [Matcher.Find] reads it.
func Readings(text string) (out []string) {
	var walk func(r *reading, wrapped int)
	walk = func(r *reading, wrapped int) {
		for round := 0; ; round++ {
			if !slices.Contains(out, r.text) {
				out = append(out, r.text)
			}
			if wrapped < mostWrapped {
				if inner := r.unwrap(); inner != nil {
					walk(inner, wrapped+1)
				}
			}
			next, ok := r.resolve()
			if !ok || round == mostRounds {
				return
			}
			r = next
		}
	}
	walk(&reading{text: text}, 0)
	return out
}

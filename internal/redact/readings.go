package redact

import "slices"

// Readings are a text as it is, and what stands behind its escapes and within its
// Base64, layer by layer, as [Matcher.Find] reads it.
func Readings(text string) (out []string) {
	(&reading{text: text}).walk(0, func(r *reading) (wrapped, escaped bool) {
		if !slices.Contains(out, r.text) {
			out = append(out, r.text)
		}
		return true, true
	})
	return out
}

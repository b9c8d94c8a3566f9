package accessibility

import "strings"

// A cover is what a node has said already.
type cover struct {
	name, value string
	at          int  // up to here the name has been found in the content
	whole       bool // only a whole run of text can be covered
}

// covered reports whether a name above has said text already.
func (p *pruner) covered(f *opened, text string) bool {
	if f.cover < 0 {
		return false
	}
	return p.open[f.cover].by.covers(text)
}

// window is how far into a long name the search for a piece of it goes.
const window = 4096

// covers looks for text in what was said, from where the last piece ended.
func (c *cover) covers(text string) bool {
	if c.value != "" && strings.Contains(c.value[:min(len(c.value), window+len(text))], text) {
		return true
	}
	if c.name == "" {
		return false
	}
	if c.whole {
		return equalText(c.name, text)
	}
	rest := c.name[c.at:]
	if i := strings.Index(rest[:min(len(rest), window+len(text))], text); i >= 0 {
		c.at += i + len(text)
		return true
	}
	return strings.Contains(c.name[:min(len(c.name), window)], text)
}

// equalText reports whether a and b are equal but for white space and a closing colon.
func equalText(a, b string) bool {
	a, b = strings.TrimRight(a, ": *"), strings.TrimRight(b, ": *")
	if a == b {
		return true
	}
	if len(a) > window || len(b) > window {
		return false
	}
	return strings.ReplaceAll(a, " ", "") == strings.ReplaceAll(b, " ", "")
}

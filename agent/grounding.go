package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/agent/internal/verdict"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// mostSeen bounds what a run remembers of the pages that it saw, in bytes.
const mostSeen = 4 << 20

// seen is what a run was shown: data that it gives has to come from there.
type seen struct {
	texts     []verdict.Reading // lower case, single spaces, without refs
	step      int               // the newest one that is over
	size      int
	addresses map[string]bool
}

// page remembers a page.
func (s *seen) page(snap *engine.Snapshot, address string) {
	if s.addresses == nil {
		s.addresses = map[string]bool{}
	}
	s.addresses[address] = true
	for i := range snap.Nodes {
		if url := snap.Nodes[i].URL; url != "" {
			s.addresses[url] = true
		}
	}
	s.text(snap.Text())
}

// text remembers what a tool has answered. The oldest texts go first.
func (s *seen) text(text string) {
	text = strings.ToLower(oneLine(shownRef.ReplaceAllString(text, "")))
	if text == "" || slices.ContainsFunc(s.texts, func(r verdict.Reading) bool { return r.Text == text }) {
		return
	}
	s.texts = append(s.texts, verdict.Reading{Step: s.step, Text: text})
	s.size += len(text)
	for s.size > mostSeen && len(s.texts) > 1 {
		s.size -= len(s.texts[0].Text)
		s.texts = s.texts[1:]
	}
}

// shownRef is the ref of an element in an outline: a number of ours, which no page said.
var shownRef = regexp.MustCompile(`\[[0-9]+-[0-9]+\] `)

// says reports whether anything that was seen says so.
func (s *seen) says(text string) bool {
	text = strings.ToLower(oneLine(text))
	return text == "" || slices.ContainsFunc(s.texts, func(r verdict.Reading) bool { return strings.Contains(r.Text, text) })
}

// check looks at the leaves of some data. It returns the paths of addresses that
// stand on no page, which are invented, and of texts and numbers that no page
// said, which may be sums, or words of the model's own.
func (s *seen) check(form *schema.Schema, raw json.RawMessage) (invented, ungrounded []string) {
	isLink := map[string]bool{}
	if links, err := form.WithLinks(); err == nil && links.Found() {
		// Every address becomes a reference: what is asked for is a link.
		_, _ = links.Resolve(raw, func(ref string) (string, bool) { isLink[ref] = true; return ref, true })
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil, nil // it was validated before
	}
	walk(value, "", func(path string, leaf any) {
		switch leaf := leaf.(type) {
		case string:
			switch {
			case isLink[leaf] || strings.HasPrefix(leaf, "http://") || strings.HasPrefix(leaf, "https://"):
				if !s.addresses[leaf] && !s.says(leaf) {
					invented = append(invented, path)
				}
			case !s.says(leaf):
				ungrounded = append(ungrounded, path)
			}
		case json.Number:
			if !s.saysNumber(leaf) {
				ungrounded = append(ungrounded, path)
			}
		}
	})
	return invented, ungrounded
}

// saysNumber reports whether a number was seen, in one of the ways in which it
// is written.
func (s *seen) saysNumber(n json.Number) bool {
	text := n.String()
	forms := []string{text, strings.ReplaceAll(text, ".", ",")}
	if f, err := n.Float64(); err == nil {
		forms = append(forms, strconv.FormatFloat(f, 'f', 2, 64), strings.ReplaceAll(strconv.FormatFloat(f, 'f', 2, 64), ".", ","))
		whole, cents, _ := strings.Cut(strconv.FormatFloat(f, 'f', -1, 64), ".")
		for _, sep := range []string{",", ".", " ", "\u00a0", "'", "’"} {
			grouped := group(whole, sep)
			forms = append(forms, grouped)
			if cents != "" {
				forms = append(forms, grouped+"."+cents, grouped+","+cents)
			}
		}
	}
	return slices.ContainsFunc(forms, s.says)
}

// group writes digits in threes.
func group(digits, sep string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + sep + digits[i:]
	}
	return sign + digits
}

// walk calls f with each leaf of a JSON value and its pointer (RFC 6901).
func walk(value any, path string, f func(path string, leaf any)) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(keysOf(v)) {
			walk(v[name], path+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), f)
		}
	case []any:
		for i, item := range v {
			walk(item, fmt.Sprintf("%s/%d", path, i), f)
		}
	default:
		f(path, v)
	}
}

package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
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
	written   []string          // the same in the case that they came in, by which values of variables are found
	step      int               // the newest one that is over
	size      int
	addresses map[string]bool
	fresh     []string // of addresses, that no log has yet

	// spell returns the ways to write a text with the values of variables in the place
	// of their placeholders: pages say values, and a model writes placeholders. nil has none.
	spell func(text string) []string
}

// page remembers a page.
func (s *seen) page(snap *engine.Snapshot, address string) {
	s.address(address)
	for i := range snap.Nodes {
		if url := snap.Nodes[i].URL; url != "" {
			s.address(url)
		}
	}
	s.text(snap.Text())
}

// address remembers an address.
func (s *seen) address(address string) {
	if s.addresses == nil {
		s.addresses = map[string]bool{}
	}
	if !s.addresses[address] {
		s.addresses[address] = true
		s.fresh = append(s.fresh, address)
	}
}

// text remembers what a tool has answered. The oldest texts go first.
func (s *seen) text(text string) {
	written := oneLine(shownRef.ReplaceAllString(text, ""))
	text = strings.ToLower(written)
	if text == "" || slices.ContainsFunc(s.texts, func(r verdict.Reading) bool { return r.Text == text }) {
		return
	}
	s.texts, s.written = append(s.texts, verdict.Reading{Step: s.step, Text: text}), append(s.written, written)
	s.size += len(text)
	for s.size > mostSeen && len(s.texts) > 1 {
		s.size -= len(s.texts[0].Text)
		s.texts, s.written = s.texts[1:], s.written[1:]
	}
}

// readings are the texts as they were written, for a pending, which hides values.
func (s *seen) readings() []verdict.Reading {
	out := slices.Clone(s.texts)
	for i := range out {
		out[i].Text = s.written[i]
	}
	return out
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
func (s *seen) check(form *schema.Schema, raw json.RawMessage) (invented, nowhere []string) {
	isLink := map[string]bool{}
	if links, err := form.WithLinks(); err == nil && links.Found() {
		// Every address becomes a reference: what is asked for is a link.
		_, _ = links.Resolve(raw, func(ref string) (string, bool) { isLink[ref] = true; return ref, true })
	}
	walk(decoded(raw), "", func(path string, leaf any) {
		text, _ := leaf.(string)
		switch {
		case s.saysLeaf(leaf):
		case isLink[text] || strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://"):
			invented = append(invented, path)
		default:
			nowhere = append(nowhere, path)
		}
	})
	return invented, nowhere
}

// unsaid is why a value of an output is contradicted.
const unsaid = "no page of this run says it"

// decoded reads JSON that was validated before.
func decoded(raw json.RawMessage) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return nil
	}
	return value
}

// trace says where the members of data stand that a schema asks for: on the run's last
// page as [engine.Session.Check] finds them, or after which step an earlier page or a
// tool said them. nowhere are those that none said. Where the last page does not say all
// of the data, it may be about something else: what it contradicts is unproven then, and
// what its lists leave out of it is not said.
func (s *seen) trace(session *engine.Session, last *engine.Snapshot, form *schema.Schema, raw json.RawMessage, nowhere []string) (map[string]engine.Source, []engine.Ungrounded, []engine.Omission, error) {
	found, here := &engine.Extraction{}, &seen{spell: s.spell}
	if last != nil {
		var err error
		if found, err = session.Check(last, form, raw); err != nil {
			return nil, nil, nil, err
		}
		here.page(last, "")
	}
	about := true
	walk(decoded(raw), "", func(path string, leaf any) {
		about = about && (slices.Contains(nowhere, path) || here.saysLeaf(leaf))
	})
	sources, doubts := map[string]engine.Source{}, []engine.Ungrounded(nil)
	walk(decoded(raw), "", func(path string, leaf any) {
		source, ok := found.Sources[path]
		doubt := slices.IndexFunc(found.Ungrounded, func(u engine.Ungrounded) bool { return u.Pointer == path })
		_, text := leaf.(string)
		_, number := leaf.(json.Number)
		switch {
		case leaf == nil:
		case slices.Contains(nowhere, path) && !ok:
			doubts = append(doubts, engine.Ungrounded{Pointer: path, Degree: engine.Contradicted, Reason: unsaid})
		case slices.Contains(nowhere, path):
			doubts = append(doubts, engine.Ungrounded{Pointer: path, Degree: engine.Unproven, Reason: unsaid + "; it was computed: " + source.How})
		case doubt >= 0 && here.saysLeaf(leaf):
			u := found.Ungrounded[doubt]
			if !about {
				u.Degree = engine.Unproven
			}
			doubts = append(doubts, u)
		case !ok && (text || number):
			source, ok = engine.Source{Kind: engine.SourceText, How: s.when(leaf)}, true
			if number {
				source.Kind = engine.SourceNumber
			}
		}
		if ok {
			sources[path] = source
		}
	})
	if !about {
		found.Omitted = nil
	}
	return sources, doubts, found.Omitted, nil
}

// when says after which step a value was first seen.
func (s *seen) when(leaf any) string {
	for _, r := range s.texts {
		if one := (&seen{texts: []verdict.Reading{r}, spell: s.spell}); one.saysLeaf(leaf) {
			return fmt.Sprintf("after step %d", r.Step)
		}
	}
	return "an earlier page" // of an address
}

// saysLeaf reports whether anything that was seen says a value; yes, no and nothing are
// said in ways of a page's own.
func (s *seen) saysLeaf(leaf any) bool {
	switch leaf := leaf.(type) {
	case string:
		ways := []string{leaf}
		if s.spell != nil {
			ways = append(ways, s.spell(leaf)...)
		}
		return slices.ContainsFunc(ways, func(text string) bool { return s.addresses[text] || s.says(text) })
	case json.Number:
		return s.saysNumber(leaf)
	}
	return true
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

// walk calls f with each leaf and each empty list of a JSON value, and its pointer (RFC 6901).
func walk(value any, path string, f func(path string, leaf any)) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			walk(v[name], path+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), f)
		}
	case []any:
		if len(v) == 0 {
			f(path, v)
		}
		for i, item := range v {
			walk(item, fmt.Sprintf("%s/%d", path, i), f)
		}
	default:
		f(path, v)
	}
}

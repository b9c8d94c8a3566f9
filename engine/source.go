package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/direct"
)

// A SourceKind says what an extracted value rests on.
type SourceKind string

// The kinds of sources.
const (
	SourceText      SourceKind = "text"      // words of the page
	SourceAttribute SourceKind = "attribute" // a name, a picture's text, another attribute
	SourceNumber    SourceKind = "number"    // a number, however the page writes it
	SourceDate      SourceKind = "date"      // a date, a time or a length of time
	SourceState     SourceKind = "state"     // the state of a control
	SourceAddress   SourceKind = "address"   // where a link leads, or what a picture shows
	SourceEmpty     SourceKind = "empty"     // the page says that there is none
	SourceDerived   SourceKind = "derived"   // computed or concluded; see Source.Parts
)

// A Source is where a value of an [Extraction] stands on the page.
type Source struct {
	Frame driver.FrameID    `json:"frame,omitempty"`
	Ref   accessibility.Ref `json:"ref,omitempty"`
	Kind  SourceKind        `json:"kind"`

	// Text is what the page says there. Start and End delimit it within the
	// node's name, in bytes. Both are 0 where it is no part of the name, and
	// where the name holds the value of a variable.
	Text  string `json:"text,omitempty"`
	Start int    `json:"start,omitempty"`
	End   int    `json:"end,omitempty"`

	// Parts are what a derived value was made of: JSON pointers into the data,
	// and refs. A derived value without parts rests on what its record does not
	// say. How names the computation: "sum".
	Parts []string `json:"parts,omitempty"`
	How   string   `json:"how,omitempty"`
}

// An Ungrounded is a value of an [Extraction] that could not be traced to the page.
type Ungrounded struct {
	Pointer string `json:"pointer"` // a JSON pointer into the data
	Reason  string `json:"reason"`
}

// String returns the pointer and the reason.
func (u Ungrounded) String() string {
	if u.Pointer == "" {
		return "the value: " + u.Reason
	}
	return u.Pointer + ": " + u.Reason
}

// An UngroundedError lists the values that a strict extraction refused. It wraps
// [ErrUngrounded].
type UngroundedError struct{ Values []Ungrounded }

// maxUngroundedNamed bounds how many values the text of an error names.
const maxUngroundedNamed = 10

func (e *UngroundedError) Error() string {
	var b strings.Builder
	b.WriteString(ErrUngrounded.Error())
	for i, u := range e.Values {
		if i == maxUngroundedNamed {
			fmt.Fprintf(&b, "\n… and %d more", len(e.Values)-i)
			break
		}
		b.WriteString("\n" + u.String())
	}
	return b.String()
}

func (e *UngroundedError) Unwrap() error { return ErrUngrounded }

// directSources are the sources of what was read without a model.
func (s *Session) directSources(snap *Snapshot, found *direct.Result) map[string]Source {
	kinds := kindsOf(found.Data)
	out := make(map[string]Source, len(found.Sources))
	for pointer, place := range found.Sources {
		source := Source{Frame: place.Node.Frame, Kind: kinds[pointer], Text: place.Text}
		if node, ok := snap.Nearest(place.Node); ok {
			source.Ref = node.Ref
			if i := strings.Index(node.Name, place.Text); i >= 0 && place.Text != "" {
				source.Start, source.End = i, i+len(place.Text)
			}
		}
		out[s.secrets.hide(pointer)] = s.hideSource(snap, source)
	}
	return out
}

// kindsOf returns the kind of source that each value suggests, by pointer.
func kindsOf(data json.RawMessage) map[string]SourceKind {
	out := map[string]SourceKind{}
	var walk func(pointer string, v any)
	walk = func(pointer string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, inner := range v {
				walk(pointer+"/"+pointerEscape.Replace(name), inner)
			}
		case []any:
			for i, inner := range v {
				walk(fmt.Sprintf("%s/%d", pointer, i), inner)
			}
		case bool:
			out[pointer] = SourceState
		case float64:
			out[pointer] = SourceNumber
		case string:
			out[pointer] = SourceText
			if strings.Contains(v, "://") || strings.HasPrefix(v, "mailto:") || strings.HasPrefix(v, "tel:") {
				out[pointer] = SourceAddress
			} else if _, err := time.Parse(time.DateOnly, v); err == nil {
				out[pointer] = SourceDate
			}
		}
	}
	var v any
	if json.Unmarshal(data, &v) == nil { // a direct extraction writes JSON
		walk("", v)
	}
	return out
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// hideSource hides values of variables. Offsets would tell how long one is.
func (s *Session) hideSource(snap *Snapshot, source Source) Source {
	if s.secrets.matcher.Load() == nil {
		return source
	}
	source.Text = s.secrets.hideShown(source.Text)
	for i, part := range source.Parts {
		source.Parts[i] = s.secrets.hide(part)
	}
	if node, ok := snap.Lookup(source.Ref); !ok || s.secrets.hide(node.Name) != node.Name {
		source.Start, source.End = 0, 0
	}
	return source
}

// reveal puts values in the place of their placeholders in the strings of a JSON
// text. Of several values of one name it takes the one that the page shows.
func (s *secrets) reveal(data json.RawMessage, snap *Snapshot) json.RawMessage {
	if s.matcher.Load() == nil {
		return data
	}
	return placeholder.ReplaceAllFunc(data, func(m []byte) []byte {
		value, ok := s.shown(string(m[1:len(m)-1]), snap)
		if !ok {
			return m
		}
		quoted, err := json.Marshal(value)
		if err != nil {
			return m // strings can be written
		}
		return quoted[1 : len(quoted)-1]
	})
}

// shown returns the value of a variable that a snapshot shows, the first one if
// it shows none.
func (s *secrets) shown(name string, snap *Snapshot) (value string, ok bool) {
	s.mu.Lock()
	var values []string
	for _, v := range s.values {
		if v.Name == name {
			values = append(values, v.Text)
		}
	}
	s.mu.Unlock()
	if len(values) == 0 {
		return "", false
	}
	if len(values) > 1 {
		for _, v := range values {
			for i := range snap.Nodes {
				if strings.Contains(snap.Nodes[i].Name, v) || snap.Nodes[i].Value == v {
					return v, true
				}
			}
		}
	}
	return values[0], true
}

// An OmissionCause says why something is not in an [Extraction].
type OmissionCause string

// The causes of omissions.
const (
	// OmittedByBudget: the outline had no room for it, so the model did not see it.
	OmittedByBudget OmissionCause = "budget"
	// OmittedByPage: the page itself shows a part of a list, and says so.
	OmittedByPage OmissionCause = "page"
	// OmittedByModel: it stands beside the records of a list in the data and is
	// like them. The instruction may be the reason.
	OmittedByModel OmissionCause = "model"
)

// An Omission is something of the page that an [Extraction] does not cover.
type Omission struct {
	Cause OmissionCause `json:"cause"`

	// Pointer is the list in the data that is concerned, as a JSON pointer. It
	// is empty where that is the data itself, or not known.
	Pointer string `json:"pointer,omitempty"`

	// Refs are what was left out, or what it stands below; without any, it
	// stands somewhere on the page.
	Refs []accessibility.Ref `json:"refs,omitempty"`

	// Count is how many of Noun are missing: "rows", "items", "characters". 0 is
	// not known.
	Count int    `json:"count,omitempty"`
	Noun  string `json:"noun"`
}

// noun returns the form of a plural for n.
func noun(n int, plural string) string {
	if n == 1 {
		return strings.TrimSuffix(plural, "s")
	}
	return plural
}

// cutByBudget lists what the outline of a snapshot had no room for: lines one by
// one, and what is missing of texts and options together.
func cutByBudget(snap *Snapshot) []Omission {
	text := snap.Outline()
	if !strings.Contains(text, "… ") {
		return nil
	}
	outline, err := accessibility.ParseOutline(text)
	if err != nil { // an outline reads back
		return []Omission{{Cause: OmittedByBudget, Noun: "elements"}}
	}
	var out []Omission
	var texts, options Omission
	add := func(o *Omission, n int, ref accessibility.Ref) {
		if n > 0 {
			o.Count += n
			o.Refs = append(o.Refs, ref)
		}
	}
	for i := range outline.Items {
		it := &outline.Items[i]
		if it.Omitted != nil {
			o := Omission{Cause: OmittedByBudget, Count: it.Omitted.Count, Noun: it.Omitted.Noun}
			if it.Omitted.Ref != "" {
				o.Refs = []accessibility.Ref{it.Omitted.Ref}
			}
			out = append(out, o)
			continue
		}
		missing := it.Cut.Name + it.Cut.Value + it.Cut.Description + it.Cut.Placeholder
		for c := range it.Cells {
			missing += it.Cells[c].Cut
		}
		add(&texts, missing, it.Ref)
		add(&options, it.MoreOptions, it.Ref)
	}
	texts.Noun, options.Noun = "characters", "options"
	for _, o := range []Omission{texts, options} {
		if o.Count > 0 {
			o.Cause, o.Noun = OmittedByBudget, noun(o.Count, o.Noun)
			out = append(out, o)
		}
	}
	return out
}

// shownInPart lists the tables and lists of which the page shows a part, by
// aria-rowcount and aria-setsize (WAI-ARIA 1.2 §6.6). sources say which list of
// the data was read from each.
func shownInPart(snap *Snapshot, sources map[string]Source) []Omission {
	var out []Omission
	for d := range snap.Capture.Documents {
		doc := &snap.Capture.Documents[d]
		sets := map[int32]*shownSet{}
		var order []int32
		for i := range doc.Nodes {
			n := &doc.Nodes[i]
			if n.Kind != driver.ElementNode || !n.Rendered {
				continue
			}
			if total, ok := count(n, "aria-rowcount"); ok {
				sets[int32(i)], order = &shownSet{at: int32(i), total: total, noun: "rows"}, append(order, int32(i))
			}
			if isRow(n) {
				if table := sets[above(doc, int32(i), sets)]; table != nil {
					table.shown++
				}
			}
			total, ok := count(n, "aria-setsize")
			if !ok || n.Parent < 0 {
				continue
			}
			set := sets[n.Parent]
			if set == nil {
				set = &shownSet{at: n.Parent, noun: "items"}
				sets[n.Parent], order = set, append(order, n.Parent)
			}
			if set.noun == "items" {
				set.total = total
				set.shown++
			}
		}
		for _, at := range order {
			set := sets[at]
			if set.total >= 0 && set.total <= set.shown || set.shown == 0 {
				continue
			}
			node, ok := snap.Nearest(doc.Ref(at))
			if !ok {
				continue // out of scope
			}
			o := Omission{Cause: OmittedByPage, Refs: []accessibility.Ref{node.Ref}, Count: max(set.total-set.shown, 0), Pointer: listIn(snap, node, sources)}
			o.Noun = noun(o.Count, set.noun)
			out = append(out, o)
		}
	}
	return out
}

// A shownSet is a table or list that says how many entries it has; -1 are more
// than it knows.
type shownSet struct {
	at           int32
	total, shown int
	noun         string
}

// count reads the number of an attribute, -1 included.
func count(n *driver.Node, name string) (int, bool) {
	text, ok := n.Attr(name)
	if !ok {
		return 0, false
	}
	v, err := strconv.Atoi(strings.TrimSpace(text))
	return v, err == nil && (v > 0 || v == -1)
}

func isRow(n *driver.Node) bool {
	role, ok := n.Attr("role")
	return role == "row" || !ok && n.Name == "tr"
}

// above returns the nearest element above a row that says how many rows it has,
// -1 if a table that does not stands between.
func above(doc *driver.Document, i int32, sets map[int32]*shownSet) int32 {
	for i = doc.Nodes[i].Parent; i >= 0; i = doc.Nodes[i].Parent {
		if s := sets[i]; s != nil && s.noun == "rows" {
			return i
		}
		if doc.Nodes[i].Name == "table" {
			return -1
		}
	}
	return -1
}

// listIn returns the pointer of the list most of whose values stand below a node.
func listIn(snap *Snapshot, node *accessibility.Node, sources map[string]Source) string {
	votes := map[string]int{}
	for pointer, source := range sources {
		list := listOf(pointer)
		if list == pointer {
			continue
		}
		n, ok := snap.Lookup(source.Ref)
		for ok && n != node && n.Parent >= 0 {
			n = &snap.Nodes[n.Parent]
		}
		if ok && n == node {
			votes[list]++
		}
	}
	best, most := "", 0
	for _, list := range slices.Sorted(maps.Keys(votes)) {
		if votes[list] > most {
			best, most = list, votes[list]
		}
	}
	return best
}

// listOf returns the pointer of the outermost list that a value is in, the
// value's own if it is in none.
func listOf(pointer string) string {
	for i := 0; i < len(pointer); {
		end := len(pointer)
		if next := strings.IndexByte(pointer[i+1:], '/'); next >= 0 {
			end = i + 1 + next
		}
		if _, err := strconv.Atoi(pointer[i+1 : end]); err == nil {
			return pointer[:i]
		}
		i = end
	}
	return pointer
}

package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/direct"
	"github.com/wayfinder-engine/wayfinder/internal/grounding"
	"github.com/wayfinder-engine/wayfinder/internal/parts"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// An Extraction is what Extract read. Data is, without instruction and schema,
// {"pageText": …}; without schema {"extraction": …}; else a value of the schema.
type Extraction struct {
	Data     json.RawMessage `json:"data"`
	ID       string          `json:"actionId"`
	Usage    Usage           `json:"usage"`
	Duration time.Duration   `json:"duration"`

	// Unfilled are JSON pointers to what a direct extraction did not find; the
	// empty pointer is the whole. Required members can be missing in Data then.
	Unfilled []string `json:"unfilled,omitempty"`

	// Sources are where the values of Data stand on the page, by JSON pointer.
	// Ungrounded are the values that the page contradicts, and those that it does
	// not prove; the latter have a source, too, where the page says them. An empty
	// list is a value that says that there is none: it is proven, unproven, or
	// omits what the page has (Omitted). Nulls claim nothing and are in neither. A
	// text (Data without a schema) is traced as a whole: it is ungrounded where one
	// of its sentences is not the page's own. {"pageText": …} has no sources.
	Sources    map[string]Source `json:"sources,omitempty"`
	Ungrounded []Ungrounded      `json:"ungrounded,omitempty"`

	// Sentences are those of a text.
	Sentences []Sentence `json:"sentences,omitempty"`

	// Omitted is what Data does not cover: what a bound left unread, lists of
	// which the page shows a part, and records beside those of a list in Data
	// that the model did not give.
	Omitted []Omission `json:"omitted,omitempty"`
}

// Grounded returns how many values the page proves, of how many. Of a text
// it counts the sentences that quote something.
func (e *Extraction) Grounded() (n, of int) {
	if len(e.Sentences) > 0 {
		for i := range e.Sentences {
			switch s := &e.Sentences[i]; {
			case len(s.Doubts) > 0:
				of++
			case len(s.Sources) > 0:
				n, of = n+1, of+1
			}
		}
		return n, of
	}
	n = len(e.Sources)
	for _, u := range e.Ungrounded {
		if _, ok := e.Sources[u.Pointer]; ok {
			n--
		}
	}
	return n, n + len(e.Ungrounded)
}

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

	// Found says that the model cited other places, and not this one: it was found
	// by looking for the value.
	Found bool `json:"found,omitempty"`
}

// A Sentence is one of a text that was extracted, with where on the page stands
// what it quotes: words in quotation marks, numbers, dates, addresses, codes and
// names. Doubts say what it quotes that the page does not say, or says of
// something else. A sentence without either quotes nothing, and is the model's own.
type Sentence struct {
	Text    string   `json:"text"`
	Sources []Source `json:"sources,omitempty"`
	Doubts  []string `json:"doubts,omitempty"`
}

// directSources are the sources of what was read without a model.
func (s *Session) directSources(snap *Snapshot, found *direct.Result) map[string]Source {
	out := make(map[string]Source, len(found.Sources))
	for pointer, place := range found.Sources {
		source := Source{Frame: place.Node.Frame, Kind: kindOf(place.Value), Text: place.Text}
		if node, ok := snap.Nearest(place.Node); ok {
			source.Ref = node.Ref
			if i := strings.Index(node.Name, place.Text); i >= 0 && place.Text != "" {
				source.Start, source.End = i, i+len(place.Text)
			}
		}
		out[s.secrets.hide(pointer)] = s.secrets.hideSource(snap, source)
	}
	return out
}

// kindOf is the kind of source that a value of a direct extraction suggests.
func kindOf(value any) SourceKind {
	switch v := value.(type) {
	case bool:
		return SourceState
	case json.Number:
		return SourceNumber
	case string:
		if strings.Contains(v, "://") || strings.HasPrefix(v, "mailto:") || strings.HasPrefix(v, "tel:") {
			return SourceAddress
		}
		if _, err := time.Parse(time.DateOnly, v); err == nil {
			return SourceDate
		}
	}
	return SourceText
}

// shownInPart lists the tables and lists of which the page shows a part. sources
// say which list of the data was read from each.
func shownInPart(snap *Snapshot, sources map[string]Source) []Omission {
	var out []Omission
	for _, o := range parts.Hidden(snap) {
		shown := Omission{Cause: OmittedByPage, Refs: o.Refs, Count: o.Count, Noun: o.Noun}
		if node, ok := snap.Lookup(o.Refs[0]); ok {
			shown.Pointer = listIn(snap, node, sources)
		}
		out = append(out, shown)
	}
	return out
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
	steps := strings.Split(pointer, "/")
	for i, step := range steps {
		if _, err := strconv.Atoi(step); err == nil {
			return strings.Join(steps[:i], "/")
		}
	}
	return pointer
}

// An answerForm is the schema of an answer to Extract, and the data once the
// answer was read.
type answerForm struct {
	x        *extraction
	wanted   *Schema // the caller's; nil for a plain text
	strictly bool    // refuses what the page contradicts
	all      bool    // and what it does not prove
	reminded bool    // of the records that it leaves out
	complete bool    // an answer for the whole page
	response *answerSchema
	strict   *schema.Strict // nil for a plain text
	links    *schema.Links
	cites    *schema.Citations

	bare  json.RawMessage              // the data, with values of variables in addresses
	cited map[string]accessibility.Ref // what the answer cites, by pointer
	out   *Extraction                  // gets what a strict reading finds
}

// formFor makes the answer's form from the caller's schema: addresses become
// references, and a root that is not an object is wrapped, and objects cite
// where they were read. Without a schema it is that of a text.
func (x *extraction) formFor(wanted *Schema) (*answerForm, error) {
	if wanted == nil {
		return &answerForm{x: x, response: textSchema}, nil
	}
	links, err := wanted.WithLinks()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	cites, err := links.Schema().WithCitations()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	strict, err := cites.Schema().Strict(schema.Plain)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return &answerForm{
		x:        x,
		wanted:   wanted,
		response: newAnswerSchema("extraction", strict.JSON()),
		strict:   strict,
		links:    links,
		cites:    cites,
	}, nil
}

// read converts an answer to the caller's schema and keeps it.
func (f *answerForm) read(answer []byte) error {
	if err := f.restore(answer); err != nil || !f.strictly && !(f.complete && f.wanted != nil && grounding.Blank(f.bare)) {
		return err
	}
	if err := f.x.page.session.ground(f.x.traced, f.x.snap, f.wanted, f.bare, f.cited, f.out); err != nil {
		return err
	}
	remind := f.complete && !f.reminded
	f.reminded = true
	return refused(f.out, f.all, remind && f.strictly)
}

// refused is the error for what a strict extraction does not take: what the page
// contradicts; with all, what it does not prove; with all or gaps, records that a
// list leaves out. nil if there is nothing of it.
func refused(out *Extraction, all, gaps bool) error {
	var values []Ungrounded
	for _, u := range out.Ungrounded {
		if all || u.Degree == Contradicted {
			values = append(values, u)
		}
	}
	if all || gaps {
		for _, o := range out.Omitted {
			if o.Cause == OmittedByModel {
				values = append(values, Ungrounded{o.Pointer, Contradicted, fmt.Sprintf("the page has %d more %s there (%v); give them, unless the instruction leaves them out", o.Count, o.Noun, o.Refs[:min(len(o.Refs), 5)])})
			}
		}
	}
	if len(values) == 0 {
		return nil
	}
	return &UngroundedError{Values: values}
}

func (f *answerForm) restore(answer []byte) error {
	if f.strict == nil {
		f.bare = answer
		return nil
	}
	restored, err := f.strict.Restore(answer)
	if err != nil {
		return err
	}
	data, cited, err := f.cites.Take(restored)
	if err != nil {
		return err
	}
	f.cited = make(map[string]accessibility.Ref, len(cited))
	for pointer, ref := range cited {
		f.cited[pointer] = accessibility.Ref(strings.Trim(ref, "[] "))
	}
	f.bare, err = f.links.Resolve(data, f.address)
	return err
}

// address returns the address of the link, or of the picture, that a reference
// names. A reading leaves out that of a picture which is written into the page.
func (f *answerForm) address(ref string) (string, bool) {
	node, ok := f.x.snap.Lookup(accessibility.Ref(ref))
	if !ok {
		return "", false
	}
	captured := f.x.snap.Captured(node)
	if node.URL != "" || node.Tag != "img" || captured == nil {
		return node.URL, node.URL != ""
	}
	src, _ := captured.Attr("src")
	address, err := url.Parse(strings.TrimSpace(src))
	if err != nil || address.String() == "" {
		return "", false
	}
	return address.String(), true
}

// Check says of data of a schema's form, wherever it came from, what [Page.Extract] says
// of an answer: where it stands in a reading of a page, what that contradicts or does
// not prove, and which records its lists leave out. It asks no model.
func (s *Session) Check(snap *Snapshot, form *Schema, data json.RawMessage) (*Extraction, error) {
	if snap == nil || form == nil {
		return nil, fmt.Errorf("check: %w: it needs a reading and a schema", ErrInvalid)
	}
	out := &Extraction{}
	if err := s.ground(grounding.Read(snap, &grounding.Options{Now: time.Now()}), snap, form, data, nil, out); err != nil {
		return nil, fmt.Errorf("check: %w", err)
	}
	out.Data = s.secrets.hideJSON(data)
	return out, nil
}

// ground traces data to a snapshot and reports it, without values of variables.
// The data must hold them, or their placeholders.
func (s *Session) ground(page *grounding.Page, snap *Snapshot, form *Schema, data json.RawMessage, cited map[string]accessibility.Ref, out *Extraction) error {
	data = s.secrets.reveal(data, snap)
	if form == nil {
		if text, err := textIn(data); err != nil || strings.TrimSpace(text) != "" {
			s.groundText(page, snap, text, out)
			return err
		}
	}
	report, err := page.Check(form, data, cited)
	if err != nil {
		return err
	}
	out.Sources = make(map[string]Source, len(report.Sources))
	for pointer, found := range report.Sources {
		out.Sources[s.secrets.hide(pointer)] = s.sourceOf(snap, found)
	}
	out.Ungrounded = nil
	for _, f := range report.Ungrounded {
		out.Ungrounded = append(out.Ungrounded, Ungrounded{s.secrets.hide(f.Pointer), Degree(f.Degree), s.secrets.hideShown(f.Reason)})
	}
	out.Omitted = nil
	for _, gap := range report.Missing {
		out.Omitted = append(out.Omitted, Omission{
			Cause: OmittedByModel, Pointer: s.secrets.hide(gap.Pointer), Refs: gap.Refs, Count: len(gap.Refs), Noun: parts.Noun(len(gap.Refs), "records"),
		})
	}
	return nil
}

// sourceOf is a source of the tracer, without values of variables.
func (s *Session) sourceOf(snap *Snapshot, found grounding.Source) Source {
	return s.secrets.hideSource(snap, Source{
		Frame: found.Frame, Ref: found.Ref, Kind: SourceKind(found.Kind),
		Text: found.Text, Start: found.Start, End: found.End,
		Parts: found.Parts, How: found.How, Found: found.Found,
	})
}

// groundText traces a text sentence by sentence.
func (s *Session) groundText(page *grounding.Page, snap *Snapshot, text string, out *Extraction) {
	out.Sources, out.Sentences, out.Ungrounded, out.Omitted = map[string]Source{}, nil, nil, nil
	whole := Source{Kind: SourceDerived, How: "told in sentences"}
	for _, found := range page.CheckText(text) {
		sentence := Sentence{Text: s.secrets.hide(found.Text)}
		for _, source := range found.Sources {
			sentence.Sources = append(sentence.Sources, s.sourceOf(snap, source))
			whole.Frame = cmp.Or(whole.Frame, source.Frame)
			if !slices.Contains(whole.Parts, string(source.Ref)) && source.Ref != "" {
				whole.Parts = append(whole.Parts, string(source.Ref))
			}
		}
		for _, doubt := range found.Doubts {
			sentence.Doubts = append(sentence.Doubts, s.secrets.hideShown(doubt))
		}
		if len(sentence.Doubts) > 0 {
			out.Ungrounded = append(out.Ungrounded, Ungrounded{textPointer, Contradicted, fmt.Sprintf("%q: %s", sentence.Text, strings.Join(sentence.Doubts, "; "))})
		}
		out.Sentences = append(out.Sentences, sentence)
	}
	if len(out.Ungrounded) == 0 && len(whole.Parts) > 0 {
		if whole.Ref = accessibility.Ref(whole.Parts[0]); len(out.Sentences) == 1 && len(out.Sentences[0].Sources) == 1 {
			whole = out.Sentences[0].Sources[0]
		}
		out.Sources[textPointer] = whole
	}
}

// textPointer is where the text is in an answer without a schema.
const textPointer = "/extraction"

// textIn is the text of an answer without a schema.
func textIn(data json.RawMessage) (string, error) {
	var answer struct{ Extraction string }
	err := json.Unmarshal(data, &answer)
	return answer.Extraction, err
}

// textSchema is the form of an answer where no schema is given.
var textSchema = newAnswerSchema("extraction", json.RawMessage(`{
  "type": "object",
  "properties": {"extraction": {"type": "string", "description": "what was asked for, as text"}},
  "required": ["extraction"],
  "additionalProperties": false
}`))

package offline

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A form is the part of a JSON Schema that the matcher fills in.
type form struct {
	kind        string // object, array, string, number, integer, boolean; empty: anything
	nullable    bool
	title       string
	description string
	enum        []any
	format      string
	link        bool // a string that must be the ref of a link
	members     map[string]*form
	required    map[string]bool
	element     *form // of an array
}

// names returns the members' names in a fixed order.
func (f *form) names() []string { return slices.Sorted(maps.Keys(f.members)) }

// rawSchema is what is read of a schema.
type rawSchema struct {
	Ref         string                     `json:"$ref"`
	Type        json.RawMessage            `json:"type"`
	Title       string                     `json:"title"`
	Description string                     `json:"description"`
	Enum        []any                      `json:"enum"`
	Const       any                        `json:"const"`
	Format      string                     `json:"format"`
	Comment     string                     `json:"$comment"`
	Pattern     string                     `json:"pattern"`
	Properties  map[string]json.RawMessage `json:"properties"`
	Required    []string                   `json:"required"`
	Items       json.RawMessage            `json:"items"`
	AnyOf       []json.RawMessage          `json:"anyOf"`
	OneOf       []json.RawMessage          `json:"oneOf"`
	AllOf       []json.RawMessage          `json:"allOf"`
	Defs        map[string]json.RawMessage `json:"$defs"`
	Definitions map[string]json.RawMessage `json:"definitions"`
}

// refPattern is how a schema says that a string is the ref of a link.
const refPattern = `^[0-9]+-[0-9]+$`

// mostNested bounds how deep a form goes: a schema may refer to itself.
const mostNested = 12

func parseForm(raw []byte) (*form, error) {
	var root rawSchema
	if err := json.Unmarshal(raw, &root); err != nil {
		return nil, failed("invalid", "the schema is no JSON: %v", err)
	}
	defs := map[string]json.RawMessage{}
	for name, d := range root.Defs {
		defs["#/$defs/"+name] = d
	}
	for name, d := range root.Definitions {
		defs["#/definitions/"+name] = d
	}
	return readForm(raw, defs, 0)
}

func readForm(raw json.RawMessage, defs map[string]json.RawMessage, depth int) (*form, error) {
	if depth > mostNested || len(raw) == 0 {
		return &form{}, nil
	}
	var s rawSchema
	if json.Unmarshal(raw, &s) != nil {
		return &form{}, nil // true and false are schemas too
	}
	f := &form{title: s.Title, description: s.Description, format: s.Format, enum: s.Enum}
	if s.Const != nil {
		f.enum = []any{s.Const}
	}
	f.setKind(s.Type)
	f.link = f.kind == "string" && (s.Pattern == refPattern || strings.HasPrefix(s.Comment, "wayfinder: link"))
	if target, ok := defs[s.Ref]; ok && s.Ref != "" {
		inner, err := readForm(target, defs, depth+1)
		if err != nil {
			return nil, err
		}
		f.take(inner)
	}
	for _, group := range [][]json.RawMessage{s.AllOf, s.AnyOf, s.OneOf} {
		for _, alternative := range group {
			inner, err := readForm(alternative, defs, depth+1)
			if err != nil {
				return nil, err
			}
			if inner.kind == "null" {
				f.nullable = true
				continue
			}
			if f.kind == "" {
				f.take(inner)
			}
		}
	}
	if s.Properties != nil || f.kind == "object" && f.members == nil {
		f.kind, f.members, f.required = "object", map[string]*form{}, set(s.Required...)
		for name, member := range s.Properties {
			inner, err := readForm(member, defs, depth+1)
			if err != nil {
				return nil, err
			}
			f.members[name] = inner
		}
	}
	if f.kind == "array" && f.element == nil {
		var err error
		if f.element, err = readForm(s.Items, defs, depth+1); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// setKind reads "type", which is a word or a list of words.
func (f *form) setKind(raw json.RawMessage) {
	var one string
	var many []string
	if json.Unmarshal(raw, &one) == nil {
		many = []string{one}
	} else if json.Unmarshal(raw, &many) != nil {
		return
	}
	for _, k := range many {
		switch {
		case k == "null" && len(many) > 1:
			f.nullable = true
		case f.kind == "":
			f.kind = k
		}
	}
}

// take fills in what f does not say itself.
func (f *form) take(g *form) {
	if f.kind == "" {
		f.kind = g.kind
	}
	f.nullable = f.nullable || g.nullable
	f.link = f.link || g.link
	if f.title == "" {
		f.title = g.title
	}
	if f.description == "" {
		f.description = g.description
	}
	if f.format == "" {
		f.format = g.format
	}
	if f.enum == nil {
		f.enum = g.enum
	}
	if f.members == nil {
		f.members, f.required = g.members, g.required
	}
	if f.element == nil {
		f.element = g.element
	}
}

var digits = regexp.MustCompile(`-?\d{1,3}(?: \d{3})+(?:[.,]\d+)?\b|-?\d(?:[\d'’.,\x{a0}\x{202f}]*\d)?`)

// number reads the first number of a text, with whatever parts its thousands:
// "CHF 1'234.50" is 1234.5, "1.234,50 €" too.
func number(s string) (float64, bool) {
	m := digits.FindStringIndex(s)
	if m == nil {
		return 0, false
	}
	t := s[m[0]:m[1]]
	if strings.HasPrefix(t, "-") && m[0] > 0 && isWord(s[m[0]-1]) {
		t = t[1:] // a hyphen within a word
	}
	if m[0] > 0 && strings.HasSuffix(s[:m[0]], "−") {
		t = "-" + t
	}
	t = strings.NewReplacer("'", "", "’", "", "\u00a0", "", "\u202f", "", " ", "").Replace(t)
	dot, comma := strings.LastIndex(t, "."), strings.LastIndex(t, ",")
	switch {
	case dot >= 0 && comma >= 0 && comma > dot:
		t = strings.ReplaceAll(strings.ReplaceAll(t, ".", ""), ",", ".")
	case dot >= 0 && comma >= 0:
		t = strings.ReplaceAll(t, ",", "")
	case comma >= 0 && (strings.Count(t, ",") > 1 || len(t)-comma-1 == 3):
		t = strings.ReplaceAll(t, ",", "")
	case comma >= 0:
		t = strings.ReplaceAll(t, ",", ".")
	case strings.Count(t, ".") > 1:
		t = strings.ReplaceAll(t, ".", "")
	}
	n, err := strconv.ParseFloat(t, 64)
	return n, err == nil
}

func isWord(b byte) bool { return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' }

var (
	yes = set("yes", "true", "on", "checked", "available", "enabled", "active", "instock", "included", "free")
	not = regexp.MustCompile(`(?i)\b(?:no|not|un\w+|out of|sold out|none|off|false|disabled|without|inactive)\b`)
)

// truth reads a text as yes or no.
func truth(s string) (bool, bool) {
	w := words(s)
	switch {
	case len(w) == 0:
		return false, false
	case not.MatchString(s):
		return false, true
	case yes[w[0]] || yes[strings.Join(w, "")]:
		return true, true
	}
	if n, ok := number(s); ok {
		return n > 0, true
	}
	return false, false
}

func first2(b, ok bool) (any, bool) { return b, ok }

// oneOf finds the one value of a list that a text names.
func oneOf(list []any, s string) (any, bool) {
	best, at := noFit, -1
	for i, v := range list {
		if t, ok := v.(string); ok {
			if n := max(fit(t, s), fit(s, t)); n > best {
				best, at = n, i
			}
		}
	}
	if at < 0 {
		return nil, false
	}
	return list[at], true
}

// linkAt is the ref of a link at an item: itself, or the one below or around it.
func (p *page) linkAt(i int) (any, bool) {
	for j := i; j < p.end[i]; j++ {
		if p.items[j].Role == "link" {
			return string(p.items[j].Ref), true
		}
	}
	if parent := p.items[i].Parent; parent >= 0 && p.items[parent].Role == "link" {
		return string(p.items[parent].Ref), true
	}
	return nil, false
}

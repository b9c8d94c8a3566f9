package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A Draft is an edition of the JSON Schema standard.
type Draft string

// The drafts that a schema may be written in when it does not name its own.
const (
	Draft2020 Draft = "2020-12"
	Draft7    Draft = "draft-07"
)

// A Schema is a compiled JSON Schema. It never changes, and may be used from
// several goroutines at once.
type Schema struct {
	raw      []byte
	tree     any // the schema with the order of its members kept
	compiled *jsonschema.Schema
	parser   origin
}

// origin is what has to be known to parse a changed copy of a schema.
type origin struct {
	draft   Draft
	foreign bool // the schema refers to documents that were loaded
}

// Parse reads a JSON Schema. It is [Parser].Parse with the zero Parser.
func Parse(raw []byte) (*Schema, error) {
	return new(Parser).Parse(raw)
}

// A Parser holds the settings for reading schemas. The zero value reads
// draft 2020-12 where a schema does not say otherwise, and refuses every
// reference out of the schema. A Parser may be used from several goroutines
// at once if its Load may.
type Parser struct {
	// Draft is what a schema without $schema is written in; empty is Draft2020.
	Draft Draft

	// Load returns the document at an absolute address that a schema refers
	// to. nil refuses all: nothing here ever reaches for the network.
	Load func(address string) ([]byte, error)
}

// base is the address of a schema that does not give its own.
const base = "wayfinder:///schema"

// Parse reads a JSON Schema. A document that is not one gives a [*SchemaError]
// that says where and what.
func (p *Parser) Parse(raw []byte) (*Schema, error) {
	tree, err := decodeTree(raw)
	if err != nil {
		return nil, &SchemaError{Err: err}
	}
	doc, err := decode(raw)
	if err != nil {
		return nil, &SchemaError{Err: err}
	}
	switch doc.(type) {
	case map[string]any, bool:
	default:
		return nil, &SchemaError{Err: fmt.Errorf("a schema is an object or a boolean, not %s", describe(doc))}
	}
	l := &loader{load: p.Load}
	compiled, err := p.compile(doc, l)
	if err != nil {
		return nil, schemaError(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, &SchemaError{Err: err}
	}
	return &Schema{raw: compact.Bytes(), tree: tree, compiled: compiled, parser: origin{p.Draft, l.used}}, nil
}

func (p *Parser) compile(doc any, l *loader) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	switch p.Draft {
	case "", Draft2020:
		c.DefaultDraft(jsonschema.Draft2020)
	case Draft7:
		c.DefaultDraft(jsonschema.Draft7)
	default:
		return nil, fmt.Errorf("unknown draft %q", p.Draft)
	}
	c.AssertFormat()
	c.UseRegexpEngine(compilePattern)
	for _, f := range formats {
		c.RegisterFormat(f)
	}
	c.UseLoader(l)
	if err := c.AddResource(base, doc); err != nil {
		return nil, err
	}
	return c.Compile(base)
}

// JSON returns the schema as it was given, without white space. The caller
// owns it.
func (s *Schema) JSON() json.RawMessage { return slices.Clone(s.raw) }

// MarshalJSON returns the schema as it was given.
func (s *Schema) MarshalJSON() ([]byte, error) { return s.JSON(), nil }

// String returns the schema as JSON.
func (s *Schema) String() string { return string(s.raw) }

// WithCitations returns the schema with a member for citations in each object. None
// is required. A schema that has a member of that name itself stays as it is.
func (s *Schema) WithCitations() (*Citations, error) {
	root, ok := s.tree.(*object)
	if !ok || s.parser.foreign || anywhere(root, func(o *object) bool { return o.has(citation) }) {
		return &Citations{schema: s}, nil
	}
	w := &citing{n: &narrowing{schema: s}, entries: map[*object]bool{}, seen: map[citedAs]bool{}}
	w.walk(root, false)
	out, err := s.changed(rewrite(root, w.cite, "not"))
	return &Citations{out, true}, err
}

// Partial returns the schema of what one part of a document says: outside of
// lists no member is required, lists have no length, and a root that is neither
// object nor list may be null. What an entry of a list needs stays required. The
// entries of tuples stay together.
//
// The data of several parts, once joined, is validated against the original.
func (s *Schema) Partial() (*Schema, error) {
	root, ok := s.tree.(*object)
	if !ok || s.parser.foreign { // true and false; what other documents say stays
		return s, nil
	}
	n := &narrowing{schema: s}
	out := n.loose(root, 0)
	if kind := n.kind(root); kind != "object" && kind != "array" {
		out = orNull(out)
	}
	return s.changed(out)
}

// changed parses a changed copy of the schema.
func (s *Schema) changed(tree any) (*Schema, error) {
	raw, err := encodeTree(tree)
	if err != nil {
		return nil, err
	}
	return (&Parser{Draft: s.parser.draft}).Parse(raw)
}

// WithLinks returns the schema in which every string of format uri, url, iri,
// uri-reference or iri-reference, wherever it stands, is the reference of a
// link on the page instead. A member with a fixed list of values (enum, const)
// stays: nothing can be made up there.
func (s *Schema) WithLinks() (*Links, error) {
	if s.parser.foreign {
		return nil, errors.New("schema: links can't be replaced in a schema that refers to other documents")
	}
	l := &Links{original: s, schema: s}
	tree := rewrite(s.tree, func(o, _ *object) *object {
		if !isLink(o) {
			return o
		}
		l.found = true
		return linkSchema(o)
	})
	if !l.found {
		return l, nil
	}
	var err error
	l.schema, err = s.changed(tree)
	return l, err
}

// loader gives the validator what a schema refers to.
type loader struct {
	load func(string) ([]byte, error)
	used bool
}

var errNotGiven = errors.New("the schema refers to a document that was not given")

// Load implements the validator's URLLoader.
func (l *loader) Load(address string) (any, error) {
	if l.load == nil {
		return nil, errNotGiven
	}
	l.used = true
	raw, err := l.load(address)
	if err != nil {
		return nil, err
	}
	return decode(raw)
}

// Strict narrows the schema to what a provider takes. What a dialect has no
// word for is moved into descriptions, where the model still reads it: every
// answer must be validated against the original, once it is restored.
//
// A schema that can't be narrowed (free-form values, a circle of references
// where the dialect has none, over the provider's limits) gives a
// [*UnsupportedError]; it can still be sent as [Plain], or as instructions.
func (s *Schema) Strict(d Dialect) (*Strict, error) {
	n := &narrowing{schema: s, dialect: d, rules: dialects[d], definitions: newObject(), names: map[string]string{}}
	if n.rules == nil {
		return nil, fmt.Errorf("schema: unknown dialect %q", d)
	}
	tree, wrapped, err := n.root()
	if err != nil {
		return nil, err
	}
	raw, err := encodeTree(tree)
	if err != nil {
		return nil, err
	}
	return &Strict{original: s, raw: raw, wrapped: wrapped, entries: n.rules.closed}, nil
}

// Validate checks a JSON document. Formats are asserted. What is wrong comes
// as a [*ValidationError] with every issue; a document that is not JSON has one.
func (s *Schema) Validate(doc []byte) error {
	v, err := decode(doc)
	if err != nil {
		return invalid(nil, err.Error())
	}
	return s.validate(v)
}

// validate checks a decoded document.
func (s *Schema) validate(v any) error {
	err := s.compiled.Validate(v)
	if err == nil {
		return nil
	}
	if failed, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return &ValidationError{Issues: issuesOf(failed, v)}
	}
	return err
}

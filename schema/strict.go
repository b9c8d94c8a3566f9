package schema

import (
	"encoding/json"
	"slices"
)

// A Dialect is the part of JSON Schema that a provider takes.
type Dialect string

// The dialects.
const (
	// Plain is the whole standard. Only a root that is not an object is wrapped.
	Plain Dialect = "plain"

	// OpenAI is that of OpenAI's structured outputs: objects are closed, all
	// members are required, those that may be absent are nullable, and
	// objects with free names are lists of entries.
	OpenAI Dialect = "openai"

	// Anthropic is that of Claude's structured outputs: objects are closed,
	// members may stay optional, and there are no bounds.
	Anthropic Dialect = "anthropic"

	// Google is that of Gemini's JSON schemas.
	Google Dialect = "google"
)

// Strict is a schema narrowed to a dialect. It may be used from several
// goroutines at once.
type Strict struct {
	original *Schema
	raw      []byte
	wrapped  bool
	entries  bool // objects with free names are lists of entries
}

// wrapper is the member that holds a value whose schema's root is no object.
const wrapper = "value"

// JSON returns the narrowed schema. The caller owns it.
func (s *Strict) JSON() json.RawMessage { return slices.Clone(s.raw) }

// Restore brings an answer to the narrowed schema into the original's shape: a
// wrapped root is unwrapped, a null that stands for an absent member is
// removed, and lists of entries become objects. It does not validate. An
// answer that is not JSON is a [*ValidationError].
func (s *Strict) Restore(answer []byte) ([]byte, error) {
	doc, err := decode(answer)
	if err != nil {
		return nil, invalid(nil, err.Error())
	}
	if s.wrapped {
		if o, ok := doc.(map[string]any); ok && len(o) == 1 {
			if v, ok := o[wrapper]; ok {
				doc = v
			}
		}
	}
	r := restoring{entries: s.entries}
	return json.Marshal(r.value(s.original.compiled, doc, nil))
}

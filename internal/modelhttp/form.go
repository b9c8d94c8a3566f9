package modelhttp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// A Form is how a server learns what shape the answer to a request must have: by a
// schema that is sent to it, or else by words in the system prompt. The zero Form asks
// for no shape.
type Form struct {
	System string          // the system prompt
	Schema json.RawMessage // sent with the request; nil if the prompt says it in words, or no shape is asked for

	back *schema.Strict
}

// NewForm returns the form of a request's answer. The schema goes into the system
// prompt where inWords says so, or where the dialect has no words for it.
func NewForm(req *llm.Request, dialect schema.Dialect, inWords bool) (Form, error) {
	f := Form{System: llm.SystemText(req)}
	if req.Schema == nil {
		return f, nil
	}
	original, err := ParseSchema(req)
	if err != nil {
		return f, err
	}
	if !inWords && f.Narrow(original, dialect) {
		return f, nil
	}
	f.System = strings.TrimSpace(InWords(f.System, original))
	return f, nil
}

// ParseSchema reads the schema of a request's answer.
func ParseSchema(req *llm.Request) (*schema.Schema, error) {
	s, err := schema.Parse(req.Schema.Schema)
	if err != nil {
		return nil, &llm.Error{Kind: llm.KindInvalid, Message: "the response schema: " + err.Error(), Err: err}
	}
	return s, nil
}

// Narrow has a schema sent as a dialect has it, and reports whether it can be.
func (f *Form) Narrow(original *schema.Schema, dialect schema.Dialect) bool {
	narrowed, err := original.Strict(dialect)
	if err != nil {
		return false
	}
	f.Schema, f.back = narrowed.JSON(), narrowed
	return true
}

// InWords adds to a system prompt what the answer must look like.
func InWords(system string, original *schema.Schema) string {
	if system != "" {
		system += "\n\n"
	}
	return system + fmt.Sprintf("Answer with one JSON object and nothing else. It must satisfy this JSON Schema:\n%s", original)
}

// Restore brings an answer back to the shape of the request's own schema. What is no
// JSON stays as it is: the caller validates.
func (f *Form) Restore(text string) string {
	if f.back == nil {
		return text
	}
	doc, err := f.back.Restore([]byte(text))
	if err != nil {
		return text
	}
	return string(doc)
}

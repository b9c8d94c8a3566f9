package openai

import (
	"encoding/json"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// A shape is how one request says what its answer must look like.
type shape struct {
	level  level
	schema json.RawMessage // at bySchema
	strict bool
	system string // the system prompt, with the schema in words where need be
	back   *schema.Strict
}

// shape decides on the form of a request's answer.
func (m *Model) shape(req *llm.Request, known habits) (*shape, error) {
	s := &shape{level: byRequest, system: llm.SystemText(req)}
	if req.Schema == nil {
		return s, nil
	}
	original, err := schema.Parse(req.Schema.Schema)
	if err != nil {
		return nil, &llm.Error{Kind: llm.KindInvalid, Message: "the response schema: " + err.Error(), Err: err}
	}
	s.level = known.level
	s.schema = req.Schema.Schema
	if s.level == bySchema {
		if narrowed, err := original.Strict(schema.OpenAI); err == nil {
			s.strict, s.back, s.schema = true, narrowed, narrowed.JSON()
		}
		if !known.inWords {
			return s, nil
		}
	}
	if s.system != "" {
		s.system += "\n\n"
	}
	s.system += fmt.Sprintf("Answer with one JSON object and nothing else. It must satisfy this JSON Schema:\n%s", original)
	return s, nil
}

// restore brings an answer back to the shape of the request's own schema.
// What is no JSON stays as it is: the caller validates.
func (s *shape) restore(text string) string {
	if s.back == nil {
		return text
	}
	doc, err := s.back.Restore([]byte(text))
	if err != nil {
		return text
	}
	return string(doc)
}

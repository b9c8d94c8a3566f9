package schema

import "testing"

func TestPartial(t *testing.T) {
	for _, c := range []struct{ schema, takes, refuses string }{
		{`{"type":"object","properties":{"a":{"type":"string"},"l":{"type":"array","minItems":2,"items":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}}},"required":["a","l"]}`,
			`{"l":[{"n":1}]}`, `{"l":[{}]}`},
		{`{"$ref":"#/$defs/shop","$defs":{"shop":{"type":"object","properties":{"owner":{"$ref":"#/$defs/owner"},"again":{"$ref":"#/$defs/shop"}},"required":["owner"]},"owner":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name","age"]}}}`,
			`{"owner":{"age":3}}`, `{"owner":{"age":"3"}}`},
		{`{"type":"array","items":{"type":"string"},"minItems":3,"maxItems":5}`, `["a"]`, `[1]`},
		{`{"type":"object","properties":{"at":{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2}},"required":["at"]}`, `{}`, `{"at":[1]}`},
		{`{"type":"number","minimum":3}`, `null`, `2`},
		{`{"type":"object","properties":{"o":{"oneOf":[{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]},{"type":"null"}]}},"required":["o"]}`, `{"o":{}}`, `{"o":1}`},
	} {
		s, err := Parse([]byte(c.schema))
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Partial()
		if err != nil {
			t.Fatalf("Partial of %s: %v", c.schema, err)
		}
		if err := p.Validate([]byte(c.takes)); err != nil {
			t.Errorf("Partial of %s refuses %s: %v", c.schema, c.takes, err)
		}
		if err := p.Validate([]byte(c.refuses)); err == nil {
			t.Errorf("Partial of %s takes %s", c.schema, c.refuses)
		}
		if err := s.Validate([]byte(c.takes)); err == nil {
			t.Errorf("%s takes %s: the case shows nothing", c.schema, c.takes)
		}
	}
}

package schema_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/schema"
)

// FuzzSchema feeds a schema and a document through all that this package does:
// nothing panics, and what is made from a valid schema is a valid schema.
func FuzzSchema(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"object","properties":{"a":{"type":"string","format":"uri"}},"required":["a"]}`, `{"a":"0-1"}`},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}}}}`, `{"n":{"n":null}}`},
		{`{"anyOf":[{"$ref":"#"},{"type":"array","items":{"$ref":"#"}}]}`, `[[[]]]`},
		{`{"allOf":[{"properties":{"a":{"additionalProperties":{"type":"integer"}}}},{"$ref":"#/allOf/0"}]}`, `{"a":{"b":1}}`},
		{`{"type":"array","prefixItems":[{"enum":[1,null]}],"items":false,"pattern":"^(?=a)\\p{L}"}`, `[1]`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"const":1e400}],"additionalItems":{"not":{}}}`, `[1e400]`},
		{`true`, `{"":[]}`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, rawSchema, doc string) {
		s, err := schema.Parse([]byte(rawSchema))
		if err != nil {
			var wrong *schema.SchemaError
			if !errors.As(err, &wrong) {
				t.Fatalf("Parse(%q) = %T, want *SchemaError", rawSchema, err)
			}
			return
		}
		if err := s.Validate([]byte(doc)); err != nil {
			var invalid *schema.ValidationError
			if !errors.As(err, &invalid) || len(invalid.Issues) == 0 {
				t.Fatalf("Validate(%q) = %T, want *ValidationError with issues", doc, err)
			}
		}
		for _, dialect := range []schema.Dialect{schema.Plain, schema.OpenAI, schema.Google} {
			strict, err := s.Strict(dialect)
			if err != nil {
				continue
			}
			if _, err := schema.Parse(strict.JSON()); err != nil {
				t.Fatalf("Strict(%s) of %s is no schema: %v\n%s", dialect, rawSchema, err, strict.JSON())
			}
			if _, err := strict.Restore([]byte(doc)); err != nil && s.Validate([]byte(doc)) == nil {
				t.Fatalf("Restore(%q) = %v", doc, err)
			}
		}
		links, err := s.WithLinks()
		if err != nil {
			t.Fatalf("WithLinks of %s = %v", rawSchema, err)
		}
		resolved, err := links.Resolve([]byte(doc), func(string) (string, bool) { return "https://x.test/", true })
		if err == nil && s.Validate(resolved) != nil {
			t.Fatalf("Resolve(%q) = %q, which the schema refuses", doc, resolved)
		}
	})
}

func TestDepthIsBounded(t *testing.T) {
	nested := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	const want = "it nests deeper than 512 levels"
	if _, err := schema.Parse([]byte(`{"enum":` + nested + `}`)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Parse of a deep schema = %v, want %s", err, want)
	}
	s := parse(t, `{"items":{"$ref":"#"}}`)
	if err := s.Validate([]byte(nested)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Validate of a deep document = %v, want %s", err, want)
	}
	allowed := strings.Repeat("[", 512) + strings.Repeat("]", 512)
	if err := s.Validate([]byte(allowed)); err != nil {
		t.Errorf("Validate of 512 levels = %v", err)
	}
}

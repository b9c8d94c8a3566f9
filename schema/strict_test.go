package schema_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wayfinder-engine/wayfinder/schema"
)

func TestStrict(t *testing.T) {
	for _, test := range []struct {
		name    string
		dialect schema.Dialect
		schema  string
		want    string
		answer  string // to the narrowed schema
		doc     string // what it is restored to
	}{
		{"object", schema.OpenAI,
			`{"type":"object","properties":{"a":{"type":"string","minLength":2,"format":"uri","description":"A."},"b":{"type":"integer","minimum":1}},"required":["a"]}`,
			`{"type":"object","properties":{"a":{"type":"string","description":"A. (Rules: minLength 2, format \"uri\".)"},"b":{"type":["integer","null"],"minimum":1}},"required":["a","b"],"additionalProperties":false}`,
			`{"a":"http://x.test/","b":null}`, `{"a":"http://x.test/"}`},
		{"nullable stays", schema.OpenAI,
			`{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":"null"}}}`,
			`{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":"null"}},"required":["a","b"],"additionalProperties":false}`,
			`{"a":null,"b":null}`, `{"a":null,"b":null}`},
		{"array root", schema.OpenAI, `{"type":"array","items":{"type":"number","multipleOf":2},"uniqueItems":true}`,
			`{"type":"object","properties":{"value":{"type":"array","description":"Rules: uniqueItems true.","items":{"type":"number","multipleOf":2}}},"required":["value"],"additionalProperties":false}`,
			`{"value":[2,4]}`, `[2,4]`},
		{"enum", schema.OpenAI, `{"type":"object","properties":{"a":{"enum":["x","y"]},"b":{"const":1}},"required":["b"]}`,
			`{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x","y",null]},"b":{"type":"integer","enum":[1]}},"required":["a","b"],"additionalProperties":false}`,
			`{"a":null,"b":1}`, `{"b":1}`},
		{"definitions", schema.OpenAI,
			`{"$ref":"#/definitions/n","definitions":{"n":{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/definitions/n"}},"required":["v"]}}}`,
			`{"type":"object","properties":{"v":{"type":"integer"},"next":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}},"required":["v","next"],"additionalProperties":false,
			  "$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},"next":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}},"required":["v","next"],"additionalProperties":false}}}`,
			`{"v":1,"next":{"v":2,"next":null}}`, `{"v":1,"next":{"v":2}}`},
		{"one of", schema.OpenAI,
			`{"type":"object","properties":{"a":{"oneOf":[{"type":"string"},{"type":"object","properties":{"x":{"type":"integer"}}}]}}}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"object","properties":{"x":{"type":["integer","null"]}},"required":["x"],"additionalProperties":false},{"type":"null"}]}},"required":["a"],"additionalProperties":false}`,
			`{"a":{"x":null}}`, `{"a":{}}`},
		{"all of", schema.OpenAI,
			`{"$defs":{"base":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}},"allOf":[{"$ref":"#/$defs/base"},{"properties":{"b":{"type":"integer"}}}]}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["integer","null"]}},"required":["a","b"],"additionalProperties":false}`,
			`{"a":"x","b":null}`, `{"a":"x"}`},
		{"map", schema.OpenAI, `{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"integer"}}},"required":["m"]}`,
			`{"type":"object","properties":{"m":{"type":"array","items":{"type":"object","properties":{"key":{"type":"string"},"value":{"type":"integer"}},"required":["key","value"],"additionalProperties":false},"description":"A list of entries, each key once."}},"required":["m"],"additionalProperties":false}`,
			`{"m":[{"key":"a","value":1},{"key":"b","value":2}]}`, `{"m":{"a":1,"b":2}}`},
		{"reference with a description", schema.OpenAI,
			`{"$defs":{"p":{"type":"number"}},"type":"object","properties":{"a":{"$ref":"#/$defs/p","description":"A."},"b":{"$ref":"#/$defs/p"}},"required":["a","b"]}`,
			`{"type":"object","properties":{"a":{"type":"number","description":"A."},"b":{"$ref":"#/$defs/p"}},"required":["a","b"],"additionalProperties":false,"$defs":{"p":{"type":"number"}}}`,
			`{"a":1,"b":2}`, `{"a":1,"b":2}`},
		{"tuple", schema.OpenAI, `{"type":"object","properties":{"t":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"maxItems":2}},"required":["t"]}`,
			`{"type":"object","properties":{"t":{"type":"array","maxItems":2,"items":{"anyOf":[{"type":"string"},{"type":"integer"}]}}},"required":["t"],"additionalProperties":false}`,
			`{"t":["a",1]}`, `{"t":["a",1]}`},
		{"anthropic", schema.Anthropic,
			`{"type":"object","properties":{"a":{"type":"number","minimum":1},"b":{"type":"string","format":"uri"},"m":{"type":"object","additionalProperties":{"type":"integer"}}},"required":["a"]}`,
			`{"type":"object","properties":{"a":{"type":"number","description":"Rules: minimum 1."},"b":{"type":"string","format":"uri"},"m":{"type":"array","items":{"type":"object","properties":{"key":{"type":"string"},"value":{"type":"integer"}},"required":["key","value"],"additionalProperties":false},"description":"A list of entries, each key once."}},"required":["a"],"additionalProperties":false}`,
			`{"a":1,"m":[{"key":"x","value":2}]}`, `{"a":1,"m":{"x":2}}`},
		{"google", schema.Google,
			`{"type":"object","properties":{"a":{"type":"string","pattern":"^2","format":"date"},"b":{"type":"object","additionalProperties":{"type":"integer"}}},"required":["a"],"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"type":"string","format":"date","description":"Rules: pattern \"^2\"."},"b":{"type":"object","additionalProperties":{"type":"integer"}}},"required":["a"]}`,
			`{"a":"2020-01-01"}`, `{"a":"2020-01-01"}`},
		{"plain", schema.Plain, `{"type":"object","properties":{"a":{"not":{"type":"string"}}}}`, `{"type":"object","properties":{"a":{"not":{"type":"string"}}}}`,
			`{"a":1}`, `{"a":1}`},
		{"plain reference", schema.Plain, `{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}}}}`,
			`{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}}}}`,
			`{"n":{}}`, `{"n":{}}`},
		{"plain without a type", schema.Plain, `{"properties":{"n":{"type":"integer"}}}`, `{"properties":{"n":{"type":"integer"}},"type":"object"}`,
			`{"n":1}`, `{"n":1}`},
		{"plain array", schema.Plain, `{"$defs":{"n":{"type":"integer"}},"type":"array","items":{"anyOf":[{"$ref":"#/$defs/n"},{"$ref":"#"}]}}`,
			`{"type":"object","properties":{"value":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/n"},{"$ref":"#/properties/value"}]}}},"required":["value"],"additionalProperties":false,"$defs":{"n":{"type":"integer"}}}`,
			`{"value":[1,[2]]}`, `[1,[2]]`},
		{"plain anything", schema.Plain, `true`, `{"type":"object","properties":{"value":{}},"required":["value"],"additionalProperties":false}`,
			`{"value":7}`, `7`},
	} {
		t.Run(test.name, func(t *testing.T) {
			original := parse(t, test.schema)
			strict, err := original.Strict(test.dialect)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(value(t, test.want), value(t, string(strict.JSON()))); diff != "" {
				t.Errorf("Strict (-want +got):\n%s\n%s", diff, strict.JSON())
			}
			narrowed := parse(t, string(strict.JSON()))
			if err := narrowed.Validate([]byte(test.answer)); err != nil {
				t.Errorf("the answer does not satisfy the narrowed schema: %v", err)
			}
			doc, err := strict.Restore([]byte(test.answer))
			if err != nil || !cmp.Equal(value(t, test.doc), value(t, string(doc))) {
				t.Errorf("Restore(%s) = %s, %v, want %s", test.answer, doc, err, test.doc)
			}
			if err := original.Validate(doc); err != nil {
				t.Errorf("what is restored does not satisfy the original: %v", err)
			}
		})
	}
}

func TestStrictRefuses(t *testing.T) {
	deep := `{"type":"integer"}`
	for range 11 {
		deep = `{"type":"object","properties":{"a":` + deep + `}}`
	}
	values := strings.TrimSuffix(strings.Repeat(`"v",`, 1), ",")
	for i := range 1001 {
		values += `,"v` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/182) + `"`
	}
	for _, test := range []struct{ name, schema, want string }{
		{"anything", `{"type":"object","properties":{"a":{}}}`, `properties.a: allows any value, a type is needed`},
		{"nothing", `{"type":"object","properties":{"a":false}}`, `properties.a: allows no value at all`},
		{"free object", `{"type":"object","properties":{"a":{"type":"object"}}}`, `properties.a: is an object without known members`},
		{"names by pattern", `{"type":"object","patternProperties":{"^a":{"type":"string"}},"additionalProperties":false}`, `is an object without known members`},
		{"any items", `{"type":"object","properties":{"a":{"type":"array"}}}`, `properties.a: is an array of any items, a type is needed`},
		{"anchor", `{"type":"object","properties":{"a":{"$ref":"#x"}},"$defs":{"b":{"$anchor":"x"}}}`, `properties.a.$ref: refers to #x, only places within the schema itself can be referred to`},
		{"deep", deep, `has 11 levels, the limit is 10`},
		{"long list", `{"type":"object","properties":{"a":{"enum":[` + values + `]}},"required":["a"]}`, `has 1002 listed values, the limit is 1000`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := schema.Parse([]byte(test.schema))
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Strict(schema.OpenAI)
			var unsupported *schema.UnsupportedError
			if !errors.As(err, &unsupported) || err.Error() != "schema: not within openai: "+test.want {
				t.Errorf("Strict = %v, want %s", err, test.want)
			}
		})
	}
	if _, err := parse(t, `{}`).Strict("latin"); err == nil {
		t.Error("Strict of an unknown dialect = nil, want an error")
	}
}

func TestRestoreRefusesNoJSON(t *testing.T) {
	strict, err := parse(t, `{"type":"object"}`).Strict(schema.Plain)
	if err != nil {
		t.Fatal(err)
	}
	var invalid *schema.ValidationError
	if _, err := strict.Restore([]byte(`<html>`)); !errors.As(err, &invalid) {
		t.Errorf("Restore = %v, want a *ValidationError", err)
	}
}

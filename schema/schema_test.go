package schema_test

import (
	"errors"
	"testing"

	"github.com/wayfinder-engine/wayfinder/schema"
)

func parse(t *testing.T, raw string) *schema.Schema {
	t.Helper()
	s, err := schema.Parse([]byte(raw))
	if err != nil {
		t.Fatalf("Parse(%s): %v", raw, err)
	}
	return s
}

func TestParseRefuses(t *testing.T) {
	for _, test := range []struct{ name, raw, want string }{
		{"nothing", ``, `schema: no valid JSON Schema: it is empty, not JSON`},
		{"no JSON", `{"type":`, `schema: no valid JSON Schema: it is no complete JSON: it ends too soon, at byte 8`},
		{"two values", `{} {}`, `schema: no valid JSON Schema: there is more after the JSON value, at byte 4`},
		{"a string", `"object"`, `schema: no valid JSON Schema: a schema is an object or a boolean, not a string`},
		{"unknown type", `{"properties":{"a":{"type":"text"}}}`,
			`schema: no valid JSON Schema: properties.a.type: is "text", must be one of "array", "boolean", "integer", "null", "number", "object" or "string"`},
		{"several", `{"properties":{"a":{"minimum":"x"},"b":{"minLength":-1}}}`,
			`schema: no valid JSON Schema: properties.a.minimum: is a string, must be a number; properties.b.minLength: is -1, must be at least 0`},
		{"bad pattern", `{"properties":{"a":{"pattern":"("}}}`,
			`schema: no valid JSON Schema: properties.a.pattern: is "(", which is no valid regex`},
		{"remote", `{"$ref":"https://x.test/s"}`,
			`schema: no valid JSON Schema: https://x.test/s: the schema refers to a document that was not given`},
		{"dangling", `{"properties":{"a":{"$ref":"#/$defs/b"}}}`,
			`schema: no valid JSON Schema: #/$defs/b: the schema refers to a place in itself that is not there`},
		{"own file", `{"$ref":"file:///etc/hostname"}`,
			`schema: no valid JSON Schema: file:///etc/hostname: the schema refers to a document that was not given`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := schema.Parse([]byte(test.raw))
			if err == nil || err.Error() != test.want {
				t.Errorf("Parse(%s) = %v, want %s", test.raw, err, test.want)
			}
			var wrong *schema.SchemaError
			if !errors.As(err, &wrong) {
				t.Errorf("Parse(%s) = %T, want *SchemaError", test.raw, err)
			}
		})
	}
}

func TestValidateMessages(t *testing.T) {
	for _, test := range []struct{ name, schema, doc, want string }{
		{"type", `{"type":"number"}`, `"1"`, `is a string, must be a number`},
		{"types", `{"type":["array","null"]}`, `{}`, `is an object, must be null or an array`},
		{"integer", `{"type":"integer"}`, `1.5`, `is a number, must be an integer`},
		{"missing", `{"required":["b","a"]}`, `{}`, `a: is missing; b: is missing`},
		{"unknown", `{"additionalProperties":false}`, `{"x y":1}`, `["x y"]: is not a known member`},
		{"enum", `{"enum":["a",1]}`, `"c"`, `is "c", must be one of "a" or 1`},
		{"const", `{"const":{"a":1}}`, `2`, `is 2, must be {"a":1}`},
		{"format", `{"format":"email"}`, `"a"`, `is "a", which is no valid email`},
		{"bounds", `{"items":{"minimum":1,"exclusiveMaximum":3.5}}`, `[0,3.5]`, `[0]: is 0, must be at least 1; [1]: is 3.5, must be less than 3.5`},
		{"other bounds", `{"items":{"maximum":3,"exclusiveMinimum":1,"multipleOf":2}}`, `[4,1]`, `[0]: is 4, must be at most 3; [1]: is 1, must be a multiple of 2; [1]: is 1, must be more than 1`},
		{"length", `{"items":{"minLength":2,"maxLength":3}}`, `["a","ffff"]`, `[0]: has 1 character, must have at least 2; [1]: has 4 characters, must have at most 3`},
		{"items", `{"maxItems":1,"uniqueItems":true}`, `[1,1]`, `has 2 items, must have at most 1; has equal items at 0 and 1, all must differ`},
		{"too few", `{"properties":{"a":{"minItems":1},"b":{"minProperties":1},"c":{"maxProperties":0}}}`, `{"a":[],"b":{},"c":{"d":1}}`,
			`a: has 0 items, must have at least 1; b: has 0 members, must have at least 1; c: has 1 member, must have at most 0`},
		{"pattern", `{"pattern":"^a"}`, `"b"`, `is "b", must match the pattern ^a`},
		{"contains", `{"contains":{"const":1}}`, `[2]`, `has no item of the kind that must be among them`},
		{"dependent", `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `has "a" and so needs "b"`},
		{"not", `{"properties":{"a":{"not":{"type":"string"}},"b":false}}`, `{"a":"","b":1}`, `a: is what the schema forbids; b: must not be there`},
		{"names", `{"propertyNames":{"maxLength":1}}`, `{"ab":1}`, `has a member of a name that is not allowed, "ab": has 2 characters, must have at most 1`},
		{"names, deep", `{"properties":{"h":{"propertyNames":{"maxLength":1}},"i":{"maximum":1},"j":{"maximum":1}}}`, `{"h":{"ab":1},"i":2,"j":3}`,
			`h: has a member of a name that is not allowed, "ab": has 2 characters, must have at most 1; i: is 2, must be at most 1; j: is 3, must be at most 1`},
		{"deep", `{"properties":{"a":{"items":{"properties":{"b":{"type":"null"}}}}}}`, `{"a":[{},{"b":1}]}`, `a[1].b: is a number, must be null`},
		{"any of types", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, `1`, `is a number, must be a string or null`},
		{"any of, near", `{"anyOf":[{"type":"null"},{"type":"object","required":["a"]}]}`, `{}`, `a: is missing`},
		{"any of, two near", `{"anyOf":[{"required":["a"]},{"required":["b"],"properties":{"c":{"type":"string"}}}]}`, `{"c":1}`,
			`fits none of the alternatives: (1) a: is missing (2) b: is missing, c: is a number, must be a string`},
		{"one of", `{"oneOf":[{"minimum":1},{"minimum":2}]}`, `3`, `fits alternatives 1 and 2, must fit exactly one`},
		{"cut", `{"type":"object"}`, `{"a":`, `it is no complete JSON: it ends too soon, at byte 5`},
		{"html", `{"type":"object"}`, `<html>`, `it is not JSON: invalid character '<' looking for beginning of value, at byte 1`},
		{"huge number", `{"type":"number"}`, `1e999999999`, `it holds a number with an exponent beyond 5000, at byte 1`},
		{"long value", `{"const":1}`, `"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"`,
			`is "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…, must be 1`},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := parse(t, test.schema).Validate([]byte(test.doc))
			if want := "schema: " + test.want; err == nil || err.Error() != want {
				t.Errorf("Validate(%s) = %v\nwant %s", test.doc, err, want)
			}
		})
	}
}

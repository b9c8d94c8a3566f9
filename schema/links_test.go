package schema_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// addresses is a page with some links.
func addresses(ref string) (string, bool) {
	address, ok := map[string]string{
		"0-1": "https://shop.test/1",
		"0-2": "https://shop.test/2?a=b|c [x]ü%20%",
		"3-4": "https://shop.test/3",
		"0-9": "javascript",
	}[ref]
	return address, ok
}

func TestLinks(t *testing.T) {
	const link = `{"type":"string","format":"uri"}`
	for _, test := range []struct{ name, schema, answer, want string }{
		{"member", `{"properties":{"a":` + link + `,"b":{"type":"string"}}}`, `{"a":"0-1","b":"0-1"}`, `{"a":"https://shop.test/1","b":"0-1"}`},
		{"escaped", link, `"0-2"`, `"https://shop.test/2?a=b%7Cc%20%5Bx%5D%C3%BC%20%25"`},
		{"items", `{"items":{"properties":{"u":` + link + `}}}`, `[{"u":"0-1"},{},{"u":"3-4"}]`, `[{"u":"https://shop.test/1"},{},{"u":"https://shop.test/3"}]`},
		{"places", `{"prefixItems":[{"type":"integer"},` + link + `],"items":{"type":"string"}}`, `[1,"0-1","0-1"]`, `[1,"https://shop.test/1","0-1"]`},
		{"draft 7 places", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"integer"},` + link + `]}`, `[1,"0-1"]`, `[1,"https://shop.test/1"]`},
		{"free names", `{"additionalProperties":` + link + `}`, `{"x":"0-1"}`, `{"x":"https://shop.test/1"}`},
		{"named by pattern", `{"patternProperties":{"^u":` + link + `}}`, `{"u1":"0-1","v":"0-1"}`, `{"u1":"https://shop.test/1","v":"0-1"}`},
		{"reference", `{"$defs":{"l":` + link + `},"properties":{"a":{"$ref":"#/$defs/l"},"b":{"$ref":"#/$defs/l"}}}`, `{"a":"0-1","b":"3-4"}`,
			`{"a":"https://shop.test/1","b":"https://shop.test/3"}`},
		{"circle", `{"properties":{"u":` + link + `,"next":{"$ref":"#"}}}`, `{"u":"0-1","next":{"next":{"u":"3-4"}}}`,
			`{"u":"https://shop.test/1","next":{"next":{"u":"https://shop.test/3"}}}`},
		{"or null", `{"anyOf":[` + link + `,{"type":"null"}]}`, `null`, `null`},
		{"nullable", `{"type":["string","null"],"format":"uri"}`, `"0-1"`, `"https://shop.test/1"`},
		{"alternative", `{"anyOf":[` + link + `,{"const":"none"}]}`, `"none"`, `"none"`},
		{"alternative link", `{"oneOf":[` + link + `,{"const":"none"}]}`, `"0-1"`, `"https://shop.test/1"`},
		{"by kind", `{"oneOf":[{"properties":{"kind":{"const":"a"},"v":` + link + `}},{"properties":{"kind":{"const":"b"},"v":{"type":"string","maxLength":4}}}],"required":["kind"]}`,
			`{"kind":"b","v":"0-1"}`, `{"kind":"b","v":"0-1"}`},
		{"all of", `{"allOf":[{"properties":{"a":` + link + `}},{"properties":{"a":{"type":"string","minLength":3}}}]}`, `{"a":"0-1"}`, `{"a":"https://shop.test/1"}`},
		{"twice", `{"allOf":[` + link + `],"format":"uri-reference"}`, `"0-1"`, `"https://shop.test/1"`},
		{"condition", `{"if":{"properties":{"k":{"const":1}}},"then":{"properties":{"u":` + link + `}},"else":{"properties":{"u":{"type":"string"}}}}`,
			`{"k":1,"u":"0-1"}`, `{"k":1,"u":"https://shop.test/1"}`},
		{"circle of alternatives", `{"anyOf":[{"$ref":"#"},` + link + `]}`, `"0-1"`, `"https://shop.test/1"`},
		{"fixed list", `{"format":"uri","enum":["https://a.test/"]}`, `"https://a.test/"`, `"https://a.test/"`},
		{"none", `{"properties":{"a":{"type":"string"}}}`, `{"a":"0-1"}`, `{"a":"0-1"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			links, err := parse(t, test.schema).WithLinks()
			if err != nil {
				t.Fatal(err)
			}
			got, err := links.Resolve([]byte(test.answer), addresses)
			if err != nil || !cmp.Equal(value(t, test.want), value(t, string(got))) {
				t.Errorf("Resolve(%s) = %s, %v, want %s\nmodel's schema: %s", test.answer, got, err, test.want, links.Schema())
			}
		})
	}
}

func TestLinksRefuse(t *testing.T) {
	links, err := parse(t, `{"items":{"properties":{"u":{"type":"string","format":"uri","description":"the product's page"}}}}`).WithLinks()
	if err != nil {
		t.Fatal(err)
	}
	if s := links.Schema().String(); !links.Found() || strings.Contains(s, "uri") || !strings.Contains(s, "the product's page") {
		t.Errorf("the model's schema is %s", s)
	}
	for _, test := range []struct{ answer, want string }{
		{`[{"u":"https://made.up/"}]`, `schema: [0].u: is "https://made.up/", must match the pattern ^[0-9]+-[0-9]+$`},
		{`[{},{"u":"7-7"},{"u":"0-1"},{"u":"8-8"}]`, `schema: [1].u: is "7-7", which is no link on the page; [3].u: is "8-8", which is no link on the page`},
		{`[{"u":"0-9"}]`, `schema: [0].u: is "javascript", which is no valid uri`},
		{`[{"u":`, `schema: it is no complete JSON: it ends too soon, at byte 6`},
	} {
		got, err := links.Resolve([]byte(test.answer), addresses)
		if err == nil || err.Error() != test.want {
			t.Errorf("Resolve(%s) = %s, %v, want %s", test.answer, got, err, test.want)
		}
	}
}

func TestLinksOfForeignSchemas(t *testing.T) {
	p := &schema.Parser{Load: func(string) ([]byte, error) { return []byte(`{"format":"uri"}`), nil }}
	s, err := p.Parse([]byte(`{"properties":{"a":{"$ref":"https://x.test/s"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.WithLinks(); err == nil {
		t.Error("WithLinks of a schema in several documents = nil, want an error")
	}
}

package schema

import (
	"encoding/json"
	"maps"
	"testing"
)

// A model cites entries of lists by one ref, and the members of a single object by
// one each. Nothing of it is required, and nothing of it is left in the data.
func TestCitations(t *testing.T) {
	for _, c := range []struct {
		schema, answer, data string
		cited                map[string]string
	}{
		{`{"type":"object","properties":{"title":{"type":"string"},"items":{"type":"array","items":{"$ref":"#/$defs/item"}}},"required":["title"],"additionalProperties":false,"$defs":{"item":{"type":"object","properties":{"name":{"type":"string"}},"additionalProperties":false}}}`,
			`{"_ref":{"title":"0-3"},"title":"A","items":[{"_ref":"0-7","name":"B"},{"name":"C"},{"_ref":null,"name":"D"}]}`,
			`{"items":[{"name":"B"},{"name":"C"},{"name":"D"}],"title":"A"}`,
			map[string]string{"/title": "0-3", "/items/0": "0-7"}},
		{`{"type":"array","items":{"type":"object","properties":{"price":{"type":"number"}}}}`, `[{"_ref":"0-7:2","price":1}]`, `[{"price":1}]`, map[string]string{"/0": "0-7:2"}},
		{`{"type":"object","properties":{"_ref":{"type":"string"}}}`, `{"_ref":"mine"}`, `{"_ref":"mine"}`, map[string]string{}},
		{`{"type":"array","items":{"type":"string"}}`, `["a"]`, `["a"]`, map[string]string{}},
	} {
		s, err := Parse([]byte(c.schema))
		if err != nil {
			t.Fatal(err)
		}
		cites, err := s.WithCitations()
		if err != nil {
			t.Fatal(err)
		}
		if err := cites.Schema().Validate([]byte(c.answer)); err != nil {
			t.Errorf("Validate(%s) by %s: %v", c.answer, cites.Schema().JSON(), err)
		}
		if err := cites.Schema().Validate([]byte(c.data)); err != nil {
			t.Errorf("Validate(%s), which cites nothing: %v", c.data, err)
		}
		data, cited, err := cites.Take([]byte(c.answer))
		if err != nil || string(data) != c.data || !maps.Equal(cited, c.cited) {
			t.Errorf("Take(%s) = %s, %v, %v; want %s, %v", c.answer, data, cited, err, c.data, c.cited)
		}
		back, _, err := WithoutCitations(cites.Schema().JSON())
		if err != nil || !sameJSON(t, back, s.JSON()) {
			t.Errorf("WithoutCitations(%s) = %s, %v, want %s", cites.Schema().JSON(), back, err, s.JSON())
		}
	}
}

func sameJSON(t *testing.T, a, b json.RawMessage) bool {
	t.Helper()
	x, err := decodeTree(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := decodeTree(b)
	if err != nil {
		t.Fatal(err)
	}
	p, err := encodeTree(x)
	if err != nil {
		t.Fatal(err)
	}
	q, err := encodeTree(y)
	return err == nil && string(p) == string(q)
}

package parts_test

import (
	"encoding/json"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/parts"
	"github.com/wayfinder-engine/wayfinder/schema"
)

func at(place string) parts.Source       { return parts.Source{At: place} }
func repeated(place string) parts.Source { return parts.Source{At: place, Repeated: true} }

func TestJoin(t *testing.T) {
	type sources = map[string]parts.Source
	for _, c := range []struct {
		name, form, want string
		answers          []parts.Answer
	}{
		{name: "lists in page order, equal entries kept", want: `[{"n":1},{"n":2},{"n":2},{"n":3}]`, answers: []parts.Answer{
			{Data: []byte(`[{"n":1},{"n":2}]`), Sources: sources{"/0/n": at("a"), "/1/n": at("b")}},
			{Data: []byte(`[{"n":2},{"n":3}]`), Sources: sources{"/0/n": at("c"), "/1/n": at("d")}},
		}},
		{name: "an entry that stands in the context is one", want: `[{"s":"Oslo","t":1},{"s":"Oslo","t":2}]`, answers: []parts.Answer{
			{Data: []byte(`[{"s":"Oslo","t":1}]`), Sources: sources{"/0/s": at("s"), "/0/t": at("t1")}},
			{Data: []byte(`[{"s":"Oslo","t":1},{"s":"Oslo","t":2}]`), Sources: sources{"/0/s": repeated("s"), "/0/t": repeated("t1"), "/1/s": repeated("s"), "/1/t": at("t2")}},
		}},
		{name: "a list within an entry goes on", want: `{"sections":[{"dishes":[{"d":1},{"d":2},{"d":3}],"name":"Mains"},{"dishes":[{"d":4}],"name":"Soups"}]}`, answers: []parts.Answer{
			{Data: []byte(`{"sections":[{"name":"Mains","dishes":[{"d":1}]}]}`), Sources: sources{"/sections/0/name": at("m"), "/sections/0/dishes/0/d": at("1")}},
			{Data: []byte(`{"sections":[{"name":"Mains","dishes":[{"d":2},{"d":3}]},{"name":"Soups","dishes":[{"d":4}]}]}`), Sources: sources{"/sections/0/name": repeated("m"), "/sections/0/dishes/0/d": at("2"), "/sections/0/dishes/1/d": at("3"), "/sections/1/name": at("s")}},
		}},
		{name: "texts of a list", want: `["a","b","b"]`, answers: []parts.Answer{
			{Data: []byte(`["a","b"]`), Sources: sources{"/0": at("1"), "/1": at("2")}},
			{Data: []byte(`["b","b"]`), Sources: sources{"/0": repeated("2"), "/1": at("3")}},
		}},
		{name: "what stands on the page wins", want: `{"open":true,"price":5,"title":"Depot"}`, answers: []parts.Answer{
			{Data: []byte(`{"title":"","price":0,"open":false}`), Sources: sources{"/price": {}, "/open": {Derived: "nothing says so"}}},
			{Data: []byte(`{"title":"Depot","price":5}`), Sources: sources{"/title": at("t"), "/price": at("p")}},
			{Data: []byte(`{"title":"Other","open":true}`), Sources: sources{"/open": at("o")}},
		}},
		{name: "counts and sums", want: `{"count":7,"total":3.75}`, answers: []parts.Answer{
			{Data: []byte(`{"count":3,"total":1.5}`), Sources: sources{"/count": {Derived: "count"}, "/total": {Derived: "sum"}}},
			{Data: []byte(`{"count":4,"total":2.25}`), Sources: sources{"/count": {Derived: "count"}, "/total": {Derived: "sum"}}},
		}},
		{name: "tuples and lengths", form: `{"type":"object","properties":{"at":{"type":"array","minItems":2,"maxItems":2},"top":{"$ref":"#/$defs/l"}},"$defs":{"l":{"type":"array","maxItems":3}}}`,
			want: `{"at":[1,2],"top":[1,2,3]}`, answers: []parts.Answer{
				{Data: []byte(`{"at":[1,2],"top":[1,2]}`)}, {Data: []byte(`{"at":[3,4],"top":[3,4]}`)},
			}},
		{name: "nothing anywhere", want: `null`, answers: []parts.Answer{{Data: []byte(`null`)}, {Data: []byte(`null`)}}},
		{name: "a kind that differs", want: `{"a":[1]}`, answers: []parts.Answer{{Data: []byte(`{"a":[1]}`)}, {Data: []byte(`{"a":"x"}`)}}},
	} {
		var form *schema.Schema
		if c.form != "" {
			var err error
			if form, err = schema.Parse([]byte(c.form)); err != nil {
				t.Fatal(err)
			}
		}
		got, err := parts.Join(form, c.answers)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: Join = %s, %v, want %s", c.name, got, err, c.want)
		}
	}
	if _, err := parts.Join(nil, []parts.Answer{{Data: []byte(`{`)}}); err == nil {
		t.Error("Join of what is no JSON gives no error")
	}
	if got := parts.JoinTexts([]string{"a", "", " b ", "a"}); got != "a\nb" {
		t.Errorf("JoinTexts = %q", got)
	}
}

// FuzzJoin: whatever a model answers, the join is JSON.
func FuzzJoin(f *testing.F) {
	f.Add(`{"a":[{"b":1}]}`, `{"a":[{"b":1},{"b":[]}]}`, "/a/0/b")
	f.Add(`[[1],{}]`, `[{"":{"":2}}]`, "/0/")
	f.Fuzz(func(t *testing.T, a, b, pointer string) {
		s := map[string]parts.Source{pointer: repeated("x")}
		got, err := parts.Join(nil, []parts.Answer{{Data: []byte(a), Sources: map[string]parts.Source{pointer: at("x")}}, {Data: []byte(b), Sources: s}})
		if err == nil && !json.Valid(got) {
			t.Errorf("Join = %s", got)
		}
	})
}

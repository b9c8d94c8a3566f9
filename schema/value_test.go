package schema_test

import (
	"encoding/json"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wayfinder-engine/wayfinder/schema"
)

type shelf struct {
	Link  url.URL             `json:"link"`
	Maybe *url.URL            `json:"maybe"`
	List  []*url.URL          `json:"list"`
	Map   map[string]url.URL  `json:"map"`
	Deep  struct{ U url.URL } `json:"deep"`
	Any   any                 `json:"any"`
	Raw   json.RawMessage     `json:"raw"`
	Count int                 `json:"count"`
}

func TestDecode(t *testing.T) {
	s, err := schema.For[shelf]()
	if err != nil {
		t.Fatal(err)
	}
	got, err := schema.Decode[shelf](s, []byte(`{"link":"https://a:b@x.test/p?q#f","list":["https://1.test/"],"map":{"k":"https://2.test/"},
		"deep":{"U":"https://3.test/"},"any":{"n":12345678901234567890},"raw":[1.50],"count":3}`))
	if err != nil {
		t.Fatal(err)
	}
	if got.Link.String() != "https://a:b@x.test/p?q#f" || got.Maybe != nil || got.List[0].Host != "1.test" || got.Deep.U.Host != "3.test" || got.Count != 3 {
		t.Errorf("Decode = %+v", got)
	}
	if u := got.Map["k"]; u.String() != "https://2.test/" {
		t.Errorf("Decode: map has %q", u.String())
	}
	if diff := cmp.Diff(any(map[string]any{"n": json.Number("12345678901234567890")}), got.Any); diff != "" {
		t.Errorf("Decode: any (-want +got):\n%s", diff)
	}
	if string(got.Raw) != "[1.50]" {
		t.Errorf("Decode: raw = %s", got.Raw)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, test := range []struct{ name, schema, doc, want string }{
		{"by the schema", `{"properties":{"n":{"type":"integer"}}}`, `{"n":"x"}`, `schema: n: is a string, must be an integer`},
		{"by the type", `{}`, `{"n":300}`, `schema: n: is number 300, which does not fit the Go type int8`},
		{"by the address", `{}`, `{"u":"http://[::1"}`, `schema: u: is "http://[::1", which is no address`},
		{"no address", `{}`, `{"u":7}`, `schema: u: is a number, must be an address`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := schema.Decode[struct {
				N int8     `json:"n"`
				U *url.URL `json:"u"`
			}](parse(t, test.schema), []byte(test.doc))
			if err == nil || err.Error() != test.want {
				t.Errorf("Decode = %v, want %s", err, test.want)
			}
		})
	}
}

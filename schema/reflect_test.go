package schema_test

import (
	"encoding/json"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/wayfinder-engine/wayfinder/schema"
)

type category struct {
	Name string      `json:"name" jsonschema:"enum=book,enum=film"`
	Subs []category  `json:"subs,omitempty"`
	Over *category   `json:"over"`
	Tags page[price] `json:"tags,omitzero"`
}

type page[T any] struct {
	Items []T `json:"items" jsonschema:"minItems=1,maxItems=3"`
}

type price float64

type embedded struct {
	Extra *string `json:"extra"`
}

func TestFor(t *testing.T) {
	type address struct {
		City string `json:"city"`
	}
	for _, test := range []struct {
		name   string
		schema func() (*schema.Schema, error)
		want   string
	}{
		{"tags", schema.For[struct {
			Name  string  `json:"name" jsonschema:"description=as it is\\, exactly,minLength=1,pattern=^[A-Z]"`
			Price float64 `json:"price" jsonschema:"minimum=0,exclusiveMaximum=10.5"`
			Link  string  `json:"link,omitempty" jsonschema:"format=uri"`
			Note  string  `json:"note,omitzero" jsonschema_description:"in a few words, if any"`
			Stock *int    `json:"stock"`
			Must  *int    `json:"must" jsonschema:"required"`
			Plain bool
			gone  int
			Never int `json:"-"`
		}], `{
			"properties": {
				"name": {"type": "string", "minLength": 1, "pattern": "^[A-Z]", "description": "as it is, exactly"},
				"price": {"type": "number", "exclusiveMaximum": 10.5, "minimum": 0},
				"link": {"type": "string", "format": "uri"},
				"note": {"type": "string", "description": "in a few words, if any"},
				"stock": {"type": "integer"}, "must": {"type": "integer"}, "Plain": {"type": "boolean"}},
			"additionalProperties": false, "type": "object", "required": ["name", "price", "must", "Plain"]}`},
		{"types", schema.For[struct {
			T  time.Time         `json:"t"`
			U  url.URL           `json:"u"`
			UP *url.URL          `json:"up"`
			R  json.RawMessage   `json:"r"`
			N  json.Number       `json:"n"`
			B  big.Int           `json:"b"`
			IP netip.Addr        `json:"ip"`
			C  uint8             `json:"c"`
			D  []byte            `json:"d"`
			M  map[string]bool   `json:"m"`
			A  [2]int            `json:"a"`
			X  any               `json:"x"`
			O  struct{ V *int }  `json:"o"`
			S  map[string]*price `json:"s,omitempty"`
			embedded
		}], `{
			"properties": {
				"t": {"type": "string", "format": "date-time"}, "u": {"type": "string", "format": "uri"}, "up": {"type": "string", "format": "uri"},
				"r": true, "n": {"type": "number"}, "b": {"type": "integer"}, "ip": {"type": "string"}, "c": {"type": "integer", "minimum": 0},
				"d": {"type": "string", "contentEncoding": "base64"}, "m": {"additionalProperties": {"type": "boolean"}, "type": "object"},
				"a": {"items": {"type": "integer"}, "type": "array", "maxItems": 2, "minItems": 2}, "x": true,
				"o": {"properties": {"V": {"type": "integer"}}, "additionalProperties": false, "type": "object"},
				"s": {"additionalProperties": {"type": "number"}, "type": "object"},
				"extra": {"type": "string"}},
			"additionalProperties": false, "type": "object", "required": ["t", "u", "r", "n", "b", "ip", "c", "d", "m", "a", "x", "o"]}`},
		{"recursive", schema.For[category], `{
			"properties": {
				"name": {"type": "string", "enum": ["book", "film"]}, "subs": {"items": {"$ref": "#/$defs/category"}, "type": "array"},
				"over": {"$ref": "#/$defs/category"}, "tags": {"$ref": "#/$defs/page_price_"}},
			"additionalProperties": false, "type": "object", "required": ["name"],
			"$defs": {
				"category": {"properties": {
					"name": {"type": "string", "enum": ["book", "film"]}, "subs": {"items": {"$ref": "#/$defs/category"}, "type": "array"},
					"over": {"$ref": "#/$defs/category"}, "tags": {"$ref": "#/$defs/page_price_"}},
					"additionalProperties": false, "type": "object", "required": ["name"]},
				"page_price_": {"properties": {"items": {"items": {"type": "number"}, "type": "array", "maxItems": 3, "minItems": 1}},
					"additionalProperties": false, "type": "object", "required": ["items"]}}}`},
		{"array", schema.For[[]address], `{
			"$defs": {"address": {"properties": {"city": {"type": "string"}}, "additionalProperties": false, "type": "object", "required": ["city"]}},
			"items": {"$ref": "#/$defs/address"}, "type": "array"}`},
		{"pointer", schema.For[*address], `{
			"properties": {"city": {"type": "string"}}, "additionalProperties": false, "type": "object", "required": ["city"]}`},
		{"string", schema.For[string], `{"type": "string"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := test.schema()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(value(t, test.want), value(t, s.String())); diff != "" {
				t.Errorf("For (-want +got):\n%s\n%s", diff, s)
			}
		})
	}
}

// value decodes JSON for a comparison.
func value(t *testing.T, raw string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return v
}

func TestForKeepsTheOrderOfFields(t *testing.T) {
	s, err := schema.For[struct{ Z, A, M int }]()
	if err != nil {
		t.Fatal(err)
	}
	if z, a, m := strings.Index(s.String(), `"Z"`), strings.Index(s.String(), `"A"`), strings.Index(s.String(), `"M"`); z > a || a > m {
		t.Errorf("For = %s, want members in the order of the fields", s)
	}
}

func TestForRefuses(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[chan int](), reflect.TypeFor[struct{ F func() }](), reflect.TypeFor[complex128]()} {
		if s, err := schema.ForType(typ); err == nil || !strings.Contains(err.Error(), typ.String()) {
			t.Errorf("ForType(%s) = %v, %v, want an error that names it", typ, s, err)
		}
	}
}

func TestForTypesOfOneName(t *testing.T) {
	type Time struct{ Zone string }
	s, err := schema.For[struct {
		A Time
		B struct{ Inner Time }
		C page[Time]
	}]()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate([]byte(`{"A":{"Zone":"x"},"B":{"Inner":{"Zone":"y"}},"C":{"items":[{"Zone":"z"}]}}`)); err != nil {
		t.Errorf("Validate = %v with %s", err, s)
	}
}

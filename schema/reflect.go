package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/invopop/jsonschema"
)

// For returns the schema of a Go type, as encoding/json reads and writes it.
//
// A member is required unless its tag says omitempty or omitzero, or its type
// is a pointer. Objects take no other members than the struct's. Further
// rules stand in the tag "jsonschema", separated by commas: description,
// title, format, pattern, enum (once for each value), minimum, maximum,
// exclusiveMinimum, exclusiveMaximum, multipleOf, minLength, maxLength,
// minItems, maxItems, uniqueItems, default, example, required. A comma within
// a value is written \\,. A description may also stand in a tag of its own,
// "jsonschema_description".
//
//	type Product struct {
//		Name  string   `json:"name" jsonschema:"description=as the page spells it"`
//		Price float64  `json:"price" jsonschema:"minimum=0"`
//		Link  string   `json:"link,omitempty" jsonschema:"format=uri"`
//		Stock *int     `json:"stock"`
//	}
//
// A type may describe itself by a method JSONSchema or JSONSchemaExtend, as
// github.com/invopop/jsonschema defines them. A type that JSON cannot hold (a
// channel, a function) is an error.
func For[T any]() (*Schema, error) {
	return ForType(reflect.TypeFor[T]())
}

// ForType is [For] with a type that is known at run time only.
func ForType(t reflect.Type) (*Schema, error) {
	raw, err := reflectType(t)
	if err != nil {
		return nil, fmt.Errorf("schema: type %s: %w", t, err)
	}
	return Parse(raw)
}

func reflectType(t reflect.Type) (raw []byte, err error) {
	defer func() {
		// The reflector answers types that it does not take by a panic.
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	names := typeNames{taken: map[string]bool{}, names: map[reflect.Type]string{}}
	r := jsonschema.Reflector{Anonymous: true, Mapper: mapType, Namer: names.name}
	s := r.ReflectFromType(t)
	relax(t, s, s.Definitions, map[reflect.Type]bool{})
	s.Version = ""
	raw, err = json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return liftRoot(raw)
}

// typeNames gives each named type a name that is its own within one schema and
// needs no escaping in a reference.
type typeNames struct {
	taken map[string]bool
	names map[reflect.Type]string
}

// packagePrefix is the package path before a type argument's name.
var packagePrefix = regexp.MustCompile(`([\[,*])[^\[\],*]*[./]`)

func (n *typeNames) name(t reflect.Type) string {
	if t.Name() == "" {
		return ""
	}
	if name, ok := n.names[t]; ok {
		return name
	}
	name := freshName(packagePrefix.ReplaceAllString(t.Name(), "$1"), func(name string) bool { return n.taken[name] })
	n.taken[name], n.names[t] = true, name
	return name
}

var (
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	describer     = reflect.TypeFor[interface{ JSONSchema() *jsonschema.Schema }]()
	extender      = reflect.TypeFor[interface{ JSONSchemaExtend(*jsonschema.Schema) }]()
)

// mapType answers for the types that the reflector takes by their shape though
// encoding/json writes them otherwise.
func mapType(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[url.URL](), reflect.TypeFor[json.RawMessage]():
		return nil // the reflector knows them
	case reflect.TypeFor[json.Number]():
		return &jsonschema.Schema{Type: "number"}
	case reflect.TypeFor[big.Int]():
		return &jsonschema.Schema{Type: "integer"}
	}
	if implements(t, describer) || implements(t, extender) {
		return nil
	}
	if implements(t, jsonMarshaler) {
		return new(jsonschema.Schema) // what it writes can't be known
	}
	if implements(t, textMarshaler) {
		return &jsonschema.Schema{Type: "string"}
	}
	switch t.Kind() {
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &jsonschema.Schema{Type: "integer", Minimum: "0"}
	default:
		return nil
	}
}

func implements(t, contract reflect.Type) bool {
	return t.Implements(contract) || reflect.PointerTo(t).Implements(contract)
}

// relax makes members of pointer types optional, through all that t reaches.
func relax(t reflect.Type, s *jsonschema.Schema, defs jsonschema.Definitions, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s == nil || seen[t] || mapType(t) != nil || implements(t, describer) {
		return
	}
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		s = defs[name]
	}
	if s == nil {
		return
	}
	if t.Name() != "" {
		seen[t] = true
	}
	switch t.Kind() {
	case reflect.Struct:
		relaxFields(t, s, defs, seen)
	case reflect.Slice, reflect.Array:
		relax(t.Elem(), s.Items, defs, seen)
	case reflect.Map:
		relax(t.Elem(), s.AdditionalProperties, defs, seen)
		for _, p := range s.PatternProperties {
			relax(t.Elem(), p, defs, seen)
		}
	}
}

func relaxFields(t reflect.Type, s *jsonschema.Schema, defs jsonschema.Definitions, seen map[reflect.Type]bool) {
	if s.Properties == nil {
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			embedded := f.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			if embedded.Kind() == reflect.Struct {
				relaxFields(embedded, s, defs, seen)
				continue
			}
		}
		if name == "" {
			name = f.Name
		}
		member, ok := s.Properties.Get(name)
		if !ok {
			continue
		}
		demanded := slices.Contains(strings.Split(f.Tag.Get("jsonschema"), ","), "required")
		if f.Type.Kind() == reflect.Pointer && !demanded {
			s.Required = slices.DeleteFunc(s.Required, func(n string) bool { return n == name })
		}
		relax(f.Type, member, defs, seen)
	}
}

// liftRoot puts the root type's definition in the place of the reference to
// it, as every provider wants its root, and keeps the definition only where
// something else refers to it.
func liftRoot(raw []byte) ([]byte, error) {
	tree, err := decodeTree(raw)
	if err != nil {
		return nil, err
	}
	root, ok := tree.(*object)
	if !ok {
		return raw, nil
	}
	defs := root.obj("$defs")
	if defs == nil {
		return raw, nil
	}
	ref := root.str("$ref")
	if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok && defs.obj(name) != nil {
		lifted := defs.obj(name).clone()
		if !anywhere(defs, func(o *object) bool { return o.str("$ref") == ref }) {
			defs.remove(name)
		}
		lifted.set("$defs", defs)
		root = lifted
	}
	if len(defs.names) == 0 {
		root.remove("$defs")
	}
	return encodeTree(root)
}

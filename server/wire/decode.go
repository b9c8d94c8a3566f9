package wire

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Decode reads a JSON document into the struct that target points to, member
// by member. Unlike [json.Unmarshal] it takes a name only as it is written: one
// that differs in case from a known name is an unknown member, as it is for
// the schema that the document was held against.
func Decode(raw []byte, target any) error {
	return decode(raw, reflect.ValueOf(target).Elem())
}

// Knows reports whether a struct has a member of this name.
func Knows(v any, name string) bool {
	t := reflect.TypeOf(v)
	for i := range t.NumField() {
		if own, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); own == name {
			return true
		}
	}
	return false
}

// Unused returns the paths of a document's members that have no effect, in order: the
// struct that v points to has no such member, or its tag says effect:"none". What is
// null or false asks for nothing.
func Unused(raw []byte, v any) []string {
	return unused(raw, reflect.TypeOf(v).Elem(), "")
}

func unused(raw []byte, t reflect.Type, path string) (paths []string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if either, ok := reflect.Zero(t).Interface().(interface{ object() any }); ok {
		t = reflect.TypeOf(either.object())
	} else if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil // which has a form of its own
	}
	if t.Kind() == reflect.Slice {
		var elements []json.RawMessage
		_ = json.Unmarshal(raw, &elements) // it was decoded
		for i, e := range elements {
			paths = append(paths, unused(e, t.Elem(), path+"["+strconv.Itoa(i)+"]")...)
		}
		return paths
	}
	var members map[string]json.RawMessage
	if t.Kind() != reflect.Struct || json.Unmarshal(raw, &members) != nil {
		return nil
	}
	fields := map[string]reflect.StructField{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		fields[name] = t.Field(i)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if value := string(members[name]); value == "null" || value == "false" {
			continue
		}
		below := strings.TrimPrefix(path+"."+name, ".")
		field, known := fields[name]
		if !known || field.Tag.Get("effect") == "none" {
			paths = append(paths, below)
			continue
		}
		paths = append(paths, unused(members[name], field.Type, below)...)
	}
	return paths
}

func decode(raw []byte, v reflect.Value) error {
	if _, own := v.Addr().Interface().(json.Unmarshaler); own {
		return json.Unmarshal(raw, v.Addr().Interface())
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return decode(raw, v.Elem())
	case reflect.Struct:
	default:
		return json.Unmarshal(raw, v.Addr().Interface())
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return err
	}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if member, ok := members[name]; ok && string(member) != "null" {
			if err := decode(member, v.Field(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

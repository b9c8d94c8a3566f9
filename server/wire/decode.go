package wire

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Decode reads a JSON document into the struct that target points to, member
// by member. Unlike [json.Unmarshal] it takes a name only as it is written: one
// that differs in case from a known name is an unknown member, as it is for
// the schema that the document was held against.
func Decode(raw []byte, target any) error {
	return decode(raw, reflect.ValueOf(target).Elem())
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

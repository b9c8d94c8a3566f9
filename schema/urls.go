package schema

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
)

// encoding/json writes and reads url.URL as an object of its fields, and loses
// the user's name at that. So addresses are taken out of the document before
// it reads, and put into the value after.

var urlType = reflect.TypeFor[url.URL]()

// reachesURL reports whether a value of type t can hold a url.URL.
func reachesURL(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == urlType {
		return true
	}
	if seen[t] || implements(t, jsonMarshaler) || implements(t, textMarshaler) {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return reachesURL(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if reachesURL(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

// withoutURLs returns the document with null in the place of each address.
func withoutURLs(t reflect.Type, doc any) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == urlType {
		return nil
	}
	if implements(t, jsonMarshaler) || implements(t, textMarshaler) {
		return doc
	}
	switch doc := doc.(type) {
	case map[string]any:
		out := make(map[string]any, len(doc))
		for name, v := range doc {
			switch f, ok := fieldByName(t, name); {
			case ok:
				out[name] = withoutURLs(f.Type, v)
			case t.Kind() == reflect.Map:
				out[name] = withoutURLs(t.Elem(), v)
			default:
				out[name] = v
			}
		}
		return out
	case []any:
		if t.Kind() != reflect.Slice && t.Kind() != reflect.Array {
			return doc
		}
		out := make([]any, len(doc))
		for i, v := range doc {
			out[i] = withoutURLs(t.Elem(), v)
		}
		return out
	default:
		return doc
	}
}

// setURLs puts the addresses of the document into v, which is settable.
func setURLs(v reflect.Value, doc any, path []any) error {
	if doc == nil || !reachesURL(v.Type(), map[reflect.Type]bool{}) {
		return nil
	}
	if v.Type() == urlType {
		return setURL(v, doc, path)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return setURLs(v.Elem(), doc, path)
	case reflect.Struct:
		members, _ := doc.(map[string]any)
		for name, member := range members {
			f, ok := fieldByName(v.Type(), name)
			if !ok {
				continue
			}
			field, err := v.FieldByIndexErr(f.Index)
			if err != nil {
				continue // an embedded pointer that the document did not fill
			}
			if err := setURLs(field, member, append(path, name)); err != nil {
				return err
			}
		}
	case reflect.Slice, reflect.Array:
		items, _ := doc.([]any)
		for i := range min(len(items), v.Len()) {
			if err := setURLs(v.Index(i), items[i], append(path, i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		members, _ := doc.(map[string]any)
		for _, key := range v.MapKeys() {
			entry := reflect.New(v.Type().Elem()).Elem()
			entry.Set(v.MapIndex(key))
			name := fmt.Sprint(key.Interface())
			if err := setURLs(entry, members[name], append(path, name)); err != nil {
				return err
			}
			v.SetMapIndex(key, entry)
		}
	}
	return nil
}

func setURL(v reflect.Value, doc any, path []any) error {
	text, ok := doc.(string)
	if !ok {
		return invalid(path, "is "+describe(doc)+", must be an address")
	}
	u, err := url.Parse(text)
	if err != nil {
		return invalid(path, "is "+show(text)+", which is no address")
	}
	v.Set(reflect.ValueOf(*u))
	return nil
}

// fieldByName finds the field that encoding/json fills from a member.
func fieldByName(t reflect.Type, name string) (reflect.StructField, bool) {
	if t.Kind() != reflect.Struct {
		return reflect.StructField{}, false
	}
	for _, f := range reflect.VisibleFields(t) {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && tag == "" || !f.IsExported() || tag == "-" {
			continue
		}
		if tag == name || tag == "" && strings.EqualFold(f.Name, name) {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

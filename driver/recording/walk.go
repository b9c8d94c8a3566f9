package recording

import (
	"reflect"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// mapTexts returns a deep copy of a value in which f has been applied to every
// text: to fields and elements of type string. What is of a type of its own
// (identifiers, kinds, names in HTML) is no text.
func mapTexts[T any](v T, f func(string) string) T {
	out := reflect.New(reflect.TypeFor[T]()).Elem()
	copyTexts(out, reflect.ValueOf(&v).Elem(), f)
	return out.Interface().(T)
}

var (
	textType = reflect.TypeFor[string]()

	// noTexts are types and fields whose strings are words of HTML and CSS.
	noTextTypes  = map[reflect.Type]bool{reflect.TypeFor[driver.Style](): true}
	noTextFields = map[reflect.Type]map[string]bool{reflect.TypeFor[driver.State](): {"Tag": true, "Type": true}}
)

func copyTexts(to, from reflect.Value, f func(string) string) {
	switch from.Kind() {
	case reflect.String:
		to.Set(from)
		if from.Type() == textType {
			to.SetString(f(from.String()))
		}
	case reflect.Pointer, reflect.Interface:
		if from.IsNil() {
			return
		}
		inner := reflect.New(from.Elem().Type())
		copyTexts(inner.Elem(), from.Elem(), f)
		if from.Kind() == reflect.Pointer {
			to.Set(inner)
		} else {
			to.Set(inner.Elem())
		}
	case reflect.Slice:
		if from.IsNil() {
			return
		}
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			copyTexts(to.Index(i), from.Index(i), f)
		}
	case reflect.Map:
		if from.IsNil() {
			return
		}
		to.Set(reflect.MakeMapWithSize(from.Type(), from.Len()))
		for it := from.MapRange(); it.Next(); {
			value := reflect.New(from.Type().Elem()).Elem()
			copyTexts(value, it.Value(), f)
			to.SetMapIndex(it.Key(), value)
		}
	case reflect.Struct:
		to.Set(from) // unexported fields and those without texts
		if noTextTypes[from.Type()] {
			return
		}
		for i := range from.NumField() {
			field := from.Type().Field(i)
			if field.IsExported() && !noTextFields[from.Type()][field.Name] {
				copyTexts(to.Field(i), from.Field(i), f)
			}
		}
	default:
		to.Set(from)
	}
}

// mapCapture is mapTexts for a capture, whose nodes no field shows.
func mapCapture(c *capture, f func(string) string) *capture {
	out := mapTexts(c, f)
	for i, d := range out.Documents {
		d.nodes = mapTexts(c.Documents[i].nodes, f)
	}
	return out
}

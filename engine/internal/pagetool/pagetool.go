// Package pagetool names the tools that pages offer, and puts values into their
// arguments.
package pagetool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// longest is how much of a tool's own name stands in the one that we give it, in bytes.
const longest = 64

// Name is a tool's name on its page, as "shop.example/add_to_cart", made of what
// needs no quotes. A frame other than the main one has its number in it, so that no
// tool gets the name of another when that goes away.
func Name(t *driver.Tool, ordinal int) string {
	host := "opaque"
	if u, err := url.Parse(t.Origin); err == nil && u.Host != "" {
		host = u.Host
	}
	if ordinal > 0 {
		host += fmt.Sprintf("/frame%d", ordinal)
	}
	return clean(host, ".:-[]/") + "/" + clean(string(t.Name), ".-_")
}

// clean keeps letters, digits and some signs, and puts _ for the rest.
func clean(s, signs string) string {
	if len(s) > longest {
		s = s[:longest]
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune(signs, r):
			return r
		}
		return '_'
	}, s)
}

// Map applies f to every string among the values of a JSON object; names of
// members stay as they are. What is no object is an error.
func Map(object []byte, f func(string) string) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	dec.UseNumber()
	var v map[string]any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if v == nil || dec.More() {
		return nil, fmt.Errorf("%.40q is not the JSON of one object", object)
	}
	return json.Marshal(mapped(v, f))
}

func mapped(v any, f func(string) string) any {
	switch v := v.(type) {
	case string:
		return f(v)
	case []any:
		for i := range v {
			v[i] = mapped(v[i], f)
		}
	case map[string]any:
		for k := range v {
			v[k] = mapped(v[k], f)
		}
	}
	return v
}

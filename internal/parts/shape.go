package parts

import (
	"encoding/json"
	"strings"

	"github.com/wayfinder-engine/wayfinder/schema"
)

// A shape is what a schema says of a value's form: its alternatives, of which
// any may hold.
type shape struct {
	root  any
	forms []map[string]any
}

func shapeOf(form *schema.Schema) shape {
	var root any
	if json.Unmarshal(form.JSON(), &root) != nil {
		return shape{} // a parsed schema is JSON
	}
	s := shape{root: root}
	s.add(root, 0)
	return s
}

// add takes a schema with what it refers to.
func (s *shape) add(form any, depth int) {
	o, ok := form.(map[string]any)
	if !ok || depth > 16 {
		return
	}
	s.forms = append(s.forms, o)
	if ref, ok := o["$ref"].(string); ok {
		s.add(s.resolve(ref), depth+1)
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := o[key].([]any)
		for _, e := range list {
			s.add(e, depth+1)
		}
	}
}

// resolve follows a reference within the schema.
func (s *shape) resolve(ref string) any {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	at := s.root
	for step := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if step == "" {
			continue
		}
		o, _ := at.(map[string]any)
		at = o[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
	}
	return at
}

func (s shape) member(name string) shape {
	out := shape{root: s.root}
	for _, o := range s.forms {
		properties, _ := o["properties"].(map[string]any)
		if form, ok := properties[name]; ok {
			out.add(form, 0)
		} else {
			out.add(o["additionalProperties"], 0)
		}
	}
	return out
}

func (s shape) entry() shape {
	out := shape{root: s.root}
	for _, o := range s.forms {
		out.add(o["items"], 0)
	}
	return out
}

// tuple reports whether an array's entries have a place each.
func (s shape) tuple() bool {
	for _, o := range s.forms {
		if _, ok := o["prefixItems"]; ok {
			return true
		}
		if _, ok := o["items"].([]any); ok {
			return true
		}
		least, ok := o["minItems"].(float64)
		if most, also := o["maxItems"].(float64); ok && also && least == most && most > 1 {
			return true
		}
	}
	return false
}

// most is how many entries an array may have.
func (s shape) most() (int, bool) {
	for _, o := range s.forms {
		if n, ok := o["maxItems"].(float64); ok {
			return int(n), true
		}
	}
	return 0, false
}

func (s shape) unique() bool {
	for _, o := range s.forms {
		if o["uniqueItems"] == true {
			return true
		}
	}
	return false
}

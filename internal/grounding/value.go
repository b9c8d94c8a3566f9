package grounding

import (
	"encoding/json"
	"fmt"
)

// A value is a part of the data, with what the schema says about it.
type value struct {
	pointer string
	parent  *value
	kids    []*value // of an object or a list
	raw     any
	list    bool
	object  bool
	index   int
	fields  []*member // of an empty list, what its items would have by the schema
	member  *member
	home    *home
	places  []place // of a leaf, all over the page, in page order
	given   bool    // places is filled
	manner  *manner // of a list of texts; nil until asked for
}

func shownValue(v *value) string {
	switch raw := v.raw.(type) {
	case string:
		if r := []rune(raw); len(r) > 60 {
			return fmt.Sprintf("%q…", string(r[:60]))
		}
		return fmt.Sprintf("%q", raw)
	case json.Number:
		return string(raw)
	}
	return fmt.Sprint(v.raw)
}

func yes(b bool) int {
	if b {
		return 1
	}
	return 0
}

// claims collects the leaves that show where an object stands: those of lists
// of objects have homes of their own.
func claims(v *value, out []*value) []*value {
	for _, k := range v.kids {
		_, yes := k.raw.(bool)
		switch {
		case k.leaf() && k.raw != nil && !yes:
			out = append(out, k)
		case k.object, k.list && len(k.kids) > 0 && k.kids[0].leaf():
			out = claims(k, out)
		}
	}
	return out
}

// allClaims collects all leaves of an object, those of its lists after its own.
func allClaims(v *value) []*value {
	if v.leaf() {
		return []*value{v}
	}
	out := claims(v, nil)
	for _, k := range v.kids {
		if k.list && len(k.kids) > 0 && !k.kids[0].leaf() {
			for _, o := range k.kids {
				out = append(out, allClaims(o)...)
			}
		}
	}
	return out
}

func (v *value) leaf() bool { return !v.list && !v.object }

// walk calls f for a value and all below it, in the order of the text.
func (v *value) walk(f func(v *value)) {
	f(v)
	for _, k := range v.kids {
		k.walk(f)
	}
}

// around is the home that a leaf has to stand in.
func around(v *value) *home {
	for at := v.parent; at != nil; at = at.parent {
		if at.home != nil {
			return at.home
		}
	}
	return v.home
}

// item is the object of a list that a leaf belongs to; nil if it is in none.
func item(v *value) *value {
	for at := v.parent; at != nil; at = at.parent {
		if at.object && at.parent != nil && at.parent.list {
			return at
		}
	}
	return nil
}

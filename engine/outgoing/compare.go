package outgoing

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Differences says, in sentences, in what a request is another one than an
// approved one; it is empty if it is that one. A body may be written in another
// form, as JSON instead of a form's: names and values count. The order of fields
// does not.
func Differences(approved, r *Request) []string {
	var out []string
	if approved.Method != r.Method {
		out = append(out, fmt.Sprintf("the method is %s instead of %s", r.Method, approved.Method))
	}
	if a, b := Origin(approved.URL), Origin(r.URL); a != b {
		out = append(out, fmt.Sprintf("it goes to %s instead of %s", b, a))
	} else if approved.URL != r.URL {
		out = append(out, fmt.Sprintf("it goes to %s instead of %s", r.URL, approved.URL))
	}
	if digest(approved.Opaque) != digest(r.Opaque) || approved.Text != r.Text {
		out = append(out, "its body is another one")
	}
	return append(out, differentFields(approved.Fields, r.Fields)...)
}

func digest(opaque string) string {
	_, sum, _ := strings.Cut(opaque, ", ")
	return sum
}

func differentFields(approved, sent []Field) (out []string) {
	left := slices.Clone(approved)
	var added []Field
	for _, f := range sent {
		if i := slices.IndexFunc(left, func(a Field) bool { return sameField(a, f) }); i >= 0 {
			left = slices.Delete(left, i, i+1)
		} else {
			added = append(added, f)
		}
	}
	for _, f := range added {
		if i := slices.IndexFunc(left, func(a Field) bool { return a.Name == f.Name && a.In == f.In }); i >= 0 {
			out = append(out, fmt.Sprintf("%s is %q instead of %q", f.Name, f.Value, left[i].Value))
			left = slices.Delete(left, i, i+1)
		} else {
			out = append(out, fmt.Sprintf("%s %q is new", f.Name, f.Value))
		}
	}
	for _, f := range left {
		out = append(out, fmt.Sprintf("%s %q is missing", f.Name, f.Value))
	}
	return out
}

func sameField(a, b Field) bool {
	if a.Name != b.Name || a.In != b.In || a.File != b.File {
		return false
	}
	return a.Any || a.Value == b.Value || isBullets(a.Value) && utf8.RuneCountInString(a.Value) == utf8.RuneCountInString(b.Value)
}

// isBullets reports the value of a password, of which only the length is known.
func isBullets(value string) bool { return value != "" && strings.Trim(value, "•") == "" }

// Carries reports whether a request carries a value of another one's body that
// is long enough to be told from chance.
func Carries(r, other *Request) bool {
	for _, f := range other.Fields {
		if utf8.RuneCountInString(f.Value) < 4 || isBullets(f.Value) {
			continue
		}
		if strings.Contains(r.Text, f.Value) || slices.ContainsFunc(r.Fields, func(g Field) bool { return strings.Contains(g.Value, f.Value) }) {
			return true
		}
	}
	return false
}

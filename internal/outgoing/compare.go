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
	if a, b := origin(approved.URL), origin(r.URL); a != b {
		out = append(out, fmt.Sprintf("it goes to %s instead of %s", b, a))
	} else if approved.URL != r.URL {
		out = append(out, fmt.Sprintf("it goes to %s instead of %s", r.URL, approved.URL))
	}
	if from := page(r.From); approved.From != "" && from != "" && from != page(approved.From) && from != origin(approved.From)+"/" {
		out = append(out, fmt.Sprintf("it comes from %s instead of %s", r.From, approved.From))
	}
	if digest(approved.Opaque) != digest(r.Opaque) || approved.Text != r.Text {
		out = append(out, "its body is another one")
	}
	return append(out, differentFields(approved.Fields, r.Fields)...)
}

// page is an address as a referrer has it.
func page(address string) string {
	address, _, _ = strings.Cut(address, "#")
	return address
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
	// Of a password only the length is known where it was shown.
	return a.Any || a.Value == b.Value || a.Password && strings.Trim(a.Value, "•") == "" && utf8.RuneCountInString(a.Value) == utf8.RuneCountInString(b.Value)
}

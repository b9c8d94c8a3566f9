package form

import (
	"bytes"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// Controls are the controls of a form in tree order.
func (s *State) Controls(form *html.Node) []*html.Node {
	var out []*html.Node
	top := dom.TopOf(form)
	for n := top; n != nil; n = dom.Next(n, top) {
		if dom.IsElement(n, "button", "input", "select", "textarea", "object", "output", "fieldset") && s.FormOf(n) == form {
			out = append(out, n)
		}
	}
	return out
}

// Submits reports submit buttons.
func Submits(n *html.Node) bool {
	switch {
	case dom.IsElement(n, "button"):
		switch dom.Lower(dom.Attr(n, "type")) {
		case "submit":
			return true
		case "button", "reset":
			return false
		}
		return !dom.Has(n, "command") && !dom.Has(n, "commandfor")
	case dom.IsElement(n, "input"):
		t := InputType(n)
		return t == "submit" || t == "image"
	}
	return false
}

func Resets(n *html.Node) bool {
	return dom.IsElement(n, "button", "input") && dom.Lower(dom.Attr(n, "type")) == "reset"
}

// DefaultButton is the first submit button of a form.
func (s *State) DefaultButton(form *html.Node) *html.Node {
	if form == nil {
		return nil
	}
	for _, c := range s.Controls(form) {
		if Submits(c) {
			return c
		}
	}
	return nil
}

// Labeled is the control that a label is for; nil if there is none.
func (s *State) Labeled(label *html.Node) *html.Node {
	if id, ok := dom.Lookup(label, "for"); ok {
		if n := s.byID(label, id); n != nil && Labelable(n) {
			return n
		}
		return nil
	}
	for c := dom.Next(label, label); c != nil; c = dom.Next(c, label) {
		if c.Type == html.ElementNode && Labelable(c) {
			return c
		}
	}
	return nil
}

func Labelable(n *html.Node) bool {
	if dom.IsElement(n, "input") {
		return InputType(n) != "hidden"
	}
	return dom.IsElement(n, "button", "meter", "output", "progress", "select", "textarea")
}

// Attr is an attribute of the form that a submit button may override.
func Attr(form, submitter *html.Node, name string) (string, bool) {
	if submitter != nil {
		if v, ok := dom.Lookup(submitter, "form"+name); ok {
			return v, true
		}
	}
	return dom.Lookup(form, name)
}

// An entry is a name and a value of a form, or a file.
type entry struct {
	name, value string
	file        string // path
	isFile      bool
}

// Entries is the form's entry list in tree order.
func (s *State) Entries(form, submitter *html.Node) []entry {
	var out []entry
	for _, n := range s.Controls(form) {
		name := dom.Attr(n, "name")
		if s.Disabled(n) || dom.Closest(n.Parent, func(a *html.Node) bool { return dom.IsElement(a, "datalist") }) != nil {
			continue
		}
		if dom.IsElement(n, "input") && InputType(n) == "image" {
			if n == submitter {
				if name != "" {
					name += "."
				}
				out = append(out, entry{name: name + "x", value: "0"}, entry{name: name + "y", value: "0"})
			}
			continue
		}
		if name == "" {
			continue
		}
		switch n.Data {
		case "button":
			if n == submitter {
				out = append(out, entry{name: name, value: dom.Attr(n, "value")})
			}
		case "input":
			out = append(out, s.inputEntries(n, name, submitter)...)
		case "select":
			for _, o := range s.Chosen(n) {
				if !s.Disabled(o) {
					out = append(out, entry{name: name, value: s.Value(o)})
				}
			}
		case "textarea":
			out = append(out, entry{name: name, value: s.Value(n)})
		}
	}
	return out
}

func (s *State) inputEntries(n *html.Node, name string, submitter *html.Node) []entry {
	switch t := InputType(n); t {
	case "submit", "reset", "button":
		if n != submitter {
			return nil
		}
		v := s.Value(n)
		if !dom.Has(n, "value") && t == "submit" {
			v = "Submit"
		}
		return []entry{{name: name, value: v}}
	case "checkbox", "radio":
		if !s.Checked(n) {
			return nil
		}
	case "file":
		c := s.Inputs[n]
		if c == nil || len(c.Files) == 0 {
			return []entry{{name: name, isFile: true}}
		}
		var out []entry
		for i, path := range c.Files {
			out = append(out, entry{name: name, value: c.Names[i], file: path, isFile: true})
		}
		return out
	case "hidden":
		if name == "_charset_" {
			return []entry{{name: name, value: "UTF-8"}}
		}
	}
	return []entry{{name: name, value: s.Value(n)}}
}

// URLEncoded writes entries in their order, as forms do: spaces as plus signs.
func URLEncoded(entries []entry) string {
	var sb strings.Builder
	for i, e := range entries {
		if i > 0 {
			sb.WriteByte('&')
		}
		sb.WriteString(formEscape(e.name))
		sb.WriteByte('=')
		sb.WriteString(formEscape(crlf(e.value)))
	}
	return sb.String()
}

// formEscape differs from url.QueryEscape in "*" and "~".
func formEscape(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(url.QueryEscape(s), "%2A", "*"), "~", "%7E")
}

// crlf gives line ends the form that they have in submissions.
func crlf(s string) string { return strings.ReplaceAll(Newlines(s), "\n", "\r\n") }

// boundary is the same in every submission, so that runs are the same.
const boundary = "----WayfinderFormBoundary0000000000000000"

// EncodeEntries writes the body of a POST.
func EncodeEntries(entries []entry, enctype string) (body, contentType string) {
	switch enctype {
	case "multipart/form-data":
		return multipartBody(entries), "multipart/form-data; boundary=" + boundary
	case "text/plain":
		var sb strings.Builder
		for _, e := range entries {
			sb.WriteString(e.name + "=" + crlf(e.value) + "\r\n")
		}
		return sb.String(), enctype
	}
	return URLEncoded(entries), "application/x-www-form-urlencoded"
}

func multipartBody(entries []entry) string {
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	if err := w.SetBoundary(boundary); err != nil {
		panic(err) // a constant
	}
	quote := strings.NewReplacer("\r", "%0D", "\n", "%0A", `"`, "%22")
	for _, e := range entries {
		h := make(textproto.MIMEHeader)
		h.Set("Content-Disposition", `form-data; name="`+quote.Replace(crlf(e.name))+`"`)
		content := []byte(crlf(e.value))
		if e.isFile {
			h.Set("Content-Disposition", `form-data; name="`+quote.Replace(e.name)+`"; filename="`+quote.Replace(e.value)+`"`)
			h.Set("Content-Type", mediaTypeOf(filepath.Ext(e.value)))
			content = nil
			if e.file != "" {
				// The file was there when it was chosen; one that has gone
				// since is sent empty.
				content, _ = os.ReadFile(e.file)
			}
		}
		part, _ := w.CreatePart(h) // writes to memory
		part.Write(content)
	}
	w.Close()
	return buf.String()
}

// mediaTypeOf guesses a file's type from its extension. The guess does not
// depend on the machine.
func mediaTypeOf(ext string) string {
	known := map[string]string{".txt": "text/plain", ".csv": "text/csv", ".pdf": "application/pdf", ".zip": "application/zip",
		".json": "application/json", ".html": "text/html", ".htm": "text/html", ".png": "image/png", ".jpg": "image/jpeg",
		".jpeg": "image/jpeg", ".gif": "image/gif", ".svg": "image/svg+xml", ".xml": "text/xml", ".webp": "image/webp"}
	if t, ok := known[strings.ToLower(ext)]; ok {
		return t
	}
	return "application/octet-stream"
}

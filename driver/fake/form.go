package fake

import (
	"bytes"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/net/html"
)

// formOf is the form that a control belongs to.
func (s *state) formOf(n *html.Node) *html.Node {
	if n == nil {
		return nil
	}
	if id, ok := lookup(n, "form"); ok && !isElement(n, "form") {
		if f := byID(n, id); isElement(f, "form") {
			return f
		}
		return nil
	}
	return closest(n.Parent, func(n *html.Node) bool { return isElement(n, "form") })
}

// controls are the controls of a form in tree order.
func (s *state) controls(form *html.Node) []*html.Node {
	var out []*html.Node
	top := topOf(form)
	for n := top; n != nil; n = next(n, top) {
		if isElement(n, "button", "input", "select", "textarea", "object", "output", "fieldset") && s.formOf(n) == form {
			out = append(out, n)
		}
	}
	return out
}

// submits reports submit buttons.
func submits(n *html.Node) bool {
	switch {
	case isElement(n, "button"):
		switch lower(attr(n, "type")) {
		case "submit":
			return true
		case "button", "reset":
			return false
		}
		return !has(n, "command") && !has(n, "commandfor")
	case isElement(n, "input"):
		t := inputType(n)
		return t == "submit" || t == "image"
	}
	return false
}

func resets(n *html.Node) bool {
	return isElement(n, "button", "input") && lower(attr(n, "type")) == "reset"
}

// defaultButton is the first submit button of a form.
func (s *state) defaultButton(form *html.Node) *html.Node {
	if form == nil {
		return nil
	}
	for _, c := range s.controls(form) {
		if submits(c) {
			return c
		}
	}
	return nil
}

// labeled is the control that a label is for; nil if there is none.
func (s *state) labeled(label *html.Node) *html.Node {
	if id, ok := lookup(label, "for"); ok {
		if n := byID(label, id); n != nil && labelable(n) {
			return n
		}
		return nil
	}
	for c := next(label, label); c != nil; c = next(c, label) {
		if c.Type == html.ElementNode && labelable(c) {
			return c
		}
	}
	return nil
}

func labelable(n *html.Node) bool {
	if isElement(n, "input") {
		return inputType(n) != "hidden"
	}
	return isElement(n, "button", "meter", "output", "progress", "select", "textarea")
}

// formAttr is an attribute of the form that a submit button may override.
func formAttr(form, submitter *html.Node, name string) (string, bool) {
	if submitter != nil {
		if v, ok := lookup(submitter, "form"+name); ok {
			return v, true
		}
	}
	return lookup(form, name)
}

// An entry is a name and a value of a form, or a file.
type entry struct {
	name, value string
	file        string // path
	isFile      bool
}

// entries is the form's entry list in tree order.
func (s *state) entries(form, submitter *html.Node) []entry {
	var out []entry
	for _, n := range s.controls(form) {
		name := attr(n, "name")
		if s.disabled(n) || closest(n.Parent, func(a *html.Node) bool { return isElement(a, "datalist") }) != nil {
			continue
		}
		if isElement(n, "input") && inputType(n) == "image" {
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
				out = append(out, entry{name: name, value: attr(n, "value")})
			}
		case "input":
			out = append(out, s.inputEntries(n, name, submitter)...)
		case "select":
			for _, o := range s.chosen(n) {
				if !s.disabled(o) {
					out = append(out, entry{name: name, value: s.value(o)})
				}
			}
		case "textarea":
			out = append(out, entry{name: name, value: s.value(n)})
		}
	}
	return out
}

func (s *state) inputEntries(n *html.Node, name string, submitter *html.Node) []entry {
	switch t := inputType(n); t {
	case "submit", "reset", "button":
		if n != submitter {
			return nil
		}
		v := s.value(n)
		if !has(n, "value") && t == "submit" {
			v = "Submit"
		}
		return []entry{{name: name, value: v}}
	case "checkbox", "radio":
		if !s.checked(n) {
			return nil
		}
	case "file":
		c := s.inputs[n]
		if c == nil || len(c.files) == 0 {
			return []entry{{name: name, isFile: true}}
		}
		var out []entry
		for i, path := range c.files {
			out = append(out, entry{name: name, value: c.names[i], file: path, isFile: true})
		}
		return out
	case "hidden":
		if name == "_charset_" {
			return []entry{{name: name, value: "UTF-8"}}
		}
	}
	return []entry{{name: name, value: s.value(n)}}
}

// urlencoded writes entries in their order, as forms do: spaces as plus signs.
func urlencoded(entries []entry) string {
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
func crlf(s string) string { return strings.ReplaceAll(newlines(s), "\n", "\r\n") }

// boundary is the same in every submission, so that runs are the same.
const boundary = "----WayfinderFormBoundary0000000000000000"

// encodeEntries writes the body of a POST.
func encodeEntries(entries []entry, enctype string) (body, contentType string) {
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
	return urlencoded(entries), "application/x-www-form-urlencoded"
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

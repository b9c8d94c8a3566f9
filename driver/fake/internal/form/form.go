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

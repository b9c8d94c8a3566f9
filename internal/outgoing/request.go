package outgoing

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Request is what leaves a page, or would: see [FromForm] and [FromWire].
type Request struct {
	Method string  `json:"method"`
	URL    string  `json:"url"`            // without query and fragment, whose parts are Fields
	Type   string  `json:"type,omitempty"` // media type of the body
	Fields []Field `json:"fields,omitempty"`

	// From is the page that it comes from, where it says so.
	From string `json:"from,omitempty"`

	// Opaque stands for a body that has no fields: its size and its digest.
	Opaque string `json:"opaque,omitempty"`
	// Text is the beginning of such a body, if it is text.
	Text string `json:"text,omitempty"`

	// NewPage reports a form that opens its answer in a page of its own.
	NewPage bool `json:"newPage,omitempty"`
	// Held reports a request that is held: it is what really leaves, and not
	// what a form lets expect.
	Held bool `json:"held,omitempty"`

	// Page are the amounts of money that stand around what was pressed.
	Page []Line `json:"page,omitempty"`
}

// A Field is one value of a request, by name. A value within JSON has a path
// for its name, as "items[0].amount".
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`           // of a file its name; of a password bullets
	In    string `json:"in,omitempty"`    // "query" of the address, "header", "type" of the body; else empty
	File  bool   `json:"file,omitempty"`  // the value is a file's name
	Label string `json:"label,omitempty"` // what the page calls it
	// Ref is its line in the outline; it has none if nobody can see it.
	Ref accessibility.Ref `json:"ref,omitempty"`

	// Unseen reports a form's field that the page shows to nobody, as a hidden one.
	Unseen bool `json:"unseen,omitempty"`

	// Any reports a value that is only known when it is sent, as the place where
	// a picture is clicked.
	Any bool `json:"any,omitempty"`
	// Password reports the value of a password field.
	Password bool `json:"password,omitempty"`

	// Node is the control that a form's field comes from; zero if none.
	Node driver.NodeRef `json:"-"`
}

// A Line is a text of the page.
type Line struct {
	Ref  accessibility.Ref `json:"ref"`
	Text string            `json:"text"`
}

// Bounds of what is read and shown.
const (
	maxFields = 500
	maxValue  = 4000
	maxText   = 2000
)

// FromWire reads a request that is about to be sent.
func FromWire(method, address string, header http.Header, body []byte) *Request {
	r := &Request{Method: method, Held: true, From: header.Get("Referer")}
	r.setURL(address)
	r.add(ownHeaders(header))
	media, params, _ := mime.ParseMediaType(header.Get("Content-Type"))
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if name != "boundary" && (name != "charset" || !strings.EqualFold(params[name], "utf-8")) {
			r.add([]Field{{Name: name, Value: params[name], In: "type"}})
		}
	}
	if len(body) == 0 {
		return r
	}
	r.Type = media
	var fields []Field
	known := false
	switch start := bytes.TrimSpace(body); {
	case media == "application/x-www-form-urlencoded":
		fields, known = encoded(string(body), "")
	case media == "multipart/form-data":
		fields, known = parts(body, params["boundary"])
	case bytes.HasPrefix(start, []byte("{")), bytes.HasPrefix(start, []byte("[")), strings.HasSuffix(media, "json"):
		fields, known = members(body)
	case media == "text/plain":
		fields, known = lines(string(body))
	}
	if known {
		r.add(fields)
	} else {
		r.opaque(body)
	}
	return r
}

// browsers are the names of the headers that a browser writes by itself, and of those
// in which a script says no more than what it takes (Fetch §2.2.2).
var browsers = []string{
	"Accept", "Accept-Encoding", "Accept-Language", "Access-Control-Request-Headers", "Access-Control-Request-Method", "Cache-Control", "Connection",
	"Content-Length", "Content-Type", "Cookie", "Dnt", "Host", "If-Modified-Since", "If-None-Match", "Origin", "Pragma", "Priority", "Purpose", "Range", "Referer",
	"Save-Data", "Service-Worker", "Service-Worker-Navigation-Preload", "Upgrade-Insecure-Requests", "User-Agent",
}

// ownHeaders are those that a script has set.
func ownHeaders(header http.Header) (out []Field) {
	for _, name := range slices.Sorted(maps.Keys(header)) {
		known := http.CanonicalHeaderKey(name)
		if slices.Contains(browsers, known) || strings.HasPrefix(known, "Sec-") || strings.HasPrefix(known, "X-Client-Data") {
			continue
		}
		for _, v := range header[name] {
			out = append(out, Field{Name: strings.ToLower(name), Value: v, In: "header"})
		}
	}
	return out
}

func (r *Request) opaque(body []byte) {
	r.Opaque = sized(body)
	if utf8.Valid(body) {
		r.Text = cut(string(body), maxText)
	}
}

// sized is how long a text is, and its digest.
func sized(text []byte) string {
	return fmt.Sprintf("%d bytes, sha256:%x", len(text), sha256.Sum256(text))
}

// setURL takes the query apart.
func (r *Request) setURL(address string) {
	u, err := url.Parse(address)
	if err != nil {
		r.URL = address
		return
	}
	query := u.RawQuery
	u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = "", false, "", ""
	if u.Path == "" && u.Host != "" {
		u.Path = "/"
	}
	r.URL = u.String()
	if query == "" {
		return
	}
	fields, ok := encoded(query, "query")
	if !ok {
		fields = []Field{{Name: "", Value: query, In: "query"}}
	}
	r.add(fields)
}

// add takes fields over. Where there are too many, the rest counts as one whose
// value is their digest.
func (r *Request) add(fields []Field) {
	for i := range fields {
		if len(r.Fields) >= maxFields {
			rest, _ := json.Marshal(fields[i:])
			r.Fields = append(r.Fields, Field{Name: fmt.Sprintf("(%d more)", len(fields)-i), Value: fmt.Sprintf("sha256:%x", sha256.Sum256(rest))})
			return
		}
		f := fields[i]
		if len(f.Value) > maxValue {
			f.Value = cut(f.Value, maxText) + " (" + sized([]byte(f.Value)) + ")"
		}
		r.Fields = append(r.Fields, f)
	}
}

// encoded reads application/x-www-form-urlencoded.
func encoded(text, in string) ([]Field, bool) {
	var out []Field
	for pair := range strings.SplitSeq(text, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		if err != nil {
			return nil, false
		}
		if value, err = url.QueryUnescape(value); err != nil {
			return nil, false
		}
		out = append(out, Field{Name: name, Value: newlines(value), In: in})
	}
	return out, true
}

// parts reads multipart/form-data. Of a file its name is enough: browsers do not
// tell the contents.
func parts(body []byte, boundary string) ([]Field, bool) {
	if boundary == "" {
		return nil, false
	}
	var out []Field
	r := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		p, err := r.NextRawPart()
		if err == io.EOF {
			return out, true
		}
		if err != nil {
			return nil, false
		}
		if isFile(p) {
			out = append(out, Field{Name: p.FormName(), Value: p.FileName(), File: true})
			continue
		}
		value, err := io.ReadAll(p)
		if err != nil {
			return nil, false
		}
		out = append(out, Field{Name: p.FormName(), Value: newlines(string(value))})
	}
}

func isFile(p *multipart.Part) bool {
	_, params, err := mime.ParseMediaType(p.Header.Get("Content-Disposition"))
	_, ok := params["filename"]
	return err == nil && ok
}

// lines reads text/plain as forms write it.
func lines(text string) ([]Field, bool) {
	var out []Field
	for line := range strings.SplitSeq(strings.TrimSuffix(newlines(text), "\n"), "\n") {
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, false
		}
		out = append(out, Field{Name: name, Value: value})
	}
	return out, true
}

// members reads the values of a JSON text, each by its path.
func members(body []byte) ([]Field, bool) {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var out []Field
	if !walk(dec, "", &out, 0) {
		return nil, false
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, false
	}
	return out, true
}

// maxDepth is how deep JSON is looked into.
const maxDepth = 100

// walk reads one value by its tokens, so that a name that comes twice is seen twice.
func walk(dec *json.Decoder, path string, out *[]Field, depth int) bool {
	token, err := dec.Token()
	if err != nil || depth > maxDepth {
		return false
	}
	switch token := token.(type) {
	case json.Delim:
		empty := true
		for i := 0; dec.More(); i++ {
			empty = false
			at := path + "[" + strconv.Itoa(i) + "]"
			if token == '{' {
				name, err := dec.Token()
				if err != nil {
					return false
				}
				at = name.(string)
				if path != "" {
					at = path + "." + at
				}
			}
			if !walk(dec, at, out, depth+1) {
				return false
			}
		}
		if _, err := dec.Token(); err != nil {
			return false
		}
		if empty && path != "" {
			*out = append(*out, Field{Name: path, Value: map[json.Delim]string{'{': "{}", '[': "[]"}[token]})
		}
	case string:
		*out = append(*out, Field{Name: path, Value: newlines(token)})
	case nil:
		*out = append(*out, Field{Name: path, Value: "null"})
	default:
		*out = append(*out, Field{Name: path, Value: fmt.Sprint(token)})
	}
	return true
}

// Map returns a copy whose texts have gone through hide. Values of passwords
// are bullets.
func (r *Request) Map(hide func(string) string) *Request {
	out := *r
	out.URL, out.Text, out.From = hide(r.URL), hide(r.Text), hide(r.From)
	out.Fields = nil
	for _, f := range r.Fields {
		if shown := hide(f.Value); shown != f.Value || !f.Password && !secret(f.Name) {
			f.Value = shown
		} else {
			f.Value, f.Password = strings.Repeat("•", utf8.RuneCountInString(f.Value)), true
		}
		f.Name, f.Label = hide(f.Name), hide(f.Label)
		out.Fields = append(out.Fields, f)
	}
	out.Page = nil
	for _, l := range r.Page {
		l.Text = hide(l.Text)
		out.Page = append(out.Page, l)
	}
	if out.Text != r.Text && r.Opaque != "" {
		out.Opaque, _, _ = strings.Cut(r.Opaque, ",") // a digest would tell whether a guess is right
	}
	return &out
}

// secret reports a field whose value is nobody's to read.
func secret(name string) bool {
	words := []string{"passw", "pwd", "passphrase", "secret", "cvv", "cvc", "otp"}
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(strings.ToLower(name), word) })
}

// base reports the origin and the path of an address, as Request.URL has it.
func base(address string) string {
	var r Request
	r.setURL(address)
	return r.URL
}

// freshening are names of parameters whose values keep caches from answering.
var freshening = []string{"_", "t", "ts", "timestamp", "cb", "nocache", "rnd"}

// Same is what two addresses have in common that ask the same of a server: all but
// the fragment, and what keeps caches from answering.
func Same(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.Fragment, u.RawFragment = "", ""
	if u.RawQuery != "" {
		var kept []string
		for pair := range strings.SplitSeq(u.RawQuery, "&") {
			if name, _, _ := strings.Cut(pair, "="); !slices.Contains(freshening, name) {
				kept = append(kept, pair)
			}
		}
		u.RawQuery, u.ForceQuery = strings.Join(kept, "&"), false
	}
	return u.String()
}

// WithoutDigits makes addresses that differ by a counter or a time stamp equal.
func WithoutDigits(address string) string {
	if !strings.ContainsAny(address, "0123456789") {
		return address
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, address)
}

// origin is the scheme and the host of an address.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

func newlines(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// words are all that a request says, for a search.
func (r *Request) words() string {
	var b strings.Builder
	b.WriteString(r.URL + " " + r.Text)
	for _, f := range r.Fields {
		b.WriteString("\n" + f.Value)
	}
	return b.String()
}

package outgoing

import (
	"iter"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// FromForm says what pressing an element would send, as the form or the link
// says that it belongs to (HTML, constructing the entry list). With enter, the
// element is a field in which Enter is pressed. It is nil where neither says
// anything: a script decides then.
func FromForm(c *driver.Capture, node driver.NodeRef, enter bool) *Request {
	for i := range c.Documents {
		doc := &c.Documents[i]
		if doc.Frame != node.Frame || doc.Doc != node.Doc {
			continue
		}
		for at := range doc.Nodes {
			if doc.Nodes[at].ID == node.Node {
				return (&tree{doc}).pressed(int32(at), enter)
			}
		}
	}
	return nil
}

// A tree is a captured document.
type tree struct{ *driver.Document }

func (t *tree) pressed(at int32, enter bool) *Request {
	if enter {
		form := t.owner(at)
		if form < 0 {
			return nil
		}
		return t.submit(form, t.defaultButton(form))
	}
	for ; at >= 0; at = t.Nodes[at].Parent {
		n := &t.Nodes[at]
		if href, ok := n.Attr("href"); ok && (n.Name == "a" || n.Name == "area") {
			return t.link(n, href)
		}
		if n.Name == "button" || n.Name == "input" {
			if form := t.owner(at); form >= 0 && submits(n) {
				return t.submit(form, at)
			}
			return nil
		}
	}
	return nil
}

func (t *tree) link(n *driver.Node, href string) *Request {
	u := t.resolve(href)
	if u == nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil
	}
	r := &Request{Method: "GET"}
	r.setURL(u.String())
	target, _ := n.Attr("target")
	r.NewPage = strings.EqualFold(target, "_blank")
	return r
}

// from is the address that the document's requests say they come from; empty if it has
// none of its own.
func (t *tree) from() string {
	if strings.HasPrefix(t.URL, "http") {
		return t.URL
	}
	return ""
}

func (t *tree) resolve(ref string) *url.URL {
	base, err := url.Parse(t.BaseURL)
	if err != nil || t.BaseURL == "" {
		if base, err = url.Parse(t.URL); err != nil {
			return nil
		}
	}
	u, err := base.Parse(strings.TrimSpace(ref))
	if err != nil {
		return nil
	}
	return u
}

// owner is the form of an element; -1 is none.
func (t *tree) owner(at int32) int32 {
	if id, ok := t.Nodes[at].Attr("form"); ok {
		for i := range t.Nodes {
			if has, _ := t.Nodes[i].Attr("id"); t.Nodes[i].Name == "form" && has == id {
				return int32(i)
			}
		}
		return -1
	}
	for ; at >= 0; at = t.Nodes[at].Parent {
		if t.Nodes[at].Name == "form" {
			return at
		}
	}
	return -1
}

func submits(n *driver.Node) bool {
	kind, _ := n.Attr("type")
	switch kind = strings.ToLower(kind); n.Name {
	case "button":
		_, command := n.Attr("commandfor")
		_, popover := n.Attr("popovertarget")
		return kind != "button" && kind != "reset" && (kind == "submit" || !command && !popover)
	case "input":
		return kind == "submit" || kind == "image"
	}
	return false
}

// defaultButton is the form's first submit button; -1 is none.
func (t *tree) defaultButton(form int32) int32 {
	for i := range t.Nodes {
		if n := &t.Nodes[i]; submits(n) && t.owner(int32(i)) == form {
			return int32(i)
		}
	}
	return -1
}

// attr is a form's attribute, or its button's own.
func (t *tree) attr(form, button int32, name string) string {
	if button >= 0 {
		if v, ok := t.Nodes[button].Attr("form" + name); ok {
			return v
		}
	}
	v, _ := t.Nodes[form].Attr(name)
	return v
}

func (t *tree) submit(form, button int32) *Request {
	method := strings.ToUpper(t.attr(form, button, "method"))
	if method != "POST" {
		if method == "DIALOG" {
			return nil
		}
		method = "GET"
	}
	u := t.resolve(t.attr(form, button, "action"))
	if u == nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil
	}
	r := &Request{Method: method, From: t.from(), NewPage: strings.EqualFold(t.attr(form, button, "target"), "_blank")}
	in := ""
	if method == "GET" {
		in, u.RawQuery = "query", ""
	} else {
		switch r.Type = strings.ToLower(t.attr(form, button, "enctype")); r.Type {
		case "multipart/form-data", "text/plain":
		default:
			r.Type = "application/x-www-form-urlencoded"
		}
	}
	r.setURL(u.String())
	for i := range t.Nodes {
		if at := int32(i); t.Nodes[i].Kind == driver.ElementNode && slices.Contains(controls, t.Nodes[i].Name) && t.owner(at) == form {
			for _, f := range t.entries(at, at == button, r.Type == "multipart/form-data") {
				f.In, f.Node = in, t.Ref(at)
				r.add([]Field{f})
			}
		}
	}
	return r
}

// controls are the elements that a form takes its data from.
var controls = []string{"input", "button", "select", "textarea"}

// entries are what a control adds to a form's data.
func (t *tree) entries(at int32, pressed, multipart bool) []Field {
	n := &t.Nodes[at]
	name, _ := n.Attr("name")
	if t.disabled(at) {
		return nil
	}
	kind, _ := n.Attr("type")
	kind = strings.ToLower(kind)
	if n.Name == "input" && kind == "image" {
		if !pressed {
			return nil
		}
		if name != "" {
			name += "."
		}
		return []Field{{Name: name + "x", Any: true}, {Name: name + "y", Any: true}}
	}
	if name == "" {
		return nil
	}
	own, valued := n.Attr("value")
	value := newlines(n.Value)
	if !n.HasValue {
		value = own
	}
	switch n.Name {
	case "button":
		if !pressed {
			return nil
		}
		return []Field{{Name: name, Value: own}}
	case "select":
		var out []Field
		for _, v := range t.chosen(at) {
			out = append(out, Field{Name: name, Value: v})
		}
		return out
	case "textarea":
		return []Field{{Name: name, Value: value}}
	}
	switch kind {
	case "checkbox", "radio":
		if !n.Checked {
			return nil
		}
		if value = own; !valued {
			value = "on"
		}
	case "submit":
		if !pressed {
			return nil
		}
		if !valued && value == "" {
			return []Field{{Name: name, Any: true}} // the browser's own word
		}
	case "button", "reset":
		return nil
	case "file":
		value = value[strings.LastIndexAny(value, `\/`)+1:]
		return []Field{{Name: name, Value: value, File: multipart}}
	case "hidden":
		if strings.EqualFold(name, "_charset_") {
			value = "UTF-8"
		}
	case "password":
		return []Field{{Name: name, Value: value, Password: true}}
	}
	return []Field{{Name: name, Value: value}}
}

// chosen are the values of a select's chosen options.
func (t *tree) chosen(at int32) (out []string) {
	for i := range t.below(at) {
		o := &t.Nodes[i]
		if o.Name != "option" || !o.Selected || t.disabledOption(i, at) {
			continue
		}
		if v, ok := o.Attr("value"); ok {
			out = append(out, newlines(v))
		} else {
			out = append(out, strings.Join(strings.Fields(t.text(i)), " "))
		}
	}
	return out
}

// below are the nodes of a subtree, but for its top: they follow it without gaps.
func (t *tree) below(top int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i := top + 1; int(i) < len(t.Nodes) && t.Nodes[i].Parent >= top && yield(i); i++ {
		}
	}
}

func (t *tree) disabledOption(at, sel int32) bool {
	for ; at > sel; at = t.Nodes[at].Parent {
		if _, ok := t.Nodes[at].Attr("disabled"); ok {
			return true
		}
	}
	return false
}

func (t *tree) text(at int32) string {
	var b strings.Builder
	for i := range t.below(at) {
		b.WriteString(t.Nodes[i].Text)
	}
	return b.String()
}

// disabled reports a control that adds nothing: it is disabled itself or by a
// fieldset, or belongs to a datalist.
func (t *tree) disabled(at int32) bool {
	if _, ok := t.Nodes[at].Attr("disabled"); ok {
		return true
	}
	for below, up := at, t.Nodes[at].Parent; up >= 0; below, up = up, t.Nodes[up].Parent {
		n := &t.Nodes[up]
		if n.Name == "datalist" {
			return true
		}
		if _, ok := n.Attr("disabled"); ok && n.Name == "fieldset" && below != t.firstLegend(up) {
			return true
		}
	}
	return false
}

func (t *tree) firstLegend(fieldset int32) int32 {
	for i := range t.below(fieldset) {
		if t.Nodes[i].Name == "legend" && t.Nodes[i].Parent == fieldset {
			return i
		}
	}
	return -1
}

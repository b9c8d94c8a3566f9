package fake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/css"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// A Document is a page as a script sees it. It is passed to the functions of
// [Options].Scripts and to the handlers that they set, and may be used within
// them alone: they have the page to themselves while they run.
type Document struct {
	d        *document
	handlers []handler
	elements map[*html.Node]*Element
	tools    []Tool
}

// On sets a handler for events of a kind ("click", "input", "change", "keydown",
// "focus", "submit", …) at every element that the selector matches when the
// event happens, however late the element was added. An empty selector is the
// document itself: "load", "DOMContentLoaded", "beforeunload", "popstate", "hashchange".
// A selector that cannot be parsed is a mistake in the test, and panics.
func (s *Document) On(kind, sel string, f func(*Event)) {
	h := handler{kind: kind, run: f}
	if sel != "" {
		h.sel = mustCompile(sel)
	}
	s.handlers = append(slices.Clip(s.handlers), h)
	s.d.frame.page.changed()
}

// After runs f once the time has passed on the clock of package time, unless
// the page shows another document then.
func (s *Document) After(wait time.Duration, f func()) {
	d := s.d
	d.frame.page.after(d, wait, func() {
		f()
		d.afterScript()
	})
}

// URL is the document's address.
func (s *Document) URL() string { return s.d.address() }

// Find returns the first element that the selector matches, in the document
// and then in its shadow trees. Where nothing matches it panics, and says on which
// page: a test that continues without the element fails further away. FindAll
// answers whether there is one.
func (s *Document) Find(sel string) *Element {
	all := s.FindAll(sel)
	if len(all) == 0 {
		panic(fmt.Sprintf("fake: nothing matches %q on %s, whose text begins %.60q", sel, s.URL(), strings.TrimSpace(s.Body().Text())))
	}
	return all[0]
}

// FindAll returns all of them.
func (s *Document) FindAll(sel string) []*Element {
	var out []*Element
	s.d.everywhere(mustCompile(sel), func(n *html.Node) { out = append(out, s.wrap(n)) })
	return out
}

// Body is the body element.
func (s *Document) Body() *Element { return s.wrap(s.d.body()) }

// SetTitle gives the document a title.
func (s *Document) SetTitle(title string) {
	t := s.d.First("title")
	if t == nil {
		t = &html.Node{Type: html.ElementNode, Data: "title", DataAtom: dom.AtomOf("title")}
		if head := s.d.First("head"); head != nil {
			head.AppendChild(t)
		}
		s.d.Adopt(t)
	}
	s.wrap(t).SetText(title)
}

// Navigate goes to an address, relative to the document's. It happens when the
// handler has returned.
func (s *Document) Navigate(addr string) {
	d := s.d
	nav, err := d.leading(addr)
	if err != nil {
		return
	}
	d.frame.page.later(func() {
		if d.frame.doc == d && d.frame.page.mayLeave(d.frame) {
			d.frame.start(nav)
		}
	})
}

// Open opens an address in a new page.
func (s *Document) Open(addr string) {
	d := s.d
	if nav, err := d.leading(addr); err == nil {
		d.open(nav, "_blank")
	}
}

// Fetch sends a request as fetch does, relative to the document's address, and
// runs then with the answer's status, where its redirects lead, and its body. The
// status is 0 if there was none. then may be nil, and is not run once the page
// shows another document.
func (s *Document) Fetch(method, addr, contentType, body string, then func(status int, body string)) {
	s.d.fetchByScript(driver.RequestFetch, method, addr, contentType, body, then)
}

// Beacon sends a request as navigator.sendBeacon does: nobody waits for it, and
// it goes out although the page leaves the document.
func (s *Document) Beacon(addr, contentType, body string) {
	s.d.fetchByScript(driver.RequestBeacon, "POST", addr, contentType, body, nil)
}

// PushState gives the document another address without fetching it.
func (s *Document) PushState(addr string) {
	if u, err := s.d.resolve(addr); err == nil && dom.OriginOf(u.String()) == dom.OriginOf(s.d.address()) {
		s.d.moveTo(u, endsWithHash(addr), false)
	}
}

// Store puts a value into the origin's local storage.
func (s *Document) Store(name, value string) {
	s.stored(func(o *originStorage) { o.local[name] = value })
}

// Stored returns a value of the origin's local storage.
func (s *Document) Stored(name string) (value string, ok bool) {
	s.stored(func(o *originStorage) { value, ok = o.local[name] })
	return value, ok
}

// stored gives f what the document's origin has stored.
func (s *Document) stored(f func(*originStorage)) {
	s.d.frame.page.browser.stored(dom.OriginOf(s.d.address()), f)
}

// StoreDatabase puts a database into the origin's IndexedDB, in the place of one of
// that name. Its records are kept as they are written: nothing looks into them. It
// fails for what is no JSON, and without a version.
func (s *Document) StoreDatabase(d driver.Database) error {
	return s.d.frame.page.browser.storeDatabase(dom.OriginOf(s.d.address()), d)
}

// StoredDatabase returns a database of the origin's IndexedDB.
func (s *Document) StoredDatabase(name string) (d driver.Database, ok bool) {
	var raw []byte
	s.stored(func(o *originStorage) { raw, ok = o.databases[name] })
	if ok {
		d = decodeDatabase(raw)
	}
	return d, ok
}

// Alert shows a message, and returns when it was answered.
func (s *Document) Alert(message string) {
	s.d.ask(driver.Dialog{Kind: driver.Alert, Message: message})
}

// Console writes a message to the console, where somebody listens to it.
func (s *Document) Console(level driver.ConsoleLevel, text string) {
	if b := s.d.frame.page.browser; b.opts.Console {
		b.emit(driver.ConsoleMessage{Page: s.d.frame.page.id, Frame: s.d.frame.id, Level: level, Text: text, URL: s.d.address()})
	}
}

// Throw reports an error that nothing caught, as a script's that ends there.
func (s *Document) Throw(text string) {
	if b := s.d.frame.page.browser; b.opts.Console {
		b.emit(driver.PageError{Page: s.d.frame.page.id, Frame: s.d.frame.id, Text: text, URL: s.d.address()})
	}
}

// Confirm asks a question.
func (s *Document) Confirm(message string) bool {
	return s.d.ask(driver.Dialog{Kind: driver.Confirm, Message: message}).Accept
}

// Prompt asks for a text; ok is false if it was refused.
func (s *Document) Prompt(message, otherwise string) (text string, ok bool) {
	a := s.d.ask(driver.Dialog{Kind: driver.Prompt, Message: message, Default: otherwise})
	return a.Text, a.Accept
}

// Change has f change what a page of this package shows, as one of its scripts
// would, from outside. It fails for pages of other drivers.
func Change(ctx context.Context, pg driver.Page, f func(*Document)) error {
	p, ok := driver.PageAs[*page](pg)
	if !ok {
		return &driver.OpError{Op: "change", Err: errors.ErrUnsupported}
	}
	return opError("change", "", p.acting(ctx, func() error {
		d := p.main.doc
		f(d.handle())
		d.afterScript()
		return nil
	}))
}

// A ToolCall is a call of a [Tool].
type ToolCall struct {
	Document  *Document
	Arguments map[string]any
	Input     string // the same as JSON

	result *driver.ToolResult
}

// Answer ends the call with a value that can be written as JSON.
func (c *ToolCall) Answer(v any) {
	var out strings.Builder
	w := json.NewEncoder(&out)
	w.SetEscapeHTML(false) // as scripts write it
	if err := w.Encode(v); err != nil {
		c.Fail("TypeError: " + err.Error())
		return
	}
	c.end(&driver.ToolResult{State: driver.ToolCompleted, Output: strings.TrimSpace(out.String())})
}

// Fail ends the call as an exception does.
func (c *ToolCall) Fail(text string) {
	c.end(&driver.ToolResult{State: driver.ToolFailed, Error: text})
}

func (c *ToolCall) end(r *driver.ToolResult) {
	if c.result == nil {
		c.result = r
		c.Document.d.frame.page.step()
	}
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// A Tool is what a document offers to agents by RegisterTool, as scripts do by
// document.modelContext.registerTool.
type Tool struct {
	Name        string // letters, digits, _, - and ., at most 128
	Description string // not empty
	InputSchema string // the JSON of an object, or empty

	ReadOnly, Consequential, Untrusted bool // what the page claims

	// Run does the work. It answers by c, at once or later; a tool that never does
	// hangs.
	Run func(c *ToolCall)
}

// RegisterTool offers a tool, where the browser was opened with PageTools. It
// fails where a browser's own would: for a name that is there already, or that is
// none, without a description, and with a schema that is no object.
func (s *Document) RegisterTool(t Tool) error {
	switch {
	case !toolName.MatchString(t.Name) || t.Description == "" || t.Run == nil:
		return errors.New("InvalidStateError: Invalid tool name or description")
	case slices.ContainsFunc(s.tools, func(o Tool) bool { return o.Name == t.Name }):
		return errors.New("InvalidStateError: Duplicate tool name")
	}
	if object := map[string]json.RawMessage(nil); t.InputSchema != "" && json.Unmarshal([]byte(t.InputSchema), &object) != nil {
		return errors.New("TypeError: Failed to convert value to 'object'")
	}
	s.tools = append(s.tools, t)
	s.d.toolsChanged()
	return nil
}

// UnregisterTool takes a tool back. Calls under way continue.
func (s *Document) UnregisterTool(name string) {
	s.tools = slices.DeleteFunc(s.tools, func(t Tool) bool { return t.Name == name })
	s.d.toolsChanged()
}

// A handler is a Go function that stands for an event listener.
type handler struct {
	kind string
	sel  *css.Selector // nil for the document's own events
	elem *html.Node
	run  func(*Event)
}

// insert parses a source as in an element, and returns the first element of it.
func (s *Document) insert(source string, parent, before, context *html.Node) (first *Element) {
	nodes, err := dom.ParseFragment(source, context)
	if err != nil {
		panic(err.Error())
	}
	for _, n := range nodes {
		parent.InsertBefore(n, before)
		if first == nil && n.Type == html.ElementNode {
			first = s.wrap(n)
		}
	}
	for _, n := range nodes {
		s.d.Adopt(n)
	}
	return first
}

func (s *Document) wrap(n *html.Node) *Element {
	if e := s.elements[n]; e != nil {
		return e
	}
	e := &Element{s, n}
	s.elements[n] = e
	return e
}

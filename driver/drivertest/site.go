package drivertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// A Site is what a case's browser can reach: one handler under two names that
// are two sites to a browser, so that a frame of one within the other is
// rendered in a process of its own.
type Site struct {
	Origin string // scheme, host and port, as "http://127.0.0.1:40123"
	Other  string // the same handler as another site, as "http://localhost:40123"

	// Handler serves both. It may be called from several goroutines, and a
	// request may be held until its context ends.
	Handler http.Handler

	// Behaviors are what the pages do, for a driver that runs no scripts.
	Behaviors []Behavior

	// Tools are what they offer to agents.
	Tools []Tool
}

// A request is one that the site's handler saw.
type request struct {
	Method, Host, Path, Query string
	Header                    http.Header
	Body                      string
}

// web is the handler of a case's site.
type web struct {
	scripts bool
	does    []Behavior
	tools   []Tool
	origin  string
	other   string

	mu    sync.Mutex // protects the fields below
	pages pages
	seen  []request
	more  chan struct{} // closed and replaced when seen grows
}

// newSite makes the site of a case and returns what stops it.
func newSite(c *Case, h *Harness) (*Site, *web, func()) {
	w := &web{scripts: h.Scripts, does: c.does, tools: c.tools, pages: maps.Collect(maps.All(c.pages)), more: make(chan struct{})}
	stop := func() {}
	if h.Loopback {
		server := httptest.NewServer(w)
		stop = server.Close
		w.origin = server.URL
		w.other = strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	} else {
		w.origin, w.other = "http://first.test", "http://second.test"
	}
	return &Site{Origin: w.origin, Other: w.other, Handler: w, Behaviors: c.does, Tools: c.tools}, w, stop
}

// serve adds or replaces a page.
func (s *web) serve(path string, content any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = content
}

func (s *web) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 8<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))

	s.mu.Lock()
	s.seen = append(s.seen, request{r.Method, r.Host, r.URL.Path, r.URL.RawQuery, r.Header.Clone(), string(body)})
	close(s.more)
	s.more = make(chan struct{})
	content := s.pages[r.URL.Path]
	s.mu.Unlock()

	switch content := content.(type) {
	case nil:
		http.NotFound(w, r)
	case string:
		s.write(w, r.URL.Path, content)
	case func(http.ResponseWriter, *http.Request):
		content(w, r)
	default:
		panic("drivertest: a page is a string or a handler function")
	}
}

// write sends a fixture as a whole document.
func (s *web) write(w http.ResponseWriter, path, html string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	io.WriteString(w, s.document(path, html)) // a reader that is gone is no matter of ours
}

// document completes a fixture: what does not begin with a doctype is put into
// a body without margins.
func (s *web) document(path, html string) string {
	if !strings.HasPrefix(html, "<!") {
		html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Fixture</title>` +
			`<style>body { margin: 0 }</style></head><body>` + html + `</body></html>`
	}
	html = strings.NewReplacer("{{origin}}", s.origin, "{{other}}", s.other).Replace(html)
	if s.scripts {
		html += script(s.does, path) + toolScript(s.tools, path)
	}
	return html
}

// requests returns those for a path so far, and a channel that is closed when
// there are more.
func (s *web) requests(path string) ([]request, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := slices.DeleteFunc(slices.Clone(s.seen), func(r request) bool { return r.Path != path })
	return found, s.more
}

// A Behavior is what a page's script would do, as data: when Event happens at
// the first element that Selector matches, the actions are done in order.
type Behavior struct {
	Path     string // of the page that has it
	Selector string // empty: the window
	Event    string // a DOM event's type: "click", "input", "load"
	Do       []Action
}

// An Action is one thing that a [Behavior] does. Target is a CSS selector.
type Action struct {
	Kind   ActionKind
	Target string
	Name   string // of an attribute; a prompt's default
	Text   string
}

// An ActionKind says what an [Action] does.
type ActionKind string

// The kinds.
const (
	SetText        ActionKind = "settext"        // the content of Target becomes Text
	AppendHTML     ActionKind = "appendhtml"     // Text is parsed and added at the end of Target
	Remove         ActionKind = "remove"         // Target is taken out
	SetAttribute   ActionKind = "setattribute"   // Target's attribute Name becomes Text
	SetValue       ActionKind = "setvalue"       // Target's live value becomes Text, without events
	SetMixed       ActionKind = "setmixed"       // Target's indeterminate is set
	ShowModal      ActionKind = "showmodal"      // Target, a dialog, is shown as a modal one
	ShowAlert      ActionKind = "showalert"      // an alert says Text
	ShowConfirm    ActionKind = "showconfirm"    // asks Text; Target's content becomes "true" or "false"
	ShowPrompt     ActionKind = "showprompt"     // asks Text, Name is the default; Target gets the answer, or "null"
	GoTo           ActionKind = "goto"           // the page goes to the address Text
	FocusOn        ActionKind = "focuson"        // Target gets the focus
	PushState      ActionKind = "pushstate"      // a history entry with the address Text is added
	OpenWindow     ActionKind = "openwindow"     // a new window opens at the address Text
	WriteConsole   ActionKind = "writeconsole"   // Text goes to the console at the level Name
	ThrowError     ActionKind = "throwerror"     // an Error that says Text is thrown, and nothing catches it
	TakeBack       ActionKind = "takeback"       // the tool Name is offered no more
	PreventDefault ActionKind = "preventdefault" // the event's own effect does not come
	// LogEvent adds the event's type and a space to Target's content, with
	// "=" and the key for key events, and "?" if the event is not trusted.
	LogEvent ActionKind = "logevent"
)

// script writes the behaviors of one page as a script element that leaves no
// trace of itself in the document.
func script(behaviors []Behavior, path string) string {
	var b strings.Builder
	for _, bh := range behaviors {
		if bh.Path != path {
			continue
		}
		on := "window"
		if bh.Selector != "" {
			on = "document.querySelector(" + quote(bh.Selector) + ")"
		}
		fmt.Fprintf(&b, "%s.addEventListener(%s, (event) => {\n", on, quote(bh.Event))
		for _, a := range bh.Do {
			b.WriteString("  " + a.script() + "\n")
		}
		b.WriteString("});\n")
	}
	if b.Len() == 0 {
		return ""
	}
	return "<script>document.currentScript.remove();\n" + b.String() + "</script>"
}

// scripts are what the kinds of actions do, of TARGET, NAME and TEXT.
var scripts = map[ActionKind]string{
	SetText:        "TARGET.textContent = TEXT;",
	AppendHTML:     "TARGET.insertAdjacentHTML('beforeend', TEXT);",
	Remove:         "TARGET.remove();",
	SetAttribute:   "TARGET.setAttribute(NAME, TEXT);",
	SetValue:       "TARGET.value = TEXT;",
	SetMixed:       "TARGET.indeterminate = true;",
	ShowModal:      "TARGET.showModal();",
	ShowAlert:      "alert(TEXT);",
	ShowConfirm:    "TARGET.textContent = String(confirm(TEXT));",
	ShowPrompt:     "TARGET.textContent = String(prompt(TEXT, NAME));",
	GoTo:           "location.href = TEXT;",
	FocusOn:        "TARGET.focus();",
	PushState:      "history.pushState(null, '', TEXT);",
	OpenWindow:     "window.open(TEXT);",
	WriteConsole:   "console[NAME](TEXT, 1);",
	ThrowError:     "throw new Error(TEXT);",
	TakeBack:       "tools[NAME].abort();",
	PreventDefault: "event.preventDefault();",
	LogEvent:       "TARGET.textContent += event.type + (event.key ? '=' + event.key : '') + (event.isTrusted ? '' : '?') + ' ';",
}

func (a Action) script() string {
	script, known := scripts[a.Kind]
	if !known {
		panic("drivertest: unknown action " + string(a.Kind))
	}
	return strings.NewReplacer("TARGET", "document.querySelector("+quote(a.Target)+")", "NAME", quote(a.Name), "TEXT", quote(a.Text)).Replace(script)
}

// A Tool is what a page's script offers to agents, as data.
type Tool struct {
	Path        string // of the page that has it
	Name        string
	Description string
	Schema      string // JSON; empty is none

	ReadOnly, Consequential, Untrusted bool

	Do     []Action // done when it is called
	Answer string   // JSON; empty: the arguments
	Fails  string   // it throws an Error that says so
	Hangs  bool     // it never answers
}

// toolScript writes the tools of one page as a script element that leaves no
// trace of itself in the document.
func toolScript(tools []Tool, path string) string {
	var b strings.Builder
	for _, t := range tools {
		if t.Path != path {
			continue
		}
		fmt.Fprintf(&b, "document.modelContext.registerTool({name: %s, description: %s, ", quote(t.Name), quote(t.Description))
		if t.Schema != "" {
			fmt.Fprintf(&b, "inputSchema: JSON.parse(%s), ", quote(t.Schema))
		}
		fmt.Fprintf(&b, "annotations: {readOnlyHint: %t, consequentialHint: %t, untrustedContentHint: %t}, execute: async input => {\n", t.ReadOnly, t.Consequential, t.Untrusted)
		for _, a := range t.Do {
			b.WriteString("  " + a.script() + "\n")
		}
		switch {
		case t.Fails != "":
			b.WriteString("  throw new Error(" + quote(t.Fails) + ");")
		case t.Hangs:
			b.WriteString("  await new Promise(() => {});")
		case t.Answer != "":
			b.WriteString("  return " + t.Answer + ";")
		default:
			b.WriteString("  return input;")
		}
		fmt.Fprintf(&b, "\n}}, {signal: (tools[%s] = new AbortController()).signal}).catch(() => {});\n", quote(t.Name))
	}
	if b.Len() == 0 {
		return ""
	}
	return "<script>document.currentScript.remove();\nif (document.modelContext) { const tools = {};\n" + b.String() + "}</script>"
}

// quote writes a string as JavaScript that may stand in a script element.
func quote(s string) string {
	data, err := json.Marshal(s) // escapes <, > and &
	if err != nil {
		panic(err) // a string always marshals
	}
	return string(data)
}

// pages are what a case's site serves, by path: HTML as a string, or an
// http.HandlerFunc.
type pages map[string]any

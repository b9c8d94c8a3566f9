package anthropicbrowser

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/agent/internal/computer"
	"github.com/wayfinder-engine/wayfinder/agent/internal/dialect"
	"github.com/wayfinder-engine/wayfinder/agent/internal/owned"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/vendortool"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// Type is that of the toolset's entry in the tools of a request.
const Type = vendortool.AnthropicBrowser

// Toolset is the toolset_name of its calls and results.
const Toolset = "browser"

// Options say how calls are done. The zero value does them as they come.
type Options struct {
	// Act are the options of every act on an element: variables, files, and who
	// approves. nil is none.
	Act *engine.ActOptions

	// Navigate, if not nil, is asked before the model goes to an address by itself.
	// What it returns is the call's error.
	Navigate func(ctx context.Context, address string) error

	// Longest bounds the longer side of pictures, in pixels; 0 is 2,000, which the
	// vendor takes also where a request has many. A model's points are in the
	// newest picture's pixels, however it was made smaller.
	Longest int
}

// An Executor does the calls of one conversation. One goroutine at a time uses it.
type Executor struct {
	session *engine.Session
	dialect *dialect.Dialect
	hand    *computer.Hand
	begun   bool // the hand has the tabs that were open then
}

// New returns the executor of a session. It begins with the session's active page.
// opts may be nil.
func New(session *engine.Session, opts *Options) *Executor {
	if opts == nil {
		opts = &Options{}
	}
	d, err := dialect.For("", Type)
	if err != nil {
		panic(err) // the table lacks its own row
	}
	return &Executor{session: session, dialect: d, hand: &computer.Hand{
		Page: session.Page(), Own: owned.In(session), Longest: cmp.Or(opts.Longest, d.Longest), May: opts.Navigate, Options: func() *engine.ActOptions { return opts.Act },
	}}
}

// Page is the page of the active tab; nil if all are closed.
func (x *Executor) Page() *engine.Page { return x.hand.Page }

// A Call is a tool_use block of the toolset.
type Call struct {
	ID    string
	Name  string
	Input json.RawMessage
}

// A Result is what belongs into a tool_result block.
type Result struct {
	Content []Block `json:"content"`
	IsError bool    `json:"is_error,omitempty"`

	// Surprise says why calls of the same answer that come after this one are not
	// to be done; empty is none.
	Surprise string `json:"-"`

	// Act is what the engine says of an act; nil if the call was none.
	Act *engine.ActResult `json:"-"`
	// Err is the error behind IsError: errors.Is tells kinds of it apart.
	Err error `json:"-"`

	moved bool // the call itself went to another page or tab
}

// A Block is one of a result: a text, a picture, or the state of the browser. Its
// JSON is the vendor's.
type Block struct {
	Type   string  `json:"type"` // text, image, browser_state
	Text   string  `json:"text,omitempty"`
	Source *Source `json:"source,omitempty"`

	Tabs         []Tab    `json:"tabs,omitzero"` // of a state: not nil
	StateChanges []Change `json:"state_changes,omitempty"`
}

// A Source is a picture.
type Source struct {
	Type      string `json:"type"`       // base64
	MediaType string `json:"media_type"` // image/png
	Data      []byte `json:"data"`
}

// A Tab is an open tab.
type Tab struct {
	TabID  string `json:"tab_id"`
	Title  string `json:"title"`
	URL    string `json:"url"`
	Active bool   `json:"active,omitempty"`
}

// A Change is a tab that a call opened, or a download that it began.
type Change struct {
	Type       string `json:"type"` // tab_opened, download_started, download_completed, download_failed
	TabID      string `json:"tab_id,omitempty"`
	DownloadID string `json:"download_id,omitempty"`
	URL        string `json:"url,omitempty"`
	SizeBytes  int64  `json:"size_bytes,omitempty"`
	Error      string `json:"error,omitempty"`
}

// Call does one call. Its result is there in any case: what cannot be done is
// answered with why.
func (x *Executor) Call(ctx context.Context, name string, input json.RawMessage) *Result {
	actions, err := x.dialect.Decode(toolCall(name, input), x.hand)
	if err != nil {
		return x.failed(fmt.Errorf("%w: %w", engine.ErrInvalid, err))
	}
	if !x.begun {
		x.begun = true
		for _, p := range x.session.Pages() {
			x.hand.Own.Add(p)
		}
	}
	var out *computer.Outcome
	for _, action := range actions {
		if out, err = x.hand.Do(ctx, action); err != nil {
			break
		}
	}
	if err != nil {
		r := x.failed(err)
		if out != nil {
			r.Act = out.Result
		}
		return r
	}
	r := &Result{Act: out.Result, moved: out.Traveled != nil || out.Opened || out.Switched}
	if out.Text != "" {
		r.Content = append(r.Content, Block{Type: "text", Text: x.session.Hide(out.Text)})
	}
	if out.Picture != nil {
		r.Content = append(r.Content, Block{Type: "image", Source: &Source{Type: "base64", MediaType: "image/png", Data: out.Picture}})
	}
	r.Content = append(r.Content, state(x.hand.State(ctx, out)))
	if r.Surprise = out.Surprise(); r.moved {
		r.Surprise = "another page is shown now"
	}
	return r
}

// Calls does the calls of one answer in order, up to the first surprise. Those
// after it are answered as not run; after a call that itself went to another page,
// those are done that look at it or continue from there.
func (x *Executor) Calls(ctx context.Context, calls []Call) []*Result {
	results := make([]*Result, len(calls))
	stop, moved := "", false
	for i, c := range calls {
		if stop != "" && !(moved && x.dialect.Looks(toolCall(c.Name, c.Input), x.hand)) {
			results[i] = &Result{IsError: true, Content: []Block{{Type: "text", Text: "not run: " + stop}}}
			continue
		}
		r := x.Call(ctx, c.Name, c.Input)
		results[i] = r
		if r.Surprise != "" {
			stop, moved = r.Surprise, r.moved
		}
	}
	return results
}

func toolCall(name string, input json.RawMessage) llm.ToolCall {
	return llm.ToolCall{Name: name, Arguments: input, Toolset: Toolset}
}

func (x *Executor) failed(err error) *Result {
	text := x.session.Hide(err.Error())
	stop := "a call before it failed"
	if errors.Is(err, engine.ErrMayHaveHappened) {
		stop = "of a call before it, it is not known what came of it"
	}
	return &Result{IsError: true, Err: err, Surprise: stop, Content: []Block{{Type: "text", Text: text}}}
}

func state(s *llm.BrowserState) Block {
	b := Block{Type: "browser_state", Tabs: []Tab{}}
	for _, t := range s.Tabs {
		b.Tabs = append(b.Tabs, Tab{TabID: t.ID, Title: t.Title, URL: t.URL, Active: t.Active})
	}
	for _, c := range s.Changes {
		change := Change{Type: c.Kind, URL: c.URL, SizeBytes: c.Size, Error: c.Error}
		if c.Kind == "tab_opened" {
			change.TabID = c.ID
		} else {
			change.DownloadID = c.ID
		}
		b.StateChanges = append(b.StateChanges, change)
	}
	return b
}
